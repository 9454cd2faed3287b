/// The parts of a key with their hash, shared by every copy of it.
///
/// The hash is taken once; it speeds comparison up and never decides it.
final class KeyStorage: Sendable {
  let parts: [KeyPart]
  let hash: Int

  init(_ parts: [KeyPart]) {
    self.parts = parts
    var hasher = Hasher()
    for part in parts { part.hash(into: &hasher) }
    hash = hasher.finalize()
  }

  /// The storage of every key that has no parts.
  static let empty = KeyStorage([])
}

extension KeyStorage: Hashable {
  @inline(__always)
  static func == (lhs: KeyStorage, rhs: KeyStorage) -> Bool {
    lhs === rhs || (lhs.hash == rhs.hash && lhs.parts == rhs.parts)
  }

  @inline(__always)
  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
