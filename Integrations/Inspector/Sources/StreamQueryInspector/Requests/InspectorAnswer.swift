internal import Foundation

/// An answer with a body that is there as a whole.
struct InspectorAnswer: Equatable, Sendable {
  var status = 200
  var headers: [String: String] = [:]
  var body = Data()

  /// The headers of every answer.
  ///
  /// Nothing but the page's own files runs in the page, and it talks to this server only. Nothing is stored, since it
  /// is about data of an app. The link has a token, so no other site may learn it.
  static let safety = [
    "Content-Security-Policy": """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]

  /// An answer of a content type.
  init(status: Int = 200, type: String, body: Data, headers: [String: String] = [:]) {
    self.status = status
    self.body = body
    self.headers = Self.safety.merging(headers) { $1 }
    self.headers["Content-Type"] = type
  }

  /// An answer of JSON.
  static func json(_ body: Data, status: Int = 200) -> Self {
    Self(status: status, type: "application/json; charset=utf-8", body: body)
  }

  /// A refusal, as `{"error": "sentence"}`.
  static func refusal(_ refusal: RequestRefusal) -> Self {
    var answer = error(refusal.text, status: refusal.status)
    if case .method(let allowed) = refusal { answer.headers["Allow"] = allowed }
    // The rest of a body that is not read would be taken for the next request.
    if refusal == .bodyTooLarge { answer.headers["Connection"] = "close" }
    return answer
  }

  /// An error, as `{"error": "sentence"}`.
  static func error(_ text: String, status: Int) -> Self {
    json(encoded(["error": text]), status: status)
  }

  /// A success, as `{"done": "sentence"}`.
  static func done(_ text: String) -> Self { json(encoded(["done": text])) }

  private static func encoded(_ fields: [String: String]) -> Data {
    // Texts always have a form in JSON.
    (try? InspectorJSON.encoder.encode(fields)) ?? Data("{}".utf8)
  }
}

/// The JSON of the inspector: on one line, the same for the same values, with words for numbers that JSON does not have.
enum InspectorJSON {
  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return decoder
  }
}
