/// The measurement of a round of calls.
struct LoadRound: Sendable {
  /// The number of calls per second.
  let callsPerSecond: Double
  /// The median duration of a call.
  let median: Duration
  /// The duration that 99 of 100 calls did not exceed.
  let slow: Duration
  /// The counts of the round.
  let counts: LoadTally.Counts

  /// Creates a round.
  ///
  /// - Parameters:
  ///   - times: The durations of the calls, in any order.
  ///   - span: The duration of the round.
  ///   - counts: The counts of the round.
  init(_ times: [Duration], in span: Duration, _ counts: LoadTally.Counts) {
    let sorted = times.sorted()
    callsPerSecond = Double(times.count) / max(span / .seconds(1), 0.000_001)
    median = Self.rank(50, of: sorted)
    slow = Self.rank(99, of: sorted)
    self.counts = counts
  }

  private static func rank(_ percent: Int, of sorted: [Duration]) -> Duration {
    guard !sorted.isEmpty else { return .zero }
    return sorted[(sorted.count * percent + 99) / 100 - 1]
  }

  /// Makes a line of the table.
  ///
  /// - Parameters:
  ///   - name: The name of the call.
  ///   - callers: The number of concurrent callers.
  /// - Returns: The line.
  func line(_ name: String, callers: Int) -> String {
    let cells = [
      name, Self.text(callers), Self.text(Int(callsPerSecond.rounded())),
      Self.text(median), Self.text(slow),
      counts.hits.map(Self.text) ?? "", counts.upstream.map(Self.text) ?? "",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private static func text(_ time: Duration) -> String {
    let tenths = Int((time / .microseconds(1) * 10).rounded())
    if tenths < 1_000 { return "\(tenths / 10).\(tenths % 10) µs" }
    if tenths < 10_000 { return "\(tenths / 10) µs" }
    if tenths < 100_000 { return "\(tenths / 10_000).\(tenths / 1_000 % 10) ms" }
    return "\(tenths / 10_000) ms"
  }

  /// A number with its thousands separated.
  private static func text(_ number: Int) -> String {
    var rest = "\(number)"[...]
    var groups: [Substring] = []
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest.removeLast(3)
    }
    return ([rest] + groups).joined(separator: ",")
  }
}
