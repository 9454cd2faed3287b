/// The policy for errors in an archive.
///
/// Only entries with data are archived: an entry without data is fetched after the import.
public enum ArchiveErrorPolicy: String, Hashable, Codable, Sendable {
  /// Omits entries whose newest fetch failed.
  case leftOut
  /// Keeps the fact that there was an error, but not its description, which may contain private
  /// data.
  case redacted
  /// Keeps the error's description.
  case described
}
