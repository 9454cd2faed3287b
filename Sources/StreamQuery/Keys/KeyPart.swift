/// One part of a key, in the form in which keys are hashed and compared.
///
/// Strings, integers, booleans and floating point have their own cases, because an existential or
/// `AnyHashable` would cost five times as much. Lists and records are structural, so that filters
/// can look inside them. Everything else is a typed box. Parts of different types are never equal.
enum KeyPart: Sendable {
  /// The absent value of any optional.
  case null
  case bool(Bool)
  case int(Int)
  case string(String)

  /// The bits of a `Double`: -0 is stored as 0 and every NaN as one NaN, see ``KeyPart/real(_:)``.
  case double(UInt64)

  /// The bits of a `Float`, normalised in the same way.
  case float(UInt32)

  /// A type as a part; no string equals it, and types with the same name in two modules are different parts.
  case type(any Any.Type)

  /// The elements of an array; made by ``KeyPart/list(of:)``.
  case list([KeyPart])

  /// Named parts, sorted by name, each name once; made by ``KeyPart/record(of:)``.
  case record([KeyField])

  /// A list or record that nests deeper than plain ones do.
  case deep(DeepKeyPart)

  /// Any other value.
  case boxed(any KeyPartBox)
}

extension KeyPart: Hashable {
  static func == (lhs: KeyPart, rhs: KeyPart) -> Bool {
    // The switches are nested, because a switch over a pair would copy both parts.
    switch lhs {
    case .string(let left): if case .string(let right) = rhs { left == right } else { false }
    case .int(let left): if case .int(let right) = rhs { left == right } else { false }
    case .null, .bool, .double, .float, .type, .list, .record, .deep, .boxed: lhs.isLike(rhs)
    }
  }

  /// Compares parts that are rarer than texts and integers.
  private func isLike(_ other: KeyPart) -> Bool {
    switch (self, other) {
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    case (.double(let left), .double(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.type(let left), .type(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.record(let left), .record(let right)): left == right
    case (.deep(let left), .deep(let right)): left == right
    case (.boxed(let left), .boxed(let right)): left === right || left.isEqual(to: right)
    case (.string, _), (.int, _), (.bool, _), (.null, _), (.double, _), (.float, _), (.type, _),
      (.list, _), (.record, _), (.deep, _), (.boxed, _):
      false
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hashContent(into: &hasher)
  }

  // A hasher gets the kind and the end of each part. So different keys feed different bytes, unless the
  // `hash(into:)` of a user's type feeds the same bytes for different values.

  /// A number below 16 for the kind of the part: parts of different kinds have different numbers.
  var kind: UInt8 {
    switch self {
    case .string: 1
    case .int: 2
    case .bool(let value): value ? 3 : 4
    case .null: 5
    case .double: 6
    case .float: 7
    case .type: 8
    case .list: 9
    case .record: 10
    case .deep: 11
    case .boxed: 12
    }
  }

  /// Feeds everything but the kind to a hasher.
  @inline(__always)
  func hashContent(into hasher: inout Hasher) {
    switch self {
    // A string ends its hash with a byte that does not occur in UTF-8, so two strings in a row differ from
    // one.
    case .string(let value): value.hash(into: &hasher)
    case .int(let value): value.hash(into: &hasher)
    case .bool, .null: break
    case .double(let bits): hasher.combine(bits)
    case .float(let bits): hasher.combine(bits)
    case .type(let type): hasher.combine(ObjectIdentifier(type))
    case .list(let elements): hasher.combine(elements)
    case .record(let fields): hasher.combine(fields)
    case .deep(let part): part.hash(into: &hasher)
    case .boxed(let box): box.hash(into: &hasher)
    }
  }

  /// Appends the kind of a part to a word of kinds, with four bits for each.
  static func kinds(_ kinds: UInt64, and part: KeyPart) -> UInt64 {
    kinds << 4 | UInt64(part.kind)
  }

  /// Feeds a row of parts to a hasher: the kinds of fifteen parts in one word, then these parts.
  static func hash(_ parts: [KeyPart], into hasher: inout Hasher) {
    var start = 0
    while true {
      let end = min(parts.count, start + 15)
      // The highest bit that is set tells how many kinds the word has; a word with fewer than fifteen is the
      // last.
      var kinds: UInt64 = 1
      for index in start..<end { kinds = Self.kinds(kinds, and: parts[index]) }
      hasher.combine(kinds)
      for index in start..<end { parts[index].hashContent(into: &hasher) }
      guard end == start + 15 else { return }
      start = end
    }
  }
}

/// A box for a value of one type.
///
/// Unchecked because ``KeyPart/make(_:)`` also boxes elements of `Sendable` arrays, which the compiler does
/// not know to be `Sendable`. The box never changes.
final class TypedKeyPartBox<Value: Hashable>: KeyPartBox, @unchecked Sendable {
  let typed: Value

  init(_ value: Value) {
    typed = value
  }

  var value: any Hashable { typed }

  func isEqual(to other: any KeyPartBox) -> Bool {
    // The types are compared, because a dynamic cast takes ten times as long, and a lookup compares
    // many keys if their hashes are equal.
    guard type(of: other) == TypedKeyPartBox<Value>.self else { return false }
    // The cast is safe because the line above checks the type; the class has no subclasses.
    return typed == unsafeDowncast(other, to: TypedKeyPartBox<Value>.self).typed
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(Value.self))
    typed.hash(into: &hasher)
  }
}

/// A named part of a record.
struct KeyField: Hashable, Sendable {
  var name: String
  var part: KeyPart
}

/// A box for a value of a type without a case of its own in ``KeyPart``.
protocol KeyPartBox: AnyObject, Sendable {
  /// The value, for texts and diagnostics.
  var value: any Hashable { get }

  /// Returns whether the other box holds an equal value of the same type.
  func isEqual(to other: any KeyPartBox) -> Bool

  /// Feeds the value and its type to the hasher.
  func hash(into hasher: inout Hasher)

  /// Compares the value with another box's; `nil` if values of the type have no order.
  func order(to other: any KeyPartBox) -> KeyOrder?
}
