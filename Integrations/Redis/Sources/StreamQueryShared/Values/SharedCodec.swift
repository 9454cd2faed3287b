#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How values become the bytes that a ``SharedStore`` keeps.
public protocol SharedCodec: Sendable {
  /// The name of the form of the bytes: values of another name are never decoded.
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
  ///   - bytes: The bytes, which anybody who reaches the store may have written.
  /// - Returns: The value.
  /// - Throws: Any error; then the entry counts as missing.
  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value
}

/// Values as JSON.
public struct JSONSharedCodec: SharedCodec {
  /// Creates the codec.
  public init() {}

  /// The name of the form.
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
