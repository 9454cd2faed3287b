import Synchronization

/// One wait of a fetch or a run, for as long as it lasts.
///
/// There is one graph for all clients, behind a lock of its own: a wait is looked at and begun in one
/// step, so of two that would close a circle together the later one is refused. The lock is the innermost
/// of all: it is taken by turns, and nothing is done under it but to look at the graph. Only waits from
/// inside of fetches and runs come here.
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
    /// It begins; `nil` if nobody can wait for the one that waits.
    case granted(WorkWait?)
    /// It would never end.
    case refused
  }

  /// Begins a wait, unless it closes a circle.
  static func begin(_ source: TaskChain, for target: WorkID) -> Permit {
    graph.withLock { graph -> Permit in
      // Under the lock: an end that comes now finds the wait.
      if source.life.involve() { return .granted(nil) }
      guard let number = graph.begin(source.work, for: target) else { return .refused }
      return .granted(WorkWait(source: source.work, number: number))
    }
  }

  /// Ends the wait; a second time is a no-op.
  func end() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    Self.graph.withLock { $0.end(number, of: source) }
  }

  /// A work is over: what its tasks still wait for, it waits for no more.
  fileprivate static func ended(_ work: WorkID) {
    graph.withLock { $0.ended(work) }
  }

  /// Whether a work waits for another one, directly or through others, or is it.
  static func waits(_ work: WorkID, for other: WorkID) -> Bool {
    graph.withLock { $0.waits(work, for: other) }
  }

  /// Whether a work waits for any other one.
  static func isWaiting(_ work: WorkID) -> Bool {
    graph.withLock { $0.isWaiting(work) }
  }

  /// How many waits there are of, or for, the works of a client: for tests.
  static func count(of cache: UInt64) -> Int {
    graph.withLock { $0.count(of: cache) }
  }
}

extension TaskChain {
  /// The tasks of the fetch or the run that the present task works for, or was started by.
  @TaskLocal static var inherited: TaskChain?

  /// Whose work waits when the present code waits for a fetch.
  ///
  /// A task that a fetch started is taken to be awaited by it; one that a run started is not, since some
  /// of these are meant to outlive the run, and nobody can tell which.
  static var current: TaskChain? {
    guard let inherited else { return nil }
    if case .run = inherited.work { return own }
    return inherited
  }

  /// Whose work waits when the present code waits for a run.
  ///
  /// Only what this very task does counts: a mutation must not be refused because of a task that its
  /// fetch never awaits.
  static var own: TaskChain? {
    guard let inherited, inherited.life.isPerformedHere else { return nil }
    return inherited
  }

  /// The fetch is over, though tasks that it started may go on.
  ///
  /// A run needs no such end: what it waits for, the very task awaits that ends it.
  func workEnded() {
    if life.end() { WorkWait.ended(work) }
  }
}
