/// A value that stands for several parts of a key instead of one.
///
/// An enum case with a payload is by itself one part, so no prefix says "every user". A type that
/// opts in here says how it splits:
///
/// ```swift
/// enum Route: Hashable, Sendable, KeyPartsConvertible {
///   case users, user(Int)
///
///   var keyParts: AnyQueryKey {
///     switch self {
///     case .users: ["users"]
///     case .user(let id): ["users", id]
///     }
///   }
/// }
/// QueryKey<User>(Route.user(42)) == QueryKey<User>("users", 42)   // true
/// ```
///
/// Where a single part is needed, such as a value in a ``KeyRecord`` or an element of an array, the
/// value becomes the list of its parts.
public protocol KeyPartsConvertible: Hashable, Sendable {
  /// The parts that the value contributes to a key.
  ///
  /// Two different values should give different parts, because a key compares nothing else.
  var keyParts: AnyQueryKey { get }
}

extension KeyPartsConvertible {
  /// Returns the canonical text of the value's parts, the same on every launch and platform.
  ///
  /// - Returns: The text that ``AnyQueryKey/canonicalText()`` gives for ``keyParts``.
  /// - Throws: ``KeyEncodingError`` if a part has no stable text.
  public func canonicalText() throws(KeyEncodingError) -> String {
    try keyParts.canonicalText()
  }
}
