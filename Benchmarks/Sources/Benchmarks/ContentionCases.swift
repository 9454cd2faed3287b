import StreamQuery
import Synchronization

/// Measures threads that use the cache at the same time.
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
    for _ in 0..<20 {
      let time = Threads.run(threads) { body($0, iterations) }
      best = min(best, time / Double(iterations * threads))
    }
    return best
  }
}
