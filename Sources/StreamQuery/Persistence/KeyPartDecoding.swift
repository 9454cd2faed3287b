/// Decodes a part of a key from what follows its type's name.
typealias KeyPartDecoding =
  @Sendable (KeyedDecodingContainer<KeyFieldName>, KeyFieldName) throws -> KeyPart

func keyPartDecoding<Part: Decodable & Hashable & Sendable>(of type: Part.Type) -> KeyPartDecoding {
  { KeyPart.make(try $0.decode(type, forKey: $1)) }
}
