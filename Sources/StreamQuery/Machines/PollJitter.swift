/// The random part by which each interval of polling is shorter or longer.
///
/// The part is a digest of the key and the time of the last tick. So no number is stored, a second call gives
/// the same result, and queries and devices differ.
package struct PollJitter: Hashable, Sendable {
  /// The largest part, in 255ths of the interval.
  let part: UInt8
  /// A digest of the key.
  let salt: UInt8

  package static var none: Self { Self(part: 0, salt: 0) }

  /// - Parameters:
  ///   - part: The largest part, in 255ths of the interval.
  ///   - key: The key; not evaluated if `part` is zero.
  package init(part: UInt8, of key: @autoclosure () -> String) {
    guard part > 0 else {
      self = .none
      return
    }
    self.part = part
    let digest = key().utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    salt = UInt8(truncatingIfNeeded: digest ^ digest >> 16 ^ digest >> 8)
  }

  private init(part: UInt8, salt: UInt8) {
    self.part = part
    self.salt = salt
  }

  /// The interval from a tick to the next one, with its random part.
  ///
  /// - Parameters:
  ///   - interval: The interval without the random part.
  ///   - base: The time of the tick.
  /// - Returns: The interval with its random part; an infinite interval stays infinite.
  func applied(to interval: TimeSpan, since base: Instant) -> TimeSpan {
    guard part > 0, interval > .zero, !interval.isInfinite else { return interval }
    let seed = UInt64(bitPattern: base.nanoseconds) ^ UInt64(salt) << 56
    var generator = SplitMix64(seed: seed)
    let sign = generator.fraction() * 2 - 1
    let change = Double(interval.nanoseconds) * Double(part) / 255 * sign
    // The interval is at least a millisecond, like one without jitter.
    return TimeSpan(.nanoseconds(max(1_000_000, interval.nanoseconds + Int64(change))))
  }
}
