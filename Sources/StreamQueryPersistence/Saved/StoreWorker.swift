internal import StreamQuery
import Synchronization

/// The state that ``StoreWorker`` needs for a part of a store.
protocol WrittenPart {
  var writer: StoreWriter { get set }
  var task: StoreWorkerTask { get set }

  /// Whether there are changes that could not be written.
  var hasFailed: Bool { get }

  /// Whether changes came during the last round of writing, which did not include them.
  var hasMore: Bool { get }
}

/// The task that was last started for a part of a store, and its number.
struct StoreWorkerTask: Sendable {
  var task: Task<Void, Never>?
  private var number: UInt64 = 0

  /// Notes that a task was started.
  ///
  /// - Returns: Whether no later task was started meanwhile.
  mutating func started(_ task: Task<Void, Never>, _ number: UInt64) -> Bool {
    guard self.number < number else { return false }
    (self.task, self.number) = (task, number)
    return true
  }
}

/// Runs the tasks that write parts of stores, and carries out the decisions of ``StoreWriter``.
protocol StoreWorker: AnyObject, Sendable {
  associatedtype PartID: Sendable
  associatedtype Part: WrittenPart

  var executor: (any TaskExecutor)? { get }
  var tasks: WorkCount { get }

  /// Reads or changes the state of a part, under the lock.
  ///
  /// - Returns: The closure's result; `nil` if the part is not known.
  func part<Result: Sendable>(_ id: PartID, _ body: (inout Part) -> Result) -> Result?

  /// Writes all changes of a part.
  ///
  /// - Returns: The error with which changes could not be written; `nil` if all were written.
  func writeRound(_ id: PartID) async -> QueryStoreError?

  /// Waits for a time, or until the task is cancelled.
  func sleep(for duration: Duration) async

  /// Called when a task has written, and no task is left for the part.
  func rested(_ id: PartID)
}

extension StoreWorker {
  /// Starts a task that reads or writes, and counts it.
  func begin(_ body: @escaping @Sendable (Self) async -> Void) {
    tasks.began()
    perform(body)
  }

  @discardableResult
  private func perform(_ body: @escaping @Sendable (Self) async -> Void) -> Task<Void, Never> {
    // The task is detached and does not have the caller's priority, because many callers depend on it.
    Task.detached(executorPreference: executor) {
      await body(self)
      self.tasks.finished()
    }
  }

  /// Applies a change to a part, and starts the task that the change asks for.
  ///
  /// - Parameters:
  ///   - id: The part.
  ///   - change: Changes the part, and returns the number of the task to start, if any.
  /// - Returns: Whether the change was applied; `false` after all was erased.
  @discardableResult
  func start(_ id: PartID, _ change: (inout Part) -> UInt64?) -> Bool {
    typealias Start = (number: UInt64, delay: Duration, former: Task<Void, Never>?)
    let told = part(id) { part -> (isTold: Bool, start: Start?) in
      if part.writer.stage.isErased { return (false, nil) }
      guard let number = change(&part) else { return (true, nil) }
      tasks.began()
      return (true, (number, part.writer.delay, part.task.task.take()))
    }
    guard let (number, delay, former) = told?.start else { return told?.isTold ?? false }
    former?.cancel()
    let task = perform { await $0.work(id, number, after: delay) }
    let goesOn = part(id) { !$0.writer.stage.isErased && $0.task.started(task, number) }
    if goesOn != true { task.cancel() }
    return true
  }

  private func work(_ id: PartID, _ number: UInt64, after delay: Duration) async {
    var (number, delay) = (number, delay)
    while true {
      if delay > .zero { await sleep(for: delay) }
      guard part(id, { $0.writer.waited(number) }) == true else { return }
      var step: SavePlan.Step
      repeat {
        let error = await writeRound(id)
        let round = part(id) { part in
          let (hasFailed, hasMore) = (part.hasFailed, part.hasMore)
          return part.writer.wrote(error, isDirty: hasFailed, hasMore: hasMore)
        }
        guard let round = round ?? nil else { return rested(id) }
        for answer in round.answers { answer.give(error) }
        (step, number) = (round.step, round.task)
      } while step == .write
      guard case .wait(let time) = step else { return rested(id) }
      delay = time
    }
  }
}

/// Counts the tasks that read or write stores, and lets callers wait until there is none.
final class WorkCount: Sendable {
  private let state = Mutex((count: 0, waits: [SharedOneShot<Void>]()))

  /// Counts a task that is about to start.
  func began() { state.withLock { $0.count += 1 } }

  /// Counts a task as over.
  func finished() {
    let waits = state.withLock { state in
      state.count -= 1
      return state.count == 0 ? state.waits.takeAll() : []
    }
    for wait in waits { wait.give(()) }
  }

  /// Waits until no task is left.
  func waitUntilOver() async {
    let wait = SharedOneShot<Void>()
    let isWaiting = state.withLock { state in
      if state.count > 0 { state.waits.append(wait) }
      return state.count > 0
    }
    if isWaiting { _ = await wait.wait() }
  }
}
