/// The policy of an export for entries whose newest fetch failed.
///
/// Only entries with data are archived: an entry without data is fetched after the import.
public enum ArchiveErrorPolicy: String, Hashable, Codable, Sendable {
  /// Omits an entry if its newest fetch failed.
  case leftOut
  /// Keeps the fact that the fetch failed, but not the error's description, which may contain private data.
  case redacted
  /// Keeps the description of the error, which may contain private data.
  case described
}
