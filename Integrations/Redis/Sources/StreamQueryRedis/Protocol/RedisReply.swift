/// The answer of a server, copied from the client library's memory.
package enum RedisReply: Hashable, Sendable {
  /// A short text about the result, such as `OK`.
  case status(String)
  /// A refusal, with its text.
  case error(String)
  /// A number.
  case integer(Int64)
  /// Bytes.
  case bytes([UInt8])
  /// Nothing.
  case null
  /// Several replies.
  case array([RedisReply])
  /// A reply of a type that this version does not know.
  case unknown
}

extension RedisReply {
  /// The bytes of a reply that has some.
  package var bytes: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .status(let text): Array(text.utf8)
    case .error, .integer, .null, .array, .unknown: nil
    }
  }

  /// The text of a reply that is one.
  package var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }

  /// The elements of a reply that has several.
  package var elements: [RedisReply]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The number of a reply that is one, or a text of one.
  package var number: UInt64? {
    switch self {
    case .integer(let number): UInt64(exactly: number)
    case .bytes, .status: text.flatMap { UInt64($0) }
    case .error, .null, .array, .unknown: nil
    }
  }
}
