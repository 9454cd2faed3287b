#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The JSON of values and keys, with sorted fields, and words for numbers that JSON does not have.
package enum ValueJSON {
  package static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return encoder
  }

  package static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return decoder
  }

  /// Returns the text of a value; `nil` if it cannot be encoded, or nests more deeply than a reader
  /// can take.
  static func text(of value: some Encodable) -> String? {
    guard let data = try? encoder.encode(value),
      data.withUnsafeBytes({ JSONNesting.fault(in: $0, limit: KeyNesting.value) }) == nil
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
