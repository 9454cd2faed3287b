internal import Foundation

/// Decodes the data that a user has typed on the page, as the type of an entry's values.
///
/// The member `dataText` of `POST /do` is a text that contains JSON, and not an object, because the page's
/// JavaScript would round large numbers in an object.
enum TypedData {
  private struct Body: Decodable {
    var dataText: String
  }

  /// Reads the data.
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
    guard let text = try? InspectorJSON.decoder.decode(Body.self, from: body).dataText else {
      throw ActionRefusal(400, "The data is missing.")
    }
    return try value(as: type, in: text)
  }

  private static func value<Value: Decodable>(
    as type: Value.Type,
    in text: String
  ) throws(ActionRefusal) -> any Decodable {
    do {
      return try InspectorJSON.decoder.decode(Value.self, from: Data(text.utf8))
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
      let path = context.codingPath.reduce(into: "") { path, key in
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
