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
  /// The bytes of the reply; `nil` unless it is bytes or a status.
  package var bytes: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .status(let text): Array(text.utf8)
    case .error, .integer, .null, .array, .unknown: nil
    }
  }

  /// The reply as a text; `nil` if it has no bytes, or if they are not UTF-8.
  package var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }

  /// The elements of the reply; `nil` unless it is an array.
  package var elements: [RedisReply]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The reply as a number; `nil` unless it is a natural number or a text of digits.
  package var number: UInt64? {
    switch self {
    case .integer(let number): UInt64(exactly: number)
    case .bytes, .status: text.flatMap { UInt64($0) }
    case .error, .null, .array, .unknown: nil
    }
  }
}
