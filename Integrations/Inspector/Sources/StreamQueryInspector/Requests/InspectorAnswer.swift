internal import Foundation

/// An HTTP answer with a complete body, unlike the stream of events.
struct InspectorAnswer: Equatable, Sendable {
  var status = 200
  var headers: [String: String] = [:]
  var body = Data()

  /// The headers of every answer.
  ///
  /// They let the page run its own files only, and talk to this server only. A browser may not store answers,
  /// because they have data of an app. No other site may learn the link, because the link has the token.
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

  /// Creates an answer with a content type.
  init(status: Int = 200, type: String, body: Data, headers: [String: String] = [:]) {
    self.status = status
    self.body = body
    self.headers = Self.safety.merging(headers) { $1 }
    self.headers["Content-Type"] = type
  }

  /// Returns an answer with a JSON body.
  static func json(_ body: Data, status: Int = 200) -> Self {
    Self(status: status, type: "application/json; charset=utf-8", body: body)
  }

  /// A refusal, as `{"error": "sentence"}`.
  static func refusal(_ refusal: RequestRefusal) -> Self {
    var answer = error(refusal.text, status: refusal.status)
    if case .method(let allowed) = refusal { answer.headers["Allow"] = allowed }
    // The connection is closed, because the server does not read the rest of the body, and would take it for
    // the next request.
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
    // Encoding texts as JSON cannot fail.
    (try? InspectorJSON.encoder.encode(fields)) ?? Data("{}".utf8)
  }
}

/// The JSON format of the inspector: one line, sorted members, and words for infinite numbers and NaN.
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
