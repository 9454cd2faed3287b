internal import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes values and inputs to bytes and decodes them again.
///
/// ```swift
/// let propertyList = ArchiveCoding {
///   try PropertyListEncoder().encode($0)
/// } decode: {
///   try PropertyListDecoder().decode($0, from: $1)
/// }
/// let export = client.export(coding: propertyList)
/// ```
public struct ArchiveCoding: Sendable {
  private let encodeValue: @Sendable (any Encodable) throws -> Data
  private let decodeValue: @Sendable (any Decodable.Type, Data) throws -> any Decodable

  /// Creates a coding.
  ///
  /// - Parameters:
  ///   - encode: Encodes a value. Errors that it throws are in the export's report.
  ///   - decode: Decodes a value of the type. Errors that it throws are in the import's report.
  public init(
    encode: @escaping @Sendable (any Encodable) throws -> Data,
    decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
  ) {
    encodeValue = encode
    decodeValue = decode
  }

  /// JSON with sorted fields; floating-point values that are not numbers are written as words.
  ///
  /// A value is omitted if its JSON is nested more than 128 levels deep, because reading it could take more
  /// stack than a thread has. The levels are counted in the encoded value, so its `encode(to:)` must be
  /// able to finish.
  public static let json = ArchiveCoding {
    try shallow(ValueJSON.encoder.encode($0))
  } decode: {
    try ValueJSON.decoder.decode($0, from: shallow($1))
  }

  private static func shallow(_ data: Data) throws(CacheArchiveError) -> Data {
    if let error = CacheArchiveError(readingJSON: data, limit: KeyNesting.value) { throw error }
    return data
  }

  func encode(_ value: any Encodable) throws -> Data { try encodeValue(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let value = try decodeValue(type, data)
    guard let typed = value as? Value else { throw Self.mismatch(type, value) }
    return typed
  }

  /// Returns the error for a coding that decoded a value of another type than the requested one.
  static func mismatch(_ type: any Any.Type, _ value: Any) -> DecodingError {
    let made = Swift.type(of: value)
    return .typeMismatch(
      type,
      DecodingError.Context(codingPath: [], debugDescription: "the coding made a \(made)")
    )
  }
}
