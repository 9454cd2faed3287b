#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The bytes that a store keeps of an entry: a short head, and the encoded value.
///
/// The head is 12 bytes and the version: the form (1), flags (1), the date as bits of a `Double`,
/// little-endian (8), the length of the version (2), the version in UTF-8.
struct SavedValue: Hashable, Sendable {
  private static let form: UInt8 = 1
  private static let invalidated: UInt8 = 1

  private(set) var data: Data

  /// Makes the bytes for a store.
  ///
  /// - Parameters:
  ///   - value: The encoded value.
  ///   - updatedAt: When it was current, in seconds since the reference date.
  ///   - isInvalidated: Whether it was invalidated since.
  ///   - version: The version of the form of the value; the first 65,535 bytes count.
  init(_ value: Data, updatedAt: Double, isInvalidated: Bool, version: String) {
    let name = Array(version.utf8.prefix(Int(UInt16.max)))
    var data = Data(capacity: 12 + name.count + value.count)
    data.append(Self.form)
    let flags: UInt8 = isInvalidated ? Self.invalidated : 0
    data.append(flags)
    for byte in 0..<8 { data.append(UInt8(truncatingIfNeeded: updatedAt.bitPattern >> (8 * byte))) }
    data.append(UInt8(truncatingIfNeeded: name.count))
    data.append(UInt8(truncatingIfNeeded: name.count >> 8))
    data.append(contentsOf: name)
    data.append(value)
    self.data = data
  }

  /// Takes bytes from a store; `nil` if they are not of this form.
  init?(_ data: Data) {
    guard data.count >= 12, data.first == Self.form else { return nil }
    self.data = data
    guard data.count >= 12 + versionLength else { return nil }
  }

  var isInvalidated: Bool {
    get { byte(1) & Self.invalidated != 0 }
    set { data[data.startIndex + 1] = newValue ? Self.invalidated : 0 }
  }

  /// Seconds since the reference date.
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

  /// Whether it may still be used.
  ///
  /// - Parameters:
  ///   - maxAge: The age at which it is too old.
  ///   - version: The version that is expected.
  ///   - date: The present date.
  /// - Returns: Whether it is of that version and young enough.
  func isGood(for maxAge: TimeSpan, version: String, at date: Double) -> Bool {
    let name = data.dropFirst(12).prefix(versionLength)
    guard name.elementsEqual(version.utf8.prefix(Int(UInt16.max))) else { return false }
    guard !maxAge.isInfinite else { return updatedAt.isFinite }
    // Written so that a date that is no number is too old.
    return max(0, date - updatedAt) < Double(maxAge.nanoseconds) / 1_000_000_000
      && updatedAt.isFinite
  }
}
