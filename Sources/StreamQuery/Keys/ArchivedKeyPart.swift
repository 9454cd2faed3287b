/// A part of a key, parsed from the key's text.
struct ArchivedKeyPart: Decodable {
  var part: KeyPart

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      part = .null
    } else if let string = try? value.decode(String.self) {
      part = .string(string)
    } else if let integer = try? value.decode(Int.self) {
      part = .int(integer)
    } else if let flag = try? value.decode(Bool.self) {
      part = .bool(flag)
    } else if let object = try? decoder.container(keyedBy: KeyFieldName.self) {
      part = try Self.part(of: object, decoder)
    } else {
      part = .list(of: try value.decode([ArchivedKeyPart].self).map(\.part))
    }
  }

  /// Decodes a record, or a value that is tagged with the name of its type.
  private static func part(
    of object: KeyedDecodingContainer<KeyFieldName>,
    _ decoder: any Decoder
  ) throws -> KeyPart {
    let names = object.allKeys
    if names.count == 1, let tag = names[0].tag { return try part(tag, names[0], object, decoder) }
    let fields = try names.map { name in
      // In the text, a field name that begins with `$` has a second `$`.
      guard name.tag == nil else {
        throw KeyVocabulary.failure(object.codingPath, "\(name.stringValue) is no field")
      }
      let plain =
        name.stringValue.hasPrefix("$") ? String(name.stringValue.dropFirst()) : name.stringValue
      return KeyField(name: plain, part: try object.decode(Self.self, forKey: name).part)
    }
    return .record(of: fields.sorted { $0.name < $1.name })
  }

  private static func part(
    _ tag: Substring,
    _ name: KeyFieldName,
    _ object: KeyedDecodingContainer<KeyFieldName>,
    _ decoder: any Decoder
  ) throws -> KeyPart {
    let vocabulary = KeyVocabulary.userInfoKey.flatMap { decoder.userInfo[$0] } as? KeyVocabulary
    switch tag {
    case "Swift.Double": return .real(try real(Double.self, name, object))
    case "Swift.Float": return .real(try real(Float.self, name, object))
    case "type":
      let type = try object.decode(String.self, forKey: name)
      if let type = vocabulary?.types[type] { return .type(type) }
      throw KeyVocabulary.failure(object.codingPath, "\(type) is not a type to expect")
    default:
      if let part = try vocabulary?.decodings[String(tag)]?.decode(object, name) { return part }
      throw KeyVocabulary.failure(object.codingPath, "\(tag) is not a type to expect")
    }
  }

  /// Decodes a number, or the word tagged `$real` for a number that JSON does not have, such as NaN.
  private static func real<Number: BinaryFloatingPoint & Decodable & LosslessStringConvertible>(
    _ type: Number.Type,
    _ name: KeyFieldName,
    _ object: KeyedDecodingContainer<KeyFieldName>
  ) throws -> Number {
    if let number = try? object.decode(type, forKey: name) { return number }
    let words = try object.nestedContainer(keyedBy: KeyFieldName.self, forKey: name)
    let word = try words.decode(String.self, forKey: KeyFieldName(stringValue: "$real"))
    guard let number = Number(word) else {
      throw KeyVocabulary.failure(object.codingPath, "\(word) is no number")
    }
    return number
  }
}

extension KeyFieldName {
  /// The name after a single `$`, of a type or a word; `nil` for the name of a field.
  fileprivate var tag: Substring? {
    guard stringValue.hasPrefix("$"), !stringValue.hasPrefix("$$") else { return nil }
    return stringValue.dropFirst()
  }
}

/// The name of a field in the text of a key.
struct KeyFieldName: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) { nil }
}

/// Decodes a part of a key from the value that is tagged with the name of the part's type.
package struct KeyPartDecoding: Sendable {
  let decode: @Sendable (KeyedDecodingContainer<KeyFieldName>, KeyFieldName) throws -> KeyPart

  package init<Part: Decodable & Hashable & Sendable>(of type: Part.Type) {
    decode = { KeyPart.make(try $0.decode(type, forKey: $1)) }
  }
}
