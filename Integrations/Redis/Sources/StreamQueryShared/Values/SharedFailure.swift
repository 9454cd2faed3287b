/// What the leader of a fetch tells its followers when it has no value for them.
enum SharedFailure: Hashable, Sendable {
  /// How it failed.
  struct Report: Hashable, Sendable {
    /// What an error says of itself.
    var text: String
    /// What all machines call it; `nil` if it has no such name.
    var code: String?

    init(_ text: String, code: String? = nil) {
      self.text = String(text.prefix(SharedFailure.limit))
      self.code = code.map { String($0.prefix(100)) }
    }
  }

  /// It failed: so do the followers.
  case failed(Report)
  /// It has a value that cannot be stored: each fetches its own.
  case unshareable

  private static var limit: Int { 1_000 }

  /// Reads the text of an abandoned lease, of which anybody may have written any.
  init(_ text: String) {
    switch text.first {
    case "=": self = .unshareable
    case "!": self = .failed(Report(String(text.dropFirst())))
    case "#": self = .failed(Self.coded(text) ?? Report(text))
    default: self = .failed(Report(text))
    }
  }

  /// Reads `#`, the length of the code in bytes, `:`, the code and the text.
  private static func coded(_ text: String) -> Report? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let count = Int(text[..<colon].dropFirst()),
      let end = text.utf8.index(text.utf8.index(after: colon), after: count),
      // Not in the middle of a character.
      let code = String(text.utf8[text.utf8.index(after: colon)..<end]),
      let rest = String(text.utf8[end...])
    else { return nil }
    return Report(rest, code: code)
  }

  /// The text for the store.
  var text: String {
    switch self {
    case .failed(let report):
      if let code = report.code {
        "#\(code.utf8.count):\(code)\(report.text)"
      } else {
        "!\(report.text)"
      }
    case .unshareable: "="
    }
  }
}
