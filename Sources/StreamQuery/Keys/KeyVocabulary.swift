#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The types that may occur in parts of archived keys, by name.
package struct KeyVocabulary: Sendable {
  var decodings: [String: KeyPartDecoding] = [:]
  /// Types that may themselves be parts.
  var types: [String: any Any.Type] = [:]

  /// Creates a vocabulary of the types that every archive may use.
  package init() {
    register(UUID.self)
    register(Date.self)
    register(URL.self)
    register(Int8.self)
    register(Int16.self)
    register(Int32.self)
    register(Int64.self)
    register(UInt.self)
    register(UInt8.self)
    register(UInt16.self)
    register(UInt32.self)
    register(UInt64.self)
  }

  /// Allows a type as a part of keys, and with a `decoding` the values of that type, too.
  package mutating func expect(_ type: any Any.Type, _ decoding: KeyPartDecoding? = nil) {
    types[stableName(of: type)] = type
    if let decoding { decodings[stableName(of: type)] = decoding }
  }

  private mutating func register<Part: Decodable & Hashable & Sendable>(_ type: Part.Type) {
    decodings[stableName(of: type)] = KeyPartDecoding(of: type)
  }

  /// Makes a key from its text, see ``AnyQueryKey/canonicalText()``.
  ///
  /// - Parameter text: The text.
  /// - Returns: A key with exactly this text.
  /// - Throws: `DecodingError` if `text` is not the text of a key, or if one of its types is not known.
  package func key(_ text: Substring) throws -> AnyQueryKey {
    let data = Data(text.utf8)
    switch data.withUnsafeBytes({ JSONNesting.fault(in: $0, limit: KeyNesting.read) }) {
    case nil: break
    case .notUTF8: throw KeyVocabulary.failure([], "the key has a character that no text has")
    case .tooDeep:
      throw KeyVocabulary.failure([], "the key nests deeper than \(KeyNesting.text) levels")
    }
    let decoder = ValueJSON.decoder
    // Keys write `Data` as it encodes itself, as a list of bytes.
    decoder.dataDecodingStrategy = .deferredToData
    if let name = Self.userInfoKey { decoder.userInfo[name] = self }
    let parts = try decoder.decode([ArchivedKeyPart].self, from: data)
    let key = AnyQueryKey(parts: parts.map(\.part))
    // A type that does not decode what it encoded would make a different key.
    guard try key.canonicalText() == text else {
      throw KeyVocabulary.failure([], "a part does not decode what it encoded")
    }
    return key
  }

  static let userInfoKey = CodingUserInfoKey(rawValue: "StreamQuery.KeyVocabulary")

  static func failure(_ path: [any CodingKey], _ text: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: text))
  }
}
