/// A value that stands for several parts of a key instead of one.
///
/// An enum case with a payload is one part by itself, so that no prefix says "every user". A type
/// that opts in here says how it splits:
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
/// Where a single part is needed, as a value in a ``KeyRecord`` or an element of an array, such a
/// value is the list of its parts.
public protocol KeyPartsConvertible: Hashable, Sendable {
  /// The parts that the value contributes to a key.
  ///
  /// Two different values should give different parts: what they give is all that a key compares.
  var keyParts: AnyQueryKey { get }
}

extension KeyPartsConvertible {
  /// Returns the canonical text of the value's parts, the same on every launch and platform.
  ///
  /// - Returns: The text that ``AnyQueryKey/canonicalText()`` gives for ``keyParts``.
  /// - Throws: ``KeyEncodingError`` when a part has no stable text.
  public func canonicalText() throws(KeyEncodingError) -> String {
    try keyParts.canonicalText()
  }
}
