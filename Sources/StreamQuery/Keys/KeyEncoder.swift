extension KeyTextNode {
  /// Writes a value into the node.
  func encode(_ value: any Encodable, codingPath: [any CodingKey], level: Int) throws {
    // A value may nest without a limit, but the stack is limited.
    guard level < KeyNesting.encoded, !isTooDeep else {
      // If user code catches the error, the node must not have the text of another value.
      becomeTooDeep()
      throw KeyText.TooDeep()
    }
    // Only a few types are handled here; every other value encodes itself.
    if let text = KeyTextNode.primitive(value) {
      set(text)
    } else if let value = value as? any CanonicallyEncodable {
      let position = KeyText.Position(codingPath: codingPath, depth: depth, level: level + 1)
      set(try value.canonicalText(at: position))
    } else {
      try value.encode(to: KeyEncoder(node: self, codingPath: codingPath, level: level + 1))
    }
  }

  /// Returns the text of a value.
  static func text(of value: any Encodable, at position: KeyText.Position) throws -> String {
    let node = KeyTextNode(depth: position.depth)
    try node.encode(value, codingPath: position.codingPath, level: position.level)
    return try node.text()
  }

  private static func primitive(_ value: any Encodable) -> String? {
    switch value {
    case let value as String: quoted(value)
    case let value as Bool: value ? "true" : "false"
    case let value as Double: real(value)
    case let value as Float: real(value)
    case let value as any FixedWidthInteger: value.description
    default: nil
    }
  }
}

/// An encoder that writes canonical text.
struct KeyEncoder: Encoder {
  let node: KeyTextNode
  let codingPath: [any CodingKey]
  let level: Int
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(
      KeyObjectContainer<Key>(node: node, codingPath: codingPath, level: level)
    )
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeList()
    return KeyListContainer(node: node, codingPath: codingPath, level: level)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    KeyValueContainer(node: node, codingPath: codingPath, level: level)
  }
}

/// The position of an element, or the key `super` of the part that a superclass encodes.
private struct KeyPosition: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init(intValue: Int) {
    self.intValue = intValue
    stringValue = "\(intValue)"
  }
}

private struct KeyObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: KeyTextNode
  let codingPath: [any CodingKey]
  let level: Int

  mutating func encodeNil(forKey key: Key) {
    node.field(key.stringValue, replacing: true).set("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let field = node.field(key.stringValue, replacing: true)
    try field.encode(value, codingPath: codingPath + [key], level: level)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    nested(KeyPosition(stringValue: "super"))
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    nested(key)
  }

  private func nested(_ key: any CodingKey) -> KeyEncoder {
    // A node that discards its output needs no path for errors.
    let path = node.isTooDeep ? codingPath : codingPath + [key]
    let field = node.field(key.stringValue, replacing: false)
    return KeyEncoder(node: field, codingPath: path, level: level)
  }
}

private struct KeyListContainer: UnkeyedEncodingContainer {
  let node: KeyTextNode
  let codingPath: [any CodingKey]
  let level: Int

  var count: Int { node.count }

  mutating func encodeNil() {
    node.appendElement().set("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    let path = codingPath + [KeyPosition(intValue: count)]
    try node.appendElement().encode(value, codingPath: path, level: level)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nested().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    nested()
  }

  private func nested() -> KeyEncoder {
    let path = node.isTooDeep ? codingPath : codingPath + [KeyPosition(intValue: count)]
    return KeyEncoder(node: node.appendElement(), codingPath: path, level: level)
  }
}

private struct KeyValueContainer: SingleValueEncodingContainer {
  let node: KeyTextNode
  let codingPath: [any CodingKey]
  let level: Int

  mutating func encodeNil() {
    node.set("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try node.encode(value, codingPath: codingPath, level: level)
  }
}

/// A type that writes its own canonical text, because its `encode(to:)` follows the order of a hash table, or
/// differs for equal values.
protocol CanonicallyEncodable {
  /// Returns the canonical text of the value.
  func canonicalText(at position: KeyText.Position) throws -> String
}

/// Why a key has no canonical text, so that its entry cannot be persisted.
///
/// Such a key is cached like any other.
public struct KeyEncodingError: Error, Hashable, Sendable {
  /// The defect of the type or its value.
  public enum Reason: Hashable, Sendable {
    /// The type is neither `Encodable` nor represented by an encodable raw value.
    case notEncodable

    /// The type is private or local to a function, so its name differs between builds.
    case unstableTypeName

    /// The part nests deeper than this many levels.
    case tooDeep(limit: Int)

    /// The value's own `encode(to:)` threw; the text describes the error.
    case failed(String)
  }

  /// The position of the part in the key, from 0; `nil` if the value type is at fault.
  public var part: Int?

  /// The name of the type at fault.
  public var typeName: String

  /// The defect.
  public var reason: Reason

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - part: The position of the part, from 0; `nil` for the value type.
  ///   - typeName: The name of the type at fault.
  ///   - reason: The defect.
  public init(part: Int?, typeName: String, reason: Reason) {
    self.part = part
    self.typeName = typeName
    self.reason = reason
  }
}

extension KeyEncodingError: CustomStringConvertible {
  /// A sentence that names the part and says what to do.
  @_documentation(visibility: internal)
  public var description: String {
    let position = part.map { "part \($0) of the key" } ?? "the value type of the key"
    return switch reason {
    case .notEncodable:
      "\(position) is of type \(typeName), which is not Encodable: the key cannot be persisted"
    case .unstableTypeName:
      "\(position) is of type \(typeName), which is private or local, so that its name changes "
        + "between builds: declare it at least internal and outside functions to persist the key"
    case .tooDeep(let limit):
      "\(position) is of type \(typeName) and nests deeper than \(limit) levels: "
        + "the key cannot be persisted"
    case .failed(let text):
      "\(position) is of type \(typeName), which could not be encoded: \(text)"
    }
  }
}
