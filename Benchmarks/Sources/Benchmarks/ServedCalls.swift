/// The durations of all calls.
///
/// Each duration is stored, because all of them fit into memory, so that percentiles are exact.
struct ServedCalls: Sendable {
  private(set) var times: [UInt32] = []

  init(capacity: Int) {
    times.reserveCapacity(capacity)
  }

  mutating func add(_ nanoseconds: UInt64) {
    times.append(UInt32(clamping: nanoseconds))
  }

  /// The times below which these shares of the calls are, in nanoseconds.
  static func percentiles(_ shares: [Double], of all: [ServedCalls]) -> [Double] {
    let sorted = all.flatMap(\.times).sorted()
    guard !sorted.isEmpty else { return shares.map { _ in 0 } }
    return shares.map { share in
      Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
    }
  }
}
