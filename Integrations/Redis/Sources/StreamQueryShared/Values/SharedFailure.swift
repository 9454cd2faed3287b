/// The fetching machine's report to the waiting machines, if there is no value for them.
enum SharedFailure: Hashable, Sendable {
  /// The error of a fetch, as the waiting machines learn of it.
  struct Report: Hashable, Sendable {
    /// The text of the error.
    var text: String
    /// The code by which all machines know the error; `nil` if the error has no code.
    var code: String?

    init(_ text: String, code: String? = nil) {
      self.text = String(text.prefix(SharedFailure.limit))
      self.code = code.map { String($0.prefix(100)) }
    }
  }

  /// The fetch failed, so the fetches that wait for it fail, too.
  case failed(Report)
  /// The value cannot be stored, so each machine that waits fetches for itself.
  case unshareable

  private static var limit: Int { 1_000 }

  /// Reads the text of an abandoned lease, which any machine may have written.
  init(_ text: String) {
    switch text.first {
    case "=": self = .unshareable
    case "!": self = .failed(Report(String(text.dropFirst())))
    case "#": self = .failed(Self.coded(text) ?? Report(text))
    default: self = .failed(Report(text))
    }
  }

  /// Reads a text that consists of `#`, the length of the code in bytes, `:`, the code, and the error's text.
  private static func coded(_ text: String) -> Report? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let count = Int(text[..<colon].dropFirst()),
      let end = text.utf8.index(text.utf8.index(after: colon), after: count),
      // The code must not end in the middle of a character.
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
