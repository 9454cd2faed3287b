/// Why a key has no canonical text, so that its entry cannot be persisted.
///
/// Such a key is cached like any other.
public struct KeyEncodingError: Error, Hashable, Sendable {
  /// What is wrong with the type or its value.
  public enum Reason: Hashable, Sendable {
    /// The type is neither `Encodable` nor represented by an encodable raw value.
    case notEncodable

    /// The type is private or local to a function, so its name differs between builds.
    case unstableTypeName

    /// The part nests deeper than this many levels.
    case tooDeep(limit: Int)

    /// The value's own `encode(to:)` threw; the text describes its error.
    case failed(String)
  }

  /// The position of the part in the key, from 0; `nil` if the value type is at fault.
  public var part: Int?

  /// The name of the type at fault.
  public var typeName: String

  /// What is wrong with it.
  public var reason: Reason

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - part: The position of the part, from 0; `nil` for the value type.
  ///   - typeName: The name of the type at fault.
  ///   - reason: What is wrong with it.
  public init(part: Int?, typeName: String, reason: Reason) {
    self.part = part
    self.typeName = typeName
    self.reason = reason
  }
}

extension KeyEncodingError: CustomStringConvertible {
  /// A sentence that names the part and says what to do.
  public var description: String {
    let place = part.map { "part \($0) of the key" } ?? "the value type of the key"
    return switch reason {
    case .notEncodable:
      "\(place) is of type \(typeName), which is not Encodable: the key cannot be persisted"
    case .unstableTypeName:
      "\(place) is of type \(typeName), which is private or local, so that its name changes "
        + "between builds: declare it at least internal and outside functions to persist the key"
    case .tooDeep(let limit):
      "\(place) is of type \(typeName) and nests deeper than \(limit) levels: "
        + "the key cannot be persisted"
    case .failed(let text):
      "\(place) is of type \(typeName), which could not be encoded: \(text)"
    }
  }
}
