/// What the leader of a fetch tells its followers when it has no value for them.
enum SharedFailure: Hashable, Sendable {
  /// It failed: so do the followers.
  case failed(String)
  /// It has a value that cannot be stored: each fetches its own.
  case unshareable

  private static var limit: Int { 1_000 }

  /// Reads the text of an abandoned lease, of which anybody may have written any.
  init(_ text: String) {
    switch text.first {
    case "=": self = .unshareable
    case "!": self = .failed(String(text.dropFirst().prefix(Self.limit)))
    default: self = .failed(String(text.prefix(Self.limit)))
    }
  }

  /// The text for the store.
  var text: String {
    switch self {
    case .failed(let text): "!" + text.prefix(Self.limit)
    case .unshareable: "="
    }
  }
}
