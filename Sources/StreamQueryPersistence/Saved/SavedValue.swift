internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The bytes of an entry in a store: a short head, and the encoded value.
///
/// The head is 12 bytes and the version: the number of this form (1), flags (1), the date as bits of a
/// `Double`, little-endian (8), the length of the version (2), the version in UTF-8. The lowest bit of the
/// flags is set if the entry is invalidated. The next six bits are a number: 0, or *n* for a lifetime of at
/// most 2 to the power of (*n* − 1) seconds. The highest bit is set for an incomplete value of a stream.
struct SavedValue: Hashable, Sendable {
  private static let form: UInt8 = 1
  private static let invalidated: UInt8 = 1
  private static let part: UInt8 = 1 << 7

  private(set) var data: Data

  /// Makes the bytes of an entry for a store.
  ///
  /// - Parameters:
  ///   - value: The encoded value.
  ///   - updatedAt: The date when the value was current, in seconds since the reference date.
  ///   - isInvalidated: Whether the entry was invalidated since.
  ///   - isPart: Whether the value is an incomplete value of a stream.
  ///   - version: The version of the value's encoded form; the first 65,535 bytes count.
  ///   - maxAge: The age from which nobody will use the value.
  init(
    _ value: Data,
    updatedAt: Double,
    isInvalidated: Bool,
    isPart: Bool = false,
    version: String,
    maxAge: TimeSpan = .infinite
  ) {
    let name = Array(version.utf8.prefix(Int(UInt16.max)))
    var data = Data(capacity: 12 + name.count + value.count)
    data.append(Self.form)
    var flags = Self.lifetime(maxAge) << 1
    if isInvalidated { flags |= Self.invalidated }
    if isPart { flags |= Self.part }
    data.append(flags)
    for byte in 0..<8 { data.append(UInt8(truncatingIfNeeded: updatedAt.bitPattern >> (8 * byte))) }
    data.append(UInt8(truncatingIfNeeded: name.count))
    data.append(UInt8(truncatingIfNeeded: name.count >> 8))
    data.append(contentsOf: name)
    data.append(value)
    self.data = data
  }

  /// Reads the bytes of a record; `nil` if they do not have this form.
  init?(_ data: Data) {
    guard data.count >= 12, data.first == Self.form else { return nil }
    self.data = data
    guard data.count >= 12 + versionLength else { return nil }
  }

  var isInvalidated: Bool {
    get { byte(1) & Self.invalidated != 0 }
    set {
      data[data.startIndex + 1] = byte(1) & ~Self.invalidated | (newValue ? Self.invalidated : 0)
    }
  }

  var isPart: Bool { byte(1) & Self.part != 0 }

  /// The date when the value was current, in seconds since the reference date.
  var updatedAt: Double {
    var bits: UInt64 = 0
    for place in 0..<8 { bits |= UInt64(byte(2 + place)) << (8 * place) }
    return Double(bitPattern: bits)
  }

  var version: String {
    String(decoding: data.dropFirst(12).prefix(versionLength), as: UTF8.self)
  }

  /// The encoded value.
  var value: Data { data.dropFirst(12 + versionLength) }

  private var versionLength: Int { Int(byte(10)) | Int(byte(11)) << 8 }

  private func byte(_ offset: Int) -> UInt8 { data[data.startIndex + offset] }

  private static func lifetime(_ maxAge: TimeSpan) -> UInt8 {
    guard maxAge != .infinite else { return 0 }
    let (whole, rest) = maxAge.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let seconds = max(1, rest > 0 ? whole + 1 : whole)
    // The result is at most 35, because 64 bits of nanoseconds are less than 2 to the power of 34
    // seconds.
    return UInt8(1 + seconds.bitWidth - (seconds - 1).leadingZeroBitCount)
  }

  /// Whether the record has a limit of age.
  var hasLifetime: Bool { byte(1) >> 1 & 63 > 0 }

  /// Whether the value is older than the policy that saved it allows.
  ///
  /// The record contains the maximum age of that policy, rounded up to a power of two of seconds. So the
  /// answer needs neither the query nor the policy.
  func isOver(at date: Double) -> Bool {
    let lifetime = byte(1) >> 1 & 63
    guard lifetime > 0 else { return false }
    return !updatedAt.isFinite || date - updatedAt >= Double(UInt64(1) << (lifetime - 1))
  }

  /// Whether the value was encoded in the given version.
  func isOf(version: String) -> Bool {
    let name = data.dropFirst(12).prefix(versionLength)
    return name.elementsEqual(version.utf8.prefix(Int(UInt16.max)))
  }

  /// Whether the value is younger than an age.
  func isYoung(for maxAge: TimeSpan, at date: Double) -> Bool {
    guard maxAge != .infinite else { return updatedAt.isFinite }
    // The condition is written so that a value with a date that is not a number counts as too old.
    return max(0, date - updatedAt) < Double(maxAge.nanoseconds) / 1_000_000_000
      && updatedAt.isFinite
  }
}
