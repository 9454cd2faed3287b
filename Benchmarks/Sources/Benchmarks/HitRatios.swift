import Foundation
import StreamQuery

/// Measures the hit ratios of caches with a limit, on traces of keys.
///
/// `--hit-ratios` prints a table of a client with a limit, of eviction by last use (LRU), and of eviction by
/// arrival (FIFO). `--traces DIR` also writes the traces, one key in a line, for `hit-ratios.py`.
enum HitRatios {
  static let limit = 1_000
  private static let length = 500_000

  static func run(writingTo folder: String?) {
    print("| trace | StreamQuery | LRU | FIFO |\n|---|---|---|---|")
    for (name, keys) in traces() {
      let ratios = [client(keys), simple(keys, isByUse: true), simple(keys, isByUse: false)]
      let cells = ratios.map { String(format: "%.1f %%", $0 * 100) }
      print("| \(name) | \(cells.joined(separator: " | ")) |")
      guard let folder else { continue }
      let text = keys.map(String.init).joined(separator: "\n")
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: "\(folder)/\(name).txt", atomically: true, encoding: .utf8)
      } catch {
        print("The trace could not be written: \(error)")
      }
    }
  }

  /// The hit ratio of a client that is read, and written after each miss.
  private static func client(_ keys: [Int]) -> Double {
    var configuration = QueryClient.Configuration.server
    configuration.limit = CacheLimit(maxEntries: limit)
    let client = QueryClient(configuration: configuration)
    var hits = 0
    for number in keys {
      let key = QueryKey<Int>("key", number)
      if client.data(for: key) != nil { hits += 1 } else { client.setData(number, for: key) }
    }
    precondition(client.entries(of: Int.self).count <= limit)
    client.shutDown()
    return Double(hits) / Double(keys.count)
  }

  private static func simple(_ keys: [Int], isByUse: Bool) -> Double {
    var times: [Int: Int] = [:]
    var queue: [(key: Int, time: Int)] = []
    var (first, hits) = (0, 0)
    for (time, key) in keys.enumerated() {
      if times[key] != nil {
        hits += 1
        guard isByUse else { continue }
      }
      times[key] = time
      queue.append((key, time))
      while times.count > limit {
        let oldest = queue[first]
        first += 1
        if times[oldest.key] == oldest.time { times[oldest.key] = nil }
      }
    }
    return Double(hits) / Double(keys.count)
  }

  // MARK: Traces

  private static func traces() -> [(String, [Int])] {
    var numbers = SplitMix64(state: 7)
    let favourites = zipf(1.0, length, &numbers)
    var serial = 1_000_000
    func fresh() -> Int {
      serial += 1
      return serial
    }
    var turn = 0
    func looped() -> Int {
      turn += 1
      return 500_000 + turn % 2_000
    }
    return [
      ("zipf 0.8", zipf(0.8, length, &numbers)),
      ("zipf 1.0", favourites),
      ("loop of 1,500", (0..<length).map { $0 % 1_500 }),
      // In turn, 8,000 keys of the favourites, and 4,000 keys that never come again.
      ("zipf and scans", (0..<length).map { $0 % 12_000 < 8_000 ? favourites[$0] : fresh() }),
      (
        "mixed",
        (0..<length).map { time in
          switch numbers.unit() {
          case ..<0.6: favourites[time]
          case ..<0.8: looped()
          default: fresh()
          }
        }
      ),
      ("changing favourites", (0..<length).map { $0 / 50_000 * 20_000 + favourites[$0] }),
      ("recent", recent(&numbers)),
    ]
  }

  /// Makes a trace of keys, in which the n-th key occurs in proportion to `1 / n^exponent`.
  private static func zipf(
    _ exponent: Double,
    _ count: Int,
    _ numbers: inout SplitMix64
  ) -> [Int] {
    var sums: [Double] = []
    var total = 0.0
    for rank in 1...20_000 {
      total += 1 / pow(Double(rank), exponent)
      sums.append(total)
    }
    return (0..<count).map { _ in
      let wanted = numbers.unit() * total
      var (low, high) = (0, sums.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] < wanted { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// Makes a trace of keys near a place that moves on, so that old keys never come back.
  private static func recent(_ numbers: inout SplitMix64) -> [Int] {
    (0..<length).map { Int(Double($0) * 0.05) - Int(-log(1 - numbers.unit()) * 300) }
  }
}

private struct SplitMix64 {
  var state: UInt64

  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
