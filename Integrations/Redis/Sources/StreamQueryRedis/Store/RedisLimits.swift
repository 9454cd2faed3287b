internal import StreamQueryShared

/// What is sent to a server at most, checked before it is.
struct RedisLimits: Hashable, Sendable {
  /// The bytes of a key with its marks.
  var key: Int
  /// The bytes of a value with its form.
  var value: Int

  /// The bytes of the name of a form.
  static let form = 1_024
  /// The bytes of a failure that followers are told; more is cut off.
  static let failure = 4_096
  /// What each mark takes besides its text, which bounds how many there are.
  private static let mark = 16

  /// Checks a key.
  ///
  /// - Parameter key: The key.
  /// - Throws: That it is too large.
  func check(_ key: SharedKey) throws(SharedStoreError) {
    try check(key.marks, besides: key.text.utf8.count)
  }

  /// Checks marks.
  ///
  /// - Parameters:
  ///   - marks: The marks.
  ///   - bytes: What is sent with them.
  /// - Throws: That they are too large.
  func check(_ marks: [SharedMark], besides bytes: Int = 0) throws(SharedStoreError) {
    let size = marks.reduce(bytes) { $0 + $1.text.utf8.count + Self.mark }
    guard size <= key else { throw .tooLarge(bytes: size, limit: key) }
  }

  /// Checks a value.
  ///
  /// - Parameter value: The value.
  /// - Throws: That it is too large.
  func check(_ value: SharedValue) throws(SharedStoreError) {
    let form = value.form.utf8.count
    guard form <= Self.form else { throw .tooLarge(bytes: form, limit: Self.form) }
    guard value.bytes.count <= self.value else {
      throw .tooLarge(bytes: value.bytes.count, limit: self.value)
    }
  }

  /// The beginning of a failure's text that is sent.
  ///
  /// - Parameter text: The text.
  /// - Returns: The bytes, whole characters.
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
