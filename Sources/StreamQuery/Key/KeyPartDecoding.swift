/// Decodes a part of a key from what follows its type's name.
package struct KeyPartDecoding: Sendable {
  let decode: @Sendable (KeyedDecodingContainer<KeyFieldName>, KeyFieldName) throws -> KeyPart

  package init<Part: Decodable & Hashable & Sendable>(of type: Part.Type) {
    decode = { KeyPart.make(try $0.decode(type, forKey: $1)) }
  }
}
