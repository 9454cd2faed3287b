import Dispatch
import StreamQueryTesting
import Testing

@testable import StreamQuery

/// What a call performs, and what waits, with real threads: counts, whatever the order.
@Suite(.timeLimit(.minutes(10))) struct ActionQueueStressTests {
  /// How many actions of others a call performs at most, and how many may wait before callers do.
  static let share = 256
  static let room = 4_096

  /// Keeps the thread busy for some microseconds.
  static func work() {
    var value: UInt64 = 1
    for _ in 0..<200 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
    expect(value != 0)
  }

  /// How often something was done, by each thread.
  final class Counts: Sendable {
    private let counts = Dial<[ThreadIdentity: Int]>([:])

    /// How often the present thread did it.
    var own: Int { counts.with { $0[.current, default: 0] } }

    func add() { counts.with { $0[.current, default: 0] += 1 } }
  }

  @Test func noCallTellsTheEventsOfOthersWithoutBound() async {
    let counts = Counts()
    let client = QueryClient(
      configuration: .init(onEvent: { _ in
        counts.add()
        Self.work()
      })
    )
    let readers = (0..<5).map { _ in
      let events = client.events
      return Task { for await _ in events {} }
    }
    let most = Dial(0)
    await withTaskGroup { group in
      for worker in 0..<3 {
        group.addTask {
          for round in 0..<3_000 {
            let before = counts.own
            client.setData(round, for: QueryKey<Int>("n", worker))
            let told = counts.own - before
            most.with { $0 = max($0, told) }
          }
        }
      }
    }
    // The first write of a key tells two events: the entry was added, and written.
    #expect(most.value <= 2 + Self.share)
    client.shutDown()
    for reader in readers { await reader.value }
  }

  /// Performs actions slowly, and checks them.
  final class Shell: ActionRunner, Sendable {
    let counts = Counts()
    let disorder = Dial(0)
    let sweeps = Dial(0)
    let isOfLowPriority: Bool
    private let next = Dial<Int32>(0)
    private let cache: QueryCache
    private let last: Int32
    private let onLast: AsyncStream<Void>.Continuation
    /// Ends when all are performed.
    let isDone: AsyncStream<Void>

    init(_ cache: QueryCache, last: Int, isOfLowPriority: Bool = false) {
      self.cache = cache
      self.last = Int32(last)
      self.isOfLowPriority = isOfLowPriority
      (isDone, onLast) = AsyncStream.makeStream()
    }

    func performInCaller(_ callerAction: CallerAction) {}

    func perform(_ action: Action) {
      counts.add()
      ActionQueueStressTests.work()
      guard case .ask(let entry) = action else { return }
      let expected = next.with { next in
        defer { next += 1 }
        return next
      }
      if entry.index != expected { disorder.with { $0 += 1 } }
      if entry.index == last { onLast.finish() }
    }

    func startDrainTask() {
      sweeps.with { $0 += 1 }
      Task.detached { self.cache.drainActions(self) }
    }

    /// A transaction that adds actions with the next numbers.
    ///
    /// - Returns: How many lay in the action queue after it.
    func transaction(adding count: Int) -> Int {
      cache.transaction(self, at: cache.now(isDated: false)) { state, _ in
        for _ in 0..<count {
          let number = Int32(truncatingIfNeeded: state.reports.eventSerial)
          state.reports.eventSerial += 1
          state.actionQueue.enqueue(.ask(EntryID(index: number, generation: 0)))
        }
        return state.actionQueue.count
      }
    }
  }

  static func makeCache() -> QueryCache {
    QueryCache(
      clock: ErasedClock(ContinuousClock()),
      wallClock: { Simulation.startDate },
      events: .nothing,
      defaults: DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    )
  }

  @Test func everyActionIsPerformedInOrderBoundedlyAndTheQueueStaysSmall() async {
    let workers = 4
    let rounds = 2_000
    let shell = Shell(Self.makeCache(), last: workers * rounds * 3 - 1)
    let most = Dial(0)
    let longest = Dial(0)
    await withTaskGroup { group in
      for _ in 0..<workers {
        group.addTask {
          for _ in 0..<rounds {
            let before = shell.counts.own
            let length = shell.transaction(adding: 3)
            let performed = shell.counts.own - before
            most.with { $0 = max($0, performed) }
            longest.with { $0 = max($0, length) }
          }
        }
      }
    }
    for await _ in shell.isDone {}
    expectEqual(shell.disorder.value, 0)
    #expect(most.value <= 3 + Self.share)
    // Who waits goes on after 10 ms, so a machine that stands still may let some more in.
    #expect(longest.value <= 2 * Self.room)
  }

  @Test func aTurnThatAddsALotIsSlowedDownAndStillEnds() async {
    let shell = Shell(Self.makeCache(), last: 4 * 20 * 2_500 - 1)
    let most = Dial(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<20 {
            let before = shell.counts.own
            _ = shell.transaction(adding: 2_500)
            let performed = shell.counts.own - before
            most.with { $0 = max($0, performed) }
          }
        }
      }
    }
    for await _ in shell.isDone {}
    expectEqual(shell.disorder.value, 0)
    #expect(most.value <= 2_500 + Self.share)
  }

  @Test func anActionMayWaitForAThreadThatMakesTransactions() {
    let inside = DispatchSemaphore(value: 0)
    let isFree = DispatchSemaphore(value: 0)
    let counts = Counts()
    let isFirst = Dial(true)
    let client = QueryClient(
      configuration: .init(onEvent: { _ in
        counts.add()
        let blocks = isFirst.with { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard blocks else { return }
        inside.signal()
        isFree.wait()
      })
    )
    DispatchQueue.global().async { client.setData(0, for: QueryKey<Int>("n")) }
    inside.wait()
    // The drainer stands until this thread has made its transactions: were it to wait for the
    // drainer until there is room, both would stand for ever.
    for round in 0..<(Self.room + 20) { client.setData(round, for: QueryKey<Int>("n")) }
    #expect(client.cache.read { $0.actionQueue.count } >= Self.room + 20)
    expectEqual(counts.own, 0)
    isFree.signal()
  }

  @Test func aCallOfLowPriorityPerformsNothingItself() async {
    let shell = Shell(Self.makeCache(), last: 29, isOfLowPriority: true)
    let before = shell.counts.own
    for _ in 0..<10 { _ = shell.transaction(adding: 3) }
    // No suspension since: what was performed meanwhile was so by another thread.
    expectEqual(shell.counts.own, before)
    for await _ in shell.isDone {}
    expectEqual(shell.disorder.value, 0)
    #expect(shell.sweeps.value >= 1)
  }

  @Test func eventsOfABackgroundTaskAreToldAtAnOrdinaryPriority() async {
    let (told, continuation) = AsyncStream.makeStream(of: TaskPriority.self)
    let client = QueryClient(
      configuration: .init(onEvent: { _ in
        continuation.yield(Task.currentPriority)
        continuation.finish()
      })
    )
    // Not awaited, which would raise its priority.
    Task(priority: .background) { client.setData(1, for: QueryKey<Int>("n")) }
    var priorities: [TaskPriority] = []
    for await priority in told { priorities.append(priority) }
    expectEqual(priorities, [.medium])
  }
}
