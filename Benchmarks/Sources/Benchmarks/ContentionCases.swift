import Foundation
import StreamQuery
import Synchronization

/// Threads that want the cache at once.
///
/// The time is per operation of all threads together.
enum ContentionCases {
  static func measure(_ suite: Suite) {
    let (client, keys) = World.filled(10_000)
    let key = keys[5]
    let query = World.query(5)
    let raw = Hot()
    for threads in [1, 2, 8] {
      suite.add(
        "raw.hot.\(threads)",
        "one lock and a dictionary of one entry, \(threads) threads",
        contend(threads) { _, iterations in for _ in 0..<iterations { blackHole(raw.read()) } },
        size: threads
      )
      suite.add(
        "contend.read.\(threads)",
        "\(threads) threads read one hot key",
        contend(threads) { _, iterations in
          for _ in 0..<iterations { blackHole(client.data(for: key)) }
        },
        limit: "raw.hot.\(threads)",
        size: threads
      )
      guard threads > 1 else { continue }
      suite.add(
        "contend.write.\(threads)",
        "\(threads) threads, the first writes what the others read",
        contend(threads) { thread, iterations in
          for index in 0..<iterations {
            if thread == 0 {
              client.setData(index, for: key)
            } else {
              blackHole(client.data(for: key))
            }
          }
        },
        limit: "raw.hot.\(threads)",
        size: threads
      )
      suite.add(
        "contend.subscribe.\(threads)",
        "\(threads) threads, the first invalidates what the others subscribe to",
        contend(threads, iterations: 400) { thread, iterations in
          for _ in 0..<iterations {
            if thread == 0 {
              InlineExecutor.run { await client.invalidate(.key(key), refetch: .never) }
            } else {
              blackHole(client.results(of: query).makeAsyncIterator())
            }
          }
        },
        limit: "raw.hot.\(threads)",
        size: threads
      )
    }
  }

  private final class Hot: Sendable {
    private let table = Mutex<[Int: Int]>([1: 1])
    func read() -> Int? { table.withLock { $0[1] } }
  }

  private static func contend(
    _ threads: Int,
    iterations: Int = 5_000,
    _ body: @escaping @Sendable (_ thread: Int, _ iterations: Int) -> Void
  ) -> Double {
    var best = Double.infinity
    let clock = ContinuousClock()
    for _ in 0..<20 {
      let group = DispatchGroup()
      let gate = Gate()
      for thread in 0..<threads {
        group.enter()
        Thread.detachNewThread {
          gate.arrive()
          body(thread, iterations)
          group.leave()
        }
      }
      gate.wait(for: threads)
      // Before they go: this thread may be the last to run again.
      let start = clock.now
      gate.open()
      group.wait()
      best = min(best, nanoseconds(clock.now - start) / Double(iterations * threads))
    }
    return best
  }

  /// Lets threads start together.
  private final class Gate: Sendable {
    private let arrived = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)

    func arrive() {
      arrived.add(1, ordering: .releasing)
      while !isOpen.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.000_02) }
    }

    func wait(for threads: Int) {
      while arrived.load(ordering: .acquiring) < threads { Thread.sleep(forTimeInterval: 0.000_02) }
    }

    func open() {
      isOpen.store(true, ordering: .releasing)
    }
  }
}

/// Runs jobs at once on the thread that enqueues them: for asynchronous calls that do not wait.
private final class InlineExecutor: TaskExecutor {
  private static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }

  static func run(_ body: @escaping @Sendable () async -> Void) {
    _ = Task(executorPreference: shared) { await body() }
  }
}
