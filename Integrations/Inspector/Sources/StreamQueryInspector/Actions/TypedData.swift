internal import Foundation

/// The value in the body of `POST /do`, read as the type that an entry has.
enum TypedData {
  private struct Body<Value: Decodable>: Decodable {
    var data: Value
  }

  /// Reads the value.
  ///
  /// - Parameters:
  ///   - type: The type of the entry's values.
  ///   - body: The body of the request.
  /// - Returns: The value.
  /// - Throws: A refusal that says what is wrong, and where.
  static func value(
    of type: any Decodable.Type,
    in body: Data
  ) throws(ActionRefusal) -> any Decodable {
    try value(as: type, in: body)
  }

  private static func value<Value: Decodable>(
    as type: Value.Type,
    in body: Data
  ) throws(ActionRefusal) -> any Decodable {
    do {
      return try InspectorJSON.decoder.decode(Body<Value>.self, from: body).data
    } catch let error as DecodingError {
      throw ActionRefusal(422, "The data is no \(Value.self): \(error.place)")
    } catch {
      throw ActionRefusal(422, "The data is no \(Value.self): \(error)")
    }
  }
}

extension DecodingError {
  /// A sentence about the place and the kind of the error.
  fileprivate var place: String {
    func at(_ context: Context, _ text: String) -> String {
      // The first is the member of the body that has the value.
      let path = context.codingPath.dropFirst().reduce(into: "") { path, key in
        if let index = key.intValue {
          path += "[\(index)]"
        } else {
          path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
        }
      }
      return "\(path.isEmpty ? "it" : path) \(text)"
    }
    return switch self {
    case .typeMismatch(let type, let context): at(context, "is no \(type).")
    case .valueNotFound(let type, let context): at(context, "has no value, and needs a \(type).")
    case .keyNotFound(let key, let context): at(context, "has no \(key.stringValue).")
    case .dataCorrupted(let context): at(context, "cannot be read: \(context.debugDescription)")
    @unknown default: "\(self)"
    }
  }
}
