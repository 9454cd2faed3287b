extension KeyTextNode {
  /// Writes a value into the node.
  func encode(_ value: any Encodable, codingPath: [any CodingKey], level: Int) throws {
    // A value may nest as deeply as its data; the stack must not.
    guard level < KeyNesting.encoded, !isTooDeep else {
      // Somebody may catch the error; the text must then not be that of another value.
      becomeTooDeep()
      throw KeyText.TooDeep()
    }
    // Only these few are handled here; everything else goes through the type's own conformance.
    if let text = KeyTextNode.primitive(value) {
      set(text)
    } else if let value = value as? any CanonicallyEncodable {
      let place = KeyText.Place(codingPath: codingPath, depth: depth, level: level + 1)
      set(try value.canonicalText(at: place))
    } else {
      try value.encode(to: KeyEncoder(node: self, codingPath: codingPath, level: level + 1))
    }
  }

  /// Returns the text of a value.
  static func text(of value: any Encodable, at place: KeyText.Place) throws -> String {
    let node = KeyTextNode(depth: place.depth)
    try node.encode(value, codingPath: place.codingPath, level: place.level)
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

/// The position of an element, or the place of the parent's encoder.
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
    // Output that goes nowhere needs no longer path either.
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
    node.append().set("null")
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    let path = codingPath + [KeyPosition(intValue: count)]
    try node.append().encode(value, codingPath: path, level: level)
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
    return KeyEncoder(node: node.append(), codingPath: path, level: level)
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
