internal import StreamQueryShared

/// The limits of the bytes that are sent to a server; they are checked before bytes are sent.
struct RedisLimits: Hashable, Sendable {
  /// The maximum number of bytes of a key's text and marks in total.
  var key: Int
  /// The maximum number of bytes of a value.
  var value: Int

  /// The maximum length in bytes of `SharedValue.form`, the name of a value's encoding.
  static let form = 1_024
  /// The maximum number of bytes of a failure's text; the rest is cut off.
  static let failure = 4_096
  /// The number of bytes that each mark counts besides its text, so that the number of marks is bounded,
  /// too.
  private static let mark = 16

  /// Checks a key.
  ///
  /// - Parameter key: The key.
  /// - Throws: An error if the key is too large.
  func check(_ key: SharedKey) throws(SharedStoreError) {
    try check(key.marks, besides: key.text.utf8.count)
  }

  /// Checks marks: keys, prefixes and tags.
  ///
  /// - Parameters:
  ///   - marks: The marks.
  ///   - bytes: The number of bytes that are sent with the marks.
  /// - Throws: An error if the marks are too large.
  func check(_ marks: [SharedMark], besides bytes: Int = 0) throws(SharedStoreError) {
    let size = marks.reduce(bytes) { $0 + $1.text.utf8.count + Self.mark }
    guard size <= key else { throw .tooLarge(bytes: size, limit: key) }
  }

  /// Checks a value.
  ///
  /// - Parameter value: The value.
  /// - Throws: An error if the value is too large.
  func check(_ value: SharedValue) throws(SharedStoreError) {
    let form = value.form.utf8.count
    guard form <= Self.form else { throw .tooLarge(bytes: form, limit: Self.form) }
    guard value.bytes.count <= self.value else {
      throw .tooLarge(bytes: value.bytes.count, limit: self.value)
    }
  }

  /// Cuts the text of a failure to the limit.
  ///
  /// - Parameter text: The text.
  /// - Returns: The bytes of whole characters.
  static func cut(_ text: String) -> [UInt8] {
    guard text.utf8.count > failure else { return Array(text.utf8) }
    var result: [UInt8] = []
    for scalar in text.unicodeScalars {
      let next = UTF8.encode(scalar).map(Array.init) ?? []
      if result.count + next.count > failure { break }
      result += next
    }
    return result
  }
}
