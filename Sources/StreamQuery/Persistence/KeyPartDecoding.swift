/// Makes a part of a key of what stands behind its type's name.
typealias KeyPartDecoding =
  @Sendable (KeyedDecodingContainer<KeyFieldName>, KeyFieldName) throws -> KeyPart

func keyPartDecoding<Part: Decodable & Hashable & Sendable>(of type: Part.Type) -> KeyPartDecoding {
  { KeyPart.make(try $0.decode(type, forKey: $1)) }
}
