/// What an archive says of errors.
///
/// Only entries with data are archived: what never loaded is loaded anew.
public enum ArchivedErrors: String, Hashable, Codable, Sendable {
  /// Entries whose newest fetch failed are left out.
  case leftOut
  /// That there was an error, but not which: a description may hold what must not leave the app.
  case redacted
  /// The error's description.
  case described
}
