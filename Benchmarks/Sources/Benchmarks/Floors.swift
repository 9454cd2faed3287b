import CMeasure
import StreamQueryTesting
import Synchronization

/// Measures the minimum that single cases need in any implementation, in the same run.
enum Floors {
  static func measure(_ suite: Suite) async {
    await subscription(suite)
    await fetch(suite)
    await sharing(suite)
    for count in [1_000, 10_000, 100_000] { expiry(suite, count) }
  }

  // MARK: Subscription

  private final class Owner: Sendable {
    let table = Mutex<[Int: Int]>([7: 0])
    let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }
  }

  /// An observation, which ends when it is released.
  private final class Observation: Sendable {
    let owner: Owner
    let seen = Atomic<UInt64>(0)

    init(_ owner: Owner) { self.owner = owner }

    @inline(never)
    func next(isolation: isolated (any Actor)?) async -> Int? {
      Task.isCancelled ? nil : owner.table.withLock { $0[7] }
    }

    deinit {
      blackHole(owner.now())
      owner.table.withLock { $0[7, default: 0] -= 1 }
    }
  }

  private static func subscription(_ suite: Suite) async {
    let clock = ContinuousClock()
    let owner = Owner { clock.now }
    suite.add(
      "raw.subscribe",
      "an object that is counted under a lock, with the time, when it comes, looks and goes",
      await fastest(iterations: 1_000) { iterations in
        for _ in 0..<iterations {
          blackHole(owner.now())
          owner.table.withLock { $0[7, default: 0] += 1 }
          let observation = Observation(owner)
          blackHole(await observation.next(isolation: nil))
        }
      }
    )
  }

  // MARK: Fetch

  private enum Local {
    @TaskLocal static var first = 0
    @TaskLocal static var second = 0
  }

  private final class Answer: Sendable {
    private enum State {
      case none
      case waiting(UnsafeContinuation<Int, Never>)
      case ready(Int)
    }

    private let state = Mutex(State.none)

    func resolve(_ value: Int) {
      let waiting = state.withLock { state -> UnsafeContinuation<Int, Never>? in
        defer { state = .ready(value) }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      waiting?.resume(returning: value)
    }

    func value() async -> Int {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let ready = state.withLock { state -> Int? in
            if case .ready(let value) = state { return value }
            state = .waiting(continuation)
            return nil
          }
          if let ready { continuation.resume(returning: ready) }
        }
      } onCancel: {
        resolve(0)
      }
    }
  }

  private static func fetch(_ suite: Suite) async {
    suite.add(
      "raw.fetch",
      "a task with two task-locals that runs a closure; its caller waits, and could leave",
      // As many rounds as for the fetches themselves, because it is chance which thread runs a task.
      await fastest(rounds: 240, iterations: 250) { iterations in
        for index in 0..<iterations {
          let work: @Sendable () async throws -> Int = { index }
          let answer = Answer()
          let task = Task {
            let value = try? await Local.$first.withValue(1) {
              try await Local.$second.withValue(2) { try await work() }
            }
            answer.resolve(value ?? 0)
          }
          blackHole(await answer.value())
          withExtendedLifetime(task) {}
        }
      }
    )
  }

  // MARK: Fan-out

  private static func sharing(_ suite: Suite) async {
    let board = Board()
    var iterator = board.stream().makeAsyncIterator()
    suite.add(
      "raw.share.same",
      "put an object under a lock, and take it through an AsyncStream(unfolding:)",
      await fastest(iterations: 2_000) { iterations in
        for index in 0..<iterations {
          board.publish(index)
          blackHole(await iterator.next(isolation: nil))
        }
      }
    )
    for count in [1, 100, 1_000, 10_000] {
      suite.add(
        "raw.share.\(count)",
        "the same until \(count) consumers in tasks have it",
        await share(count),
        size: count
      )
    }
  }

  private static func share(_ count: Int) async -> Double {
    let board = Board()
    let bell = Bell(consumers: count)
    let tasks = (0..<count).map { _ in
      Task.detached { for await note in board.stream() { blackHole(note); bell.ring() } }
    }
    while board.waiting < count { await Task.yield() }
    var best = Double.infinity
    let clock = ContinuousClock()
    for round in 0..<fanOutRounds(count) {
      try? await Task.sleep(
        for: count <= 1 ? .microseconds(20) : .milliseconds(count > 1_000 ? 20 : 2)
      )
      let start = clock.now
      await bell.wait { board.publish(round) }
      best = min(best, nanoseconds(clock.now - start))
    }
    board.finish()
    for task in tasks { await task.value }
    return best
  }

  // MARK: Expiry

  private final class Key: Hashable {
    let parts: [KeyValuePairs<String, Int>]
    let stored: Int

    init(_ index: Int) {
      parts = [["todos": index]]
      stored = index.hashValue
    }

    static func == (lhs: Key, rhs: Key) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(stored) }
  }

  private final class Value {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  private static func expiry(_ suite: Suite, _ count: Int) {
    var best = Double.infinity
    for _ in 0..<max(5, 50_000 / count) {
      let keys = Keys((0..<count).map(Key.init))
      var table: [Key: (Value, Int)] = [:]
      for (index, key) in keys.all.enumerated() { table[key] = (Value(index), index) }
      let start = measure_thread_time()
      while let key = keys.all.popLast() { table[key] = nil }
      best = min(best, Double(measure_thread_time() - start))
      precondition(table.isEmpty)
    }
    suite.add(
      "raw.expiry.\(count)",
      "take \(count) keys, each with an array, out of a dictionary of objects",
      best,
      size: count
    )
  }

  private final class Keys {
    var all: [Key]

    init(_ all: [Key]) { self.all = all }
  }

  // MARK: Scenario

  /// Measures scenarios, after all cases without a simulation: as soon as a process has had a simulation, all
  /// clients report their waits.
  static func scenarios(_ suite: Suite) {
    suite.add(
      "raw.scenarios",
      "the tasks, waits and stream elements of a scenario in a simulation, without a client, a second",
      1e9
        / fastest(rounds: 40, iterations: 200) { iterations in
          for seed in 0..<iterations { bareScenario(seed: UInt64(seed)) }
        },
      unit: .perSecond
    )
  }

  private static func bareScenario(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let clock = simulation.clock
    let board = Board()
    let recording = simulation.record(board.stream())
    // Three fetches and four deadlines.
    for delay in [5, 1_035, 10_030] {
      simulation.task {
        board.publish(delay)
        try? await clock.sleep(for: .milliseconds(delay))
        board.publish(-delay)
      }
    }
    for delay in [1_005, 6_035, 11_000, 72_000] {
      simulation.task { try? await clock.sleep(for: .milliseconds(delay)) }
    }
    simulation.advance(by: .seconds(10))
    simulation.task { try? await clock.sleep(for: .milliseconds(30)) }
    simulation.advance(by: .seconds(1))
    recording.cancel()
    simulation.advance(by: .seconds(61))
    precondition(recording.values.last?.value == -10_030)
  }
}
