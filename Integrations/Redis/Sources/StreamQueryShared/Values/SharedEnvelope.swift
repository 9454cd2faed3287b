/// The bytes of an entry: a head of nine bytes, and the encoded value.
///
/// The head is the form (1 byte), and how old the value was when it was stored, in nanoseconds,
/// little-endian (8 bytes).
struct SharedEnvelope: Hashable, Sendable {
  private static let form: UInt8 = 1
  /// The length of the head.
  static let head = 9

  /// The encoded value.
  var value: [UInt8]
  /// How old it was when it was stored.
  var age: Duration

  init(_ value: [UInt8], age: Duration) {
    self.value = value
    self.age = max(age, .zero)
  }

  /// Takes bytes from a store; `nil` if they are not of this form.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 9, bytes[0] == Self.form else { return nil }
    var nanoseconds: UInt64 = 0
    for place in 0..<8 { nanoseconds |= UInt64(bytes[1 + place]) << (8 * place) }
    guard nanoseconds <= UInt64(Int64.max) else { return nil }
    value = Array(bytes.dropFirst(9))
    age = .nanoseconds(Int64(nanoseconds))
  }

  /// The bytes for a store.
  var bytes: [UInt8] {
    let (seconds, attoseconds) = age.components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let nanoseconds = overflows ? Int64.max : whole &+ attoseconds / 1_000_000_000
    var bytes = [Self.form]
    bytes.reserveCapacity(9 + value.count)
    for place in 0..<8 {
      bytes.append(UInt8(truncatingIfNeeded: UInt64(max(0, nanoseconds)) >> (8 * place)))
    }
    return bytes + value
  }
}
