/// The parts of a key without the type of its value: a prefix for operations on many keys.
///
/// ```swift
/// let project: AnyQueryKey = ["project", 7]
/// project.isPrefix(of: ["project", 7, "issues", "open"])   // true
/// project.isPrefix(of: ["project", 8, "issues", "open"])   // false
/// ```
///
/// All initialisers and rules of ``QueryKey`` about parts apply here too.
public struct AnyQueryKey: Sendable, _FreeOfActors {
  let storage: KeyStorage

  init(storage: KeyStorage) {
    self.storage = storage
  }

  /// Creates a key whose parts are the elements of an array.
  init(ofParts parts: [some Hashable & Sendable]) {
    var collected: [KeyPart] = []
    for part in parts { KeyPart.addParts(part, to: &collected) }
    self.init(parts: collected)
  }

  /// Creates a key whose parts are the elements of an array of mixed types.
  init(ofMixed parts: [(any Hashable & Sendable)?]) {
    self.init(parts: parts.map { KeyPart.make(optional: $0) })
  }

  /// Creates a key from the elements of a literal, each of which may stand for several parts.
  init(ofLiteral elements: [(any Hashable & Sendable)?]) {
    var parts: [KeyPart] = []
    parts.reserveCapacity(elements.count + 1)
    for element in elements { KeyPart.addParts(optional: element, to: &parts) }
    self.init(parts: parts)
  }

  /// - Parameter parts: The parts; an array with room for one more element is not copied.
  init(parts: consuming [KeyPart]) {
    storage = parts.isEmpty ? .empty : KeyStorage(parts)
  }

  /// Creates a key from the given parts.
  ///
  /// - Parameters:
  ///   - part: The parts, in order.
  ///   - fields: Named parts in any order; they come last. None by default.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:]
  ) {
    var count = fields.fields.isEmpty ? 1 : 2
    for _ in repeat (each Part).self { count += 1 }
    var parts: [KeyPart] = []
    parts.reserveCapacity(count)
    repeat KeyPart.addParts(each part, to: &parts)
    if !fields.fields.isEmpty { parts.append(.record(of: fields.fields)) }
    self.init(parts: parts)
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
    var count = fields.fields.isEmpty ? 2 : 3
    for _ in repeat (each Part).self { count += 1 }
    var parts: [KeyPart] = []
    parts.reserveCapacity(count)
    parts.append(.type(subject))
    repeat KeyPart.addParts(each part, to: &parts)
    if !fields.fields.isEmpty { parts.append(.record(of: fields.fields)) }
    self.init(parts: parts)
  }

  /// The number of parts; a record counts as one.
  public var count: Int { storage.count }

  /// Whether the key has no parts; as a prefix it matches every key.
  public var isEmpty: Bool { storage.count == 0 }
}

extension AnyQueryKey: Hashable {
  /// Compares two keys part by part; equal hashes alone never make them equal.
  @_documentation(visibility: internal)
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.storage == rhs.storage
  }

  /// Feeds the hash that was computed when the key was made.
  @_documentation(visibility: internal)
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storage.hash)
  }
}

extension AnyQueryKey: ExpressibleByStringInterpolation {
  /// Creates a key with one string part.
  ///
  /// - Parameter value: The part.
  public init(stringLiteral value: String) {
    storage = KeyStorage(.string(value))
  }
}

extension AnyQueryKey: ExpressibleByArrayLiteral {
  /// Creates a key from the given parts, some of which may be `nil`.
  ///
  /// - Parameter elements: The parts, in order.
  public init(arrayLiteral elements: (any Hashable & Sendable)?...) {
    self.init(ofLiteral: elements)
  }
}

extension AnyQueryKey: KeyPartsConvertible {
  /// The key itself: a key given as a part contributes its own parts.
  public var keyParts: AnyQueryKey { self }
}

/// Identifies an entry in the cache: the parts of a key and the type of the value.
///
/// This is the untyped form of a ``QueryKey``, small enough to be a dictionary key. The hash was computed
/// when the key was made, so a lookup reads the parts only if the hashes are equal.
package struct EntryKey: Sendable {
  let storage: KeyStorage
  package let valueType: any Any.Type

  /// Creates the untyped form of a key.
  ///
  /// - Parameter key: A key.
  package init<Value>(_ key: QueryKey<Value>) {
    storage = key.erased.storage
    valueType = Value.self
  }

  /// Creates a key from its two halves.
  ///
  /// - Parameters:
  ///   - key: The parts.
  ///   - valueType: The type of the value.
  package init(_ key: AnyQueryKey, valueType: any Any.Type) {
    storage = key.storage
    self.valueType = valueType
  }

  /// The parts without the value type.
  package var key: AnyQueryKey { AnyQueryKey(storage: storage) }

  /// The identity of the value's type.
  package var valueTypeID: ObjectIdentifier { ObjectIdentifier(valueType) }

  /// The name of the value's type with its module, for diagnostics.
  package var valueTypeName: String { String(reflecting: valueType) }
}

extension EntryKey: Hashable {
  package static func == (lhs: EntryKey, rhs: EntryKey) -> Bool {
    lhs.valueType == rhs.valueType && lhs.storage == rhs.storage
  }

  package func hash(into hasher: inout Hasher) {
    // The value type is not hashed, because equal parts with different value types are rare.
    hasher.combine(storage.hash)
  }
}
