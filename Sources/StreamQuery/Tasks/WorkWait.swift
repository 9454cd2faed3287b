import Synchronization

/// A wait of a fetch or a run for other work; the object exists as long as the wait lasts.
///
/// The waits of all clients are in one graph, behind its own lock. A wait is checked and begun in one step,
/// so of two waits that would close a circle together, the later one is refused. The lock is the innermost
/// one: transactions take it, and only the graph is used under it. Only waits from inside fetches and runs
/// are registered.
final class WorkWait: Sendable {
  private static let graph = Mutex(WaitGraph())

  private let source: WorkID
  private let number: UInt64
  private let isOver = Atomic(false)

  private init(source: WorkID, number: UInt64) {
    self.source = source
    self.number = number
  }

  deinit {
    end()
  }

  /// Whether a wait may begin.
  enum Permit {
    /// The wait may begin; `nil` if the work that waits is over, so that nothing has to be registered.
    case granted(WorkWait?)
    /// The wait would never end.
    case refused
  }

  /// Begins a wait for other work, unless that work waits for this work, directly or through others.
  static func begin(_ source: TaskChain, for target: WorkID) -> Permit {
    graph.withLock { graph -> Permit in
      // The wait is recorded under the lock, so that work that ends just now finds the wait.
      if source.lifecycle.markWaiting() { return .granted(nil) }
      guard let number = graph.addWait(source.work, for: target) else { return .refused }
      return .granted(WorkWait(source: source.work, number: number))
    }
  }

  /// Ends the wait; a second call does nothing.
  func end() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    Self.graph.withLock { $0.removeWait(number, of: source) }
  }

  /// Ends all waits of a piece of work that is over, even if tasks of this work still wait.
  fileprivate static func workEnded(_ work: WorkID) {
    graph.withLock { $0.workEnded(work) }
  }

  /// Whether a piece of work equals another one, or waits for it, directly or through others.
  static func waits(_ work: WorkID, for other: WorkID) -> Bool {
    graph.withLock { $0.waits(work, for: other) }
  }

  /// Whether a piece of work waits for any other.
  static func isWaiting(_ work: WorkID) -> Bool {
    graph.withLock { $0.isWaiting(work) }
  }

  /// The work that a piece of work waits for.
  static func targets(of work: WorkID) -> [WorkID] {
    graph.withLock { $0.targets(of: work) }
  }

  /// The number of waits in which the work of a client waits or is waited for; for tests.
  static func count(of cache: UInt64) -> Int {
    graph.withLock { $0.count(of: cache) }
  }
}

extension TaskChain {
  /// The chain of the fetch or the run for which the present task works, or which started the present task.
  @TaskLocal static var inherited: TaskChain?

  /// The fetch or run that counts as waiting when the present code waits for a fetch.
  ///
  /// A fetch is assumed to await the tasks it starts. A run is not, because some of its tasks are
  /// meant to outlive it, and it is not known which.
  static var current: TaskChain? {
    guard let inherited else { return nil }
    if case .run = inherited.work { return own }
    return inherited
  }

  /// The fetch or run that counts as waiting when the present code waits for a run.
  ///
  /// Only the task at work counts: a mutation must not be refused in a task that the fetch has
  /// started and never awaits.
  static var own: TaskChain? {
    guard let inherited, inherited.lifecycle.isPerformedHere else { return nil }
    return inherited
  }

  /// Ends the waits of a fetch that is over, even if tasks that it started continue.
  ///
  /// A run does not need this: the task that ends the run also awaits the targets of the run's waits.
  func workEnded() {
    if lifecycle.markOver() { WorkWait.workEnded(work) }
  }
}
