/// One part of a key, in the form in which keys are hashed and compared.
///
/// Strings, integers, booleans and floating point have cases of their own, since an existential or
/// `AnyHashable` would cost five times as much; lists and records are structural, so that filters
/// can look inside them; everything else is a typed box. Parts of different types are never equal.
enum KeyPart: Sendable {
  /// The absent value of any optional.
  case null
  case bool(Bool)
  case int(Int)
  case string(String)

  /// The bits of a `Double`: -0 is stored as 0 and every NaN as one NaN, see ``KeyPart/real(_:)``.
  case double(UInt64)

  /// The bits of a `Float`, brought to one form likewise.
  case float(UInt32)

  /// A type itself, which is no string and knows its module.
  case type(any Any.Type)

  /// The elements of an array; made by ``KeyPart/list(of:)``.
  case list([KeyPart])

  /// Named parts, sorted by name, each name once; made by ``KeyPart/record(of:)``.
  case record([KeyField])

  /// A list or record that goes on deeper than plain ones do.
  case deep(DeepKeyPart)

  /// Any other value.
  case boxed(any KeyPartBox)
}

/// A named part of a record.
struct KeyField: Hashable, Sendable {
  var name: String
  var part: KeyPart
}

extension KeyPart: Hashable {
  static func == (lhs: KeyPart, rhs: KeyPart) -> Bool {
    switch (lhs, rhs) {
    case (.string(let left), .string(let right)): left == right
    case (.int(let left), .int(let right)): left == right
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
    // No discriminator for the two most frequent cases: a string ends its hash with a byte that
    // UTF-8 does not contain, and equality decides anyway.
    switch self {
    case .string(let value):
      value.hash(into: &hasher)
    case .int(let value):
      value.hash(into: &hasher)
    case .bool(let value):
      hasher.combine(value ? 1 as UInt8 : 2)
    case .null:
      hasher.combine(3 as UInt8)
    case .double(let bits):
      hasher.combine(bits)
    case .float(let bits):
      hasher.combine(bits)
    case .type(let type):
      hasher.combine(ObjectIdentifier(type))
    case .list(let elements):
      hasher.combine(elements)
    case .record(let fields):
      hasher.combine(fields)
    case .deep(let part):
      part.hash(into: &hasher)
    case .boxed(let box):
      box.hash(into: &hasher)
    }
  }
}

/// A value of a type that has no case of its own.
///
protocol KeyPartBox: AnyObject, Sendable {
  /// The value, for text only.
  var value: any Hashable { get }

  /// Says whether the other box holds an equal value of the same type.
  func isEqual(to other: any KeyPartBox) -> Bool

  /// Feeds the value and its type to the hasher.
  func hash(into hasher: inout Hasher)
}

/// A value of a known type.
///
/// Unchecked, since the compiler cannot see that the elements of a `Sendable` array are `Sendable`
/// where a box for one is made, see ``KeyPart/make(_:)``. The box never changes.
final class TypedKeyPartBox<Value: Hashable>: KeyPartBox, @unchecked Sendable {
  let typed: Value

  init(_ value: Value) {
    typed = value
  }

  var value: any Hashable { typed }

  func isEqual(to other: any KeyPartBox) -> Bool {
    guard let other = other as? TypedKeyPartBox<Value> else { return false }
    return typed == other.typed
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(Value.self))
    typed.hash(into: &hasher)
  }
}
