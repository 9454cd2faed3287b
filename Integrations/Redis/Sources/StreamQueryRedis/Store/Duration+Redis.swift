extension Duration {
  /// The longest lifetime of an entry: the server remembers invalidations for this time.
  static let longestLifetime = Duration.seconds(7 * 86_400)
  /// The longest lease.
  static let longestLease = Duration.seconds(3_600)
  /// The longest timeout, 100 years.
  static let longestTimeout = Duration.seconds(3_155_760_000 as Int64)

  /// The whole milliseconds, at least one, and no more than a limit.
  ///
  /// - Parameter limit: The limit.
  /// - Returns: The digits.
  func milliseconds(upTo limit: Duration) -> [UInt8] {
    let (seconds, attoseconds) = Swift.min(Swift.max(self, .milliseconds(1)), limit).components
    return Array("\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)".utf8)
  }

  /// The digits of an age in whole microseconds; `-1` for a negative age.
  var ageDigits: [UInt8] {
    guard self >= .zero else { return Array("-1".utf8) }
    let (seconds, attoseconds) = Swift.min(self, .longestLifetime + .longestLease).components
    return Array("\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)".utf8)
  }
}
