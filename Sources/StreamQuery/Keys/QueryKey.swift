/// The identity of a query: ordered parts and the type of the value.
///
/// Equal keys share one cache entry, one request and one invalidation. The same parts with a
/// different `Value` are a different entry, and using a key with a type other than its own does not
/// compile.
///
/// ```swift
/// QueryKey<[Product]>("products", Category.electronics, true)
/// QueryKey<[Product]>("products", fields: ["category": "books", "page": 2])
/// QueryKey<Product>(Product.self, 123)
///
/// extension QueryKey where Value == [User] {
///   static var users: Self { "users" }
///   static func users(in team: Team.ID) -> Self { ["users", "team", team] }
/// }
/// ```
///
/// Put every input of the request into the key: page, filter, account, locale. Two server states
/// that share a key overwrite each other.
///
/// Equality of parts:
/// - Parts of different types differ: `1`, `"1"`, `true` and `Int64(1)` are four parts.
/// - An absent optional is the same part whatever its type, and a present one is the value in it.
/// - An array is the list of its elements. A dictionary with string keys is a record, like
///   ``KeyRecord``, and the order of its fields does not matter.
/// - A key, a `KeyTuple` or any ``KeyPartsConvertible`` value contributes its own parts.
/// - NaN equals NaN, and -0 equals 0, where a `Double` or `Float` is itself a part or an element.
///
/// The `==` and `hash(into:)` of parts, and `<` if many keys share one hash, run while the cache is
/// locked. They must be pure: they may neither call the client nor wait, and must give the same
/// answer each time.
public struct QueryKey<Value: Sendable>: Sendable, _FreeOfActors {
  /// The parts without the value type.
  public let erased: AnyQueryKey

  /// Creates a typed key from its parts.
  init(erased: AnyQueryKey) { self.erased = erased }

  /// Creates a key from the given parts.
  ///
  /// - Parameters:
  ///   - part: The parts, in order.
  ///   - fields: Named parts in any order; they come last. None by default.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:]
  ) {
    // The code of `AnyQueryKey` is repeated here, because passing the parts on would copy each of
    // them twice more.
    var count = fields.fields.isEmpty ? 1 : 2
    for _ in repeat (each Part).self { count += 1 }
    var parts: [KeyPart] = []
    parts.reserveCapacity(count)
    repeat KeyPart.addParts(each part, to: &parts)
    if !fields.fields.isEmpty { parts.append(.record(of: fields.fields)) }
    erased = AnyQueryKey(parts: parts)
  }

  /// Creates a key whose first part is a type.
  ///
  /// - Parameters:
  ///   - subject: The first part. Types with the same name in two modules are different parts, and
  ///     no string equals a type.
  ///   - part: The other parts, in order.
  ///   - fields: Named parts in any order; they come last. None by default.
  public init<Subject, each Part: Hashable & Sendable>(
    _ subject: Subject.Type,
    _ part: repeat each Part,
    fields: KeyRecord = [:]
  ) {
    erased = AnyQueryKey(subject, repeat each part, fields: fields)
  }

  /// Creates a key whose parts are the elements of an array.
  ///
  /// - Parameter parts: The parts, in order.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "write the parts without brackets, or the bare literal")
  public init<Element: Hashable & Sendable>(_ parts: [Element]) {
    erased = AnyQueryKey(ofParts: parts)
  }

  /// Unavailable: write parts of several types without brackets.
  ///
  /// - Parameter parts: The parts.
  @_documentation(visibility: internal)
  @available(*, unavailable, message: "write the parts without brackets, or the bare literal")
  public init(_ parts: [(any Hashable & Sendable)?]) {
    erased = AnyQueryKey(ofMixed: parts)
  }
}

// Queries are made with these functions, on a server at each call. So the functions are fast: they only
// borrow the parts, and the first two parts are not in a pack.
extension QueryKey {
  /// The key of one part.
  @usableFromInline
  static func only<Part: Hashable & Sendable>(_ part: Part, fields: KeyRecord) -> Self {
    guard fields.fields.isEmpty, let part = KeyPart.simple(part) else {
      return QueryKey(part, fields: fields)
    }
    return QueryKey(erased: AnyQueryKey(storage: KeyStorage(part)))
  }

  /// The key of two or more parts.
  @usableFromInline
  static func of<
    First: Hashable & Sendable,
    Second: Hashable & Sendable,
    each Part: Hashable & Sendable
  >(
    _ first: First,
    _ second: Second,
    _ part: repeat each Part,
    fields: KeyRecord
  ) -> Self {
    var count = fields.fields.isEmpty ? 3 : 4
    for _ in repeat (each Part).self { count += 1 }
    if count == 3, let one = KeyPart.simple(first), let two = KeyPart.simple(second) {
      return QueryKey(erased: AnyQueryKey(storage: KeyStorage(one, two)))
    }
    var parts: [KeyPart] = []
    parts.reserveCapacity(count)
    KeyPart.addParts(first, to: &parts)
    KeyPart.addParts(second, to: &parts)
    repeat KeyPart.addParts(each part, to: &parts)
    if !fields.fields.isEmpty { parts.append(.record(of: fields.fields)) }
    return QueryKey(erased: AnyQueryKey(parts: parts))
  }
}

extension QueryKey: Hashable {
  /// Compares two keys part by part; equal hashes alone never make them equal.
  @_documentation(visibility: internal)
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.erased == rhs.erased
  }

  /// Feeds the hash that was computed when the key was made.
  @_documentation(visibility: internal)
  public func hash(into hasher: inout Hasher) {
    erased.hash(into: &hasher)
  }
}

extension QueryKey: ExpressibleByStringInterpolation {
  /// Creates a key with one string part.
  ///
  /// - Parameter value: The part.
  public init(stringLiteral value: String) {
    erased = AnyQueryKey(stringLiteral: value)
  }
}

extension QueryKey: ExpressibleByArrayLiteral {
  /// Creates a key from the given parts, some of which may be `nil`.
  ///
  /// - Parameter elements: The parts, in order.
  public init(arrayLiteral elements: (any Hashable & Sendable)?...) {
    erased = AnyQueryKey(ofLiteral: elements)
  }
}

extension QueryKey: KeyPartsConvertible {
  /// The key without its value type: a key given as a part contributes its own parts.
  public var keyParts: AnyQueryKey { erased }
}
