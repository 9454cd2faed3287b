/// One part of a key, of any type.
///
/// Literals accept mixed parts directly. Use this type for arrays and variables that must hold
/// parts of several types.
///
/// ```swift
/// let parts: [AnyQueryKeyPart] = [AnyQueryKeyPart("github"), AnyQueryKeyPart(42)]
/// ```
public struct AnyQueryKeyPart: Hashable, Sendable {
  let part: KeyPart

  init(part: KeyPart) {
    self.part = part
  }

  /// Creates a part from a value.
  ///
  /// - Parameter value: The value.
  public init<Value: Hashable & Sendable>(_ value: Value) {
    part = KeyPart.make(value)
  }

  /// Creates a part from a type, equal to that type as the first part of a key.
  ///
  /// - Parameter subject: The type.
  public init<Subject>(_ subject: Subject.Type) {
    part = .type(subject)
  }
}

extension AnyQueryKeyPart: CustomStringConvertible {
  /// A short text for logs.
  public var description: String { part.logText() }
}
