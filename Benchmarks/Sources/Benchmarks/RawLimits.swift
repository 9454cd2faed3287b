import Synchronization

/// Measures the costs of the platform itself; every case is stated as a multiple of one of these costs.
enum RawLimits {
  private final class Storage: Hashable, Sendable {
    let text: String
    let number: Int
    let stored: Int

    init(_ text: String, _ number: Int) {
      self.text = text
      self.number = number
      var hasher = Hasher()
      hasher.combine(text)
      hasher.combine(number)
      stored = hasher.finalize()
    }

    static func == (lhs: Storage, rhs: Storage) -> Bool {
      lhs === rhs || (lhs.stored == rhs.stored && lhs.number == rhs.number && lhs.text == rhs.text)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(stored) }
  }

  private final class Table: Sendable {
    let entries: Mutex<[Storage: Int]>

    init(_ entries: [Storage: Int]) {
      self.entries = Mutex(entries)
    }
  }

  private actor Counter {
    var count = 0
    func increment() -> Int {
      count += 1
      return count
    }
  }

  static func measure(_ suite: Suite) async {
    lookup(suite)
    let clock = ContinuousClock()
    suite.add(
      "raw.clock",
      "read the continuous clock",
      fastest(iterations: 10_000) { for _ in 0..<$0 { blackHole(clock.now) } }
    )
    let counter = Counter()
    suite.add(
      "raw.hop",
      "call an actor from a pool task, and back",
      await fastest(iterations: 2_000) { for _ in 0..<$0 { blackHole(await counter.increment()) } }
    )
    await streams(suite)
    suite.add(
      "raw.task",
      "create a task and await it",
      await fastest(iterations: 500) { for _ in 0..<$0 { await Task {}.value } }
    )
    for count in [1, 100, 1_000, 10_000] {
      suite.add(
        "raw.wake.\(count)",
        "resume \(count) parked tasks until all ran",
        await wakeUps(count)
      )
      suite.add(
        "raw.wake.stream.\(count)",
        "the same, each in next of an AsyncStream(unfolding:) of its own",
        await wakeUps(count, throughStream: true)
      )
    }
    suite.add(
      "raw.crowd.10000",
      "a group of 10,000 tasks that park, can be cancelled, and are resumed",
      await crowd(10_000)
    )
  }

  private static func lookup(_ suite: Suite) {
    for count in [1_000, 10_000, 100_000] {
      let keys = (0..<count).map { Storage("todos", $0) }
      let table = Table(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.number) }))
      let order = shuffled(count).map { keys[$0] }
      var next = 0
      let value = fastest(iterations: 10_000) { iterations in
        for _ in 0..<iterations {
          let key = order[next]
          next = next + 1 == count ? 0 : next + 1
          blackHole(table.entries.withLock { $0[key] })
        }
      }
      suite.add(
        "raw.lookup.\(count)",
        "dictionary lookup under a lock, \(count) entries",
        value,
        size: count
      )
    }
  }

  private static func streams(_ suite: Suite) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    var iterator = stream.makeAsyncIterator()
    suite.add(
      "raw.yield",
      "AsyncStream: yield and next, one task",
      await fastest(iterations: 1_000) { iterations in
        for index in 0..<iterations {
          continuation.yield(index)
          blackHole(await iterator.next(isolation: nil))
        }
      }
    )
    suite.add(
      "raw.unfolding",
      "AsyncStream(unfolding:): create, first element, drop",
      await fastest(iterations: 1_000) { iterations in
        for _ in 0..<iterations {
          let stream = AsyncStream(unfolding: { 1 }, onCancel: {})
          var iterator = stream.makeAsyncIterator()
          blackHole(await iterator.next(isolation: nil))
        }
      }
    )
    let ready = AsyncStream(unfolding: { 1 }, onCancel: {})
    var readyIterator = ready.makeAsyncIterator()
    suite.add(
      "raw.next",
      "AsyncStream(unfolding:): next, value ready",
      await fastest(iterations: 1_000) { iterations in
        for _ in 0..<iterations { blackHole(await readyIterator.next(isolation: nil)) }
      }
    )
  }

  /// Measures how long it takes to resume tasks with one continuation each, as any fan-out to tasks must.
  private static func wakeUps(_ count: Int, throughStream: Bool = false) async -> Double {
    let bell = Bell(consumers: count)
    let parking = Parking()
    let tasks = (0..<count).map { _ in
      Task {
        guard throughStream else {
          while await parking.park() { bell.ring() }
          return
        }
        let stream = AsyncStream(unfolding: { await parking.park() ? () : nil }, onCancel: {})
        for await _ in stream { bell.ring() }
      }
    }
    await parking.wait(for: count)
    var rounds = Rounds(atLeast: fanOutRounds(count))
    while rounds.goOn() {
      await rounds.measure { await bell.wait { parking.resumeAll(true) } }
      await parking.wait(for: count)
    }
    parking.resumeAll(false)
    for task in tasks { await task.value }
    return rounds.fastest
  }

  /// Measures the cost of any shared operation of many callers: a task, a wait and a wake-up for each.
  private static func crowd(_ count: Int) async -> Double {
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<15 {
      let parking = Parking()
      let start = clock.now
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            await withTaskCancellationHandler {
              blackHole(await parking.park(resumingAt: count))
            } onCancel: {
            }
          }
        }
      }
      best = min(best, nanoseconds(clock.now - start))
    }
    return best
  }
}

/// How often a fan-out is repeated.
func fanOutRounds(_ consumers: Int) -> Int {
  consumers <= 1 ? 2_000 : consumers <= 100 ? 600 : consumers <= 1_000 ? 150 : 25
}

/// Tasks that wait until somebody resumes all of them.
final class Parking: Sendable {
  private let parked = Mutex<[UnsafeContinuation<Bool, Never>]>([])

  func park() async -> Bool {
    await withUnsafeContinuation { continuation in
      parked.withLock { $0.append(continuation) }
    }
  }

  /// Parks the task; the last of `count` tasks resumes all.
  func park(resumingAt count: Int) async -> Bool {
    await withUnsafeContinuation { continuation in
      let isFull = parked.withLock { parked in
        parked.append(continuation)
        return parked.count == count
      }
      if isFull { resumeAll(true) }
    }
  }

  func resumeAll(_ value: Bool) {
    let all = parked.withLock { parked in
      defer { parked = [] }
      return parked
    }
    for continuation in all { continuation.resume(returning: value) }
  }

  func wait(for count: Int) async {
    while parked.withLock({ $0.count }) < count { await Task.yield() }
  }
}

/// Resumes a waiting task when all consumers have rung.
final class Bell: Sendable {
  private let consumers: Int
  private let heard = Atomic<Int>(0)
  private let waiting = Mutex<UnsafeContinuation<Void, Never>?>(nil)

  init(consumers: Int) {
    self.consumers = consumers
  }

  func ring() {
    if heard.add(1, ordering: .acquiringAndReleasing).newValue == consumers {
      heard.store(0, ordering: .releasing)
      waiting.withLock { $0.take() }?.resume()
    }
  }

  func wait(_ start: () -> Void) async {
    await withUnsafeContinuation { continuation in
      waiting.withLock { $0 = continuation }
      start()
    }
  }
}
