extension KeyPart {
  /// Makes one part from a value.
  ///
  /// A value that stands for several parts becomes a list here; ``addParts(_:to:)`` adds its parts one by
  /// one.
  ///
  /// `Value` is `Sendable`, or part of a `Sendable` value, as every caller requires. The compiler cannot
  /// check that here: `Array` and `Optional` cannot conform to ``StructuralKeyPart`` on the condition that
  /// their elements are `Sendable`.
  static func make<Value: Hashable>(_ value: Value) -> KeyPart {
    if let part = simple(value) { return part }
    if let source = value as? any StructuralKeyPart { return source.structuralPart }
    if let several = value as? any KeyPartsConvertible {
      return .list(of: Array(several.keyParts.storage.parts))
    }
    return .boxed(TypedKeyPartBox(value))
  }

  /// Makes one part from a value that may be absent.
  static func make(optional value: (any Hashable & Sendable)?) -> KeyPart {
    guard let value else { return .null }
    return make(value)
  }

  /// Appends the parts of a value to a key: one part, or several for a ``KeyPartsConvertible`` value.
  static func addParts<Value: Hashable>(_ value: Value, to parts: inout [KeyPart]) {
    if let part = simple(value) {
      parts.append(part)
    } else if let source = value as? any StructuralKeyPart {
      source.appendParts(to: &parts)
    } else if let several = value as? any KeyPartsConvertible {
      parts.append(contentsOf: several.keyParts.storage.parts)
    } else {
      parts.append(.boxed(TypedKeyPartBox(value)))
    }
  }

  /// Appends the parts of an optional value to a key.
  static func addParts(optional value: (any Hashable & Sendable)?, to parts: inout [KeyPart]) {
    guard let value else {
      parts.append(.null)
      return
    }
    addParts(value, to: &parts)
  }

  /// The part for a floating-point value.
  ///
  /// Keys need reflexive equality, so NaN equals NaN; -0 equals 0 as everywhere else in Swift.
  static func real(_ value: Double) -> KeyPart {
    .double(value.isNaN ? Double.nan.bitPattern : value == 0 ? 0 : value.bitPattern)
  }

  /// The part for a single-precision value; NaN and -0 are treated as those of a `Double`.
  static func real(_ value: Float) -> KeyPart {
    .float(value.isNaN ? Float.nan.bitPattern : value == 0 ? 0 : value.bitPattern)
  }

  /// The part for a value whose type has its own case in ``KeyPart``; `nil` for other types.
  @inline(__always)
  static func simple<Value>(_ value: Value) -> KeyPart? {
    if let text = exactly(value, String.self) { return .string(text) }
    if let number = exactly(value, Int.self) { return .int(number) }
    if let flag = exactly(value, Bool.self) { return .bool(flag) }
    if let number = exactly(value, Double.self) { return real(number) }
    if let number = exactly(value, Float.self) { return real(number) }
    return exactly(value, AnyQueryKeyPart.self)?.part
  }

  /// Returns a value as `Exact` if that is its static type, otherwise `nil`.
  ///
  /// Comparing metatypes takes a nanosecond, and a dynamic cast thirty.
  @inline(__always)
  private static func exactly<Value, Exact>(_ value: Value, _ type: Exact.Type) -> Exact? {
    // The bit cast is safe because this line checks that both types are the same.
    Value.self == type ? unsafeBitCast(value, to: type) : nil
  }
}

/// A type, such as an array, that makes its own part of a key instead of being put into a box.
protocol StructuralKeyPart {
  /// The value as one part.
  var structuralPart: KeyPart { get }

  /// Appends the parts of the value to a key.
  func appendParts(to parts: inout [KeyPart])
}

extension StructuralKeyPart {
  func appendParts(to parts: inout [KeyPart]) {
    parts.append(structuralPart)
  }
}

extension Optional: StructuralKeyPart where Wrapped: Hashable {
  var structuralPart: KeyPart {
    switch self {
    case .none: .null
    case .some(let value): KeyPart.make(value)
    }
  }

  func appendParts(to parts: inout [KeyPart]) {
    switch self {
    case .none: parts.append(.null)
    case .some(let value): KeyPart.addParts(value, to: &parts)
    }
  }
}

extension Array: StructuralKeyPart where Element: Hashable {
  var structuralPart: KeyPart { .list(of: map { KeyPart.make($0) }) }
}

extension Dictionary: StructuralKeyPart where Key == String, Value: Hashable {
  var structuralPart: KeyPart {
    .record(
      of: map { KeyField(name: $0.key, part: KeyPart.make($0.value)) }.sorted { $0.name < $1.name }
    )
  }
}

extension KeyRecord: StructuralKeyPart {
  var structuralPart: KeyPart { .record(of: fields) }
}

/// One part of a key, of any type.
///
/// Literals accept mixed parts directly. Use this type for arrays and variables that must hold
/// parts of several types.
///
/// ```swift
/// let parts: [AnyQueryKeyPart] = [AnyQueryKeyPart("github"), AnyQueryKeyPart(42)]
/// ```
@_documentation(visibility: internal)
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

  /// Creates the part that stands for a type, such as the first part of `QueryKey(User.self, 42)`.
  ///
  /// - Parameter subject: The type.
  public init<Subject>(_ subject: Subject.Type) {
    part = .type(subject)
  }
}

extension AnyQueryKeyPart: CustomStringConvertible {
  /// A short text for logs.
  @_documentation(visibility: internal)
  public var description: String { part.logText() }
}

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
