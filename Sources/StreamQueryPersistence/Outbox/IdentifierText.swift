#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Finds and replaces strings in JSON, without knowledge of the encoded types.
///
/// Data that is not JSON is not changed.
enum IdentifierText {
  /// Calls a closure with the range of each string in the JSON, including its quotation marks.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  private static func forEach(_ json: Data, _ body: (Range<Data.Index>) -> Void) {
    let quote = UInt8(ascii: "\"")
    let backslash = UInt8(ascii: "\\")
    var start: Data.Index?
    var isEscaped = false
    json.withUnsafeBytes { bytes in
      for (place, byte) in bytes.enumerated() {
        if isEscaped {
          isEscaped = false
        } else if byte == backslash {
          isEscaped = start != nil
        } else if byte == quote {
          let index = json.startIndex + place
          if let first = start {
            body(first..<(index + 1))
            start = nil
          } else {
            start = index
          }
        }
      }
    }
  }

  private static func text(_ json: Data, _ range: Range<Data.Index>) -> String? {
    let inner = json[(range.lowerBound + 1)..<(range.upperBound - 1)]
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    return try? JSONDecoder().decode(String.self, from: json[range])
  }

  /// Returns the strings in a JSON value, including the names of its fields.
  static func texts(in json: Data) -> Set<String> {
    var texts: Set<String> = []
    forEach(json) { range in
      if let text = text(json, range) { texts.insert(text) }
    }
    return texts
  }

  /// Replaces strings in a JSON value that are equal to one of several identifiers.
  ///
  /// - Parameters:
  ///   - ids: The replacement of each identifier.
  ///   - json: The JSON value.
  /// - Returns: The new value; `nil` if no string was replaced.
  static func replacing(_ ids: [String: String], in json: Data) -> Data? {
    var result = Data()
    var end = json.startIndex
    var isChanged = false
    forEach(json) { range in
      guard let text = text(json, range), let id = ids[text], id != text,
        let encoded = try? JSONEncoder().encode(id)
      else { return }
      result.append(json[end..<range.lowerBound])
      result.append(encoded)
      end = range.upperBound
      isChanged = true
    }
    guard isChanged else { return nil }
    result.append(json[end...])
    return result
  }
}
