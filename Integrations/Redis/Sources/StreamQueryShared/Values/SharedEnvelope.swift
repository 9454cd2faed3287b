/// The bytes of an entry: a head of 17 bytes, and the encoded value.
///
/// The head has the number of this format (1 byte), the age of the value when it was stored (8 bytes), and
/// the duration of the value's fetch (8 bytes), both in nanoseconds, little-endian.
struct SharedEnvelope: Hashable, Sendable {
  private static let form: UInt8 = 1
  /// The length of the head.
  static let head = 17

  /// The encoded value.
  var value: [UInt8]
  /// The age of the value when it was stored.
  var age: Duration
  /// The duration of the value's fetch.
  var duration: Duration

  init(_ value: [UInt8], age: Duration, duration: Duration = .zero) {
    self.value = value
    self.age = max(age, .zero)
    self.duration = max(duration, .zero)
  }

  /// Reads bytes from a store; `nil` if they do not have this format.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.head, bytes[0] == Self.form,
      let age = Self.time(in: bytes, at: 1), let duration = Self.time(in: bytes, at: 9)
    else { return nil }
    self.init(Array(bytes.dropFirst(Self.head)), age: age, duration: duration)
  }

  /// The bytes for a store.
  var bytes: [UInt8] {
    var bytes = [Self.form]
    bytes.reserveCapacity(Self.head + value.count)
    for time in [age, duration] {
      let nanoseconds = Self.nanoseconds(of: time)
      for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: nanoseconds >> (8 * place))) }
    }
    return bytes + value
  }

  private static func time(in bytes: [UInt8], at start: Int) -> Duration? {
    var nanoseconds: UInt64 = 0
    for place in 0..<8 { nanoseconds |= UInt64(bytes[start + place]) << (8 * place) }
    return Int64(exactly: nanoseconds).map { .nanoseconds($0) }
  }

  private static func nanoseconds(of time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflows else { return .max }
    let (sum, isTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong ? .max : sum
  }
}
