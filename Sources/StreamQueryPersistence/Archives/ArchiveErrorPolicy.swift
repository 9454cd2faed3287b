/// What an archive says of errors.
///
/// Only entries with data are archived: data that was never fetched is fetched after the import.
public enum ArchiveErrorPolicy: String, Hashable, Codable, Sendable {
  /// Entries whose newest fetch failed are left out.
  case leftOut
  /// Says that there was an error, but not which: its description may contain private data.
  case redacted
  /// Says the error's description.
  case described
}
