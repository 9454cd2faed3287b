#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encodes values as the bytes that a ``SharedStore`` keeps, and decodes them.
public protocol SharedCodec: Sendable {
  /// The name of the encoding; bytes with another name are not decoded.
  var name: String { get }

  /// Encodes a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The bytes.
  /// - Throws: Any error; then the value is not shared.
  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - bytes: The bytes, which any machine with access to the store may have written.
  /// - Returns: The value.
  /// - Throws: Any error; then the entry counts as missing.
  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value
}

/// Encodes values as JSON.
public struct JSONSharedCodec: SharedCodec {
  /// Creates the codec.
  public init() {}

  /// The name of the encoding.
  public var name: String { "json" }

  /// Encodes a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The bytes.
  /// - Throws: The encoder's error.
  public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    Array(try JSONEncoder().encode(value))
  }

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - bytes: The bytes.
  /// - Returns: The value.
  /// - Throws: The decoder's error.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
