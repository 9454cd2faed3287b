public import StreamQuery

/// An archive, and a report of the omitted entries and runs.
public struct ArchiveExport: Sendable {
  /// The reason why an entry or a run was omitted.
  public enum Reason: Sendable {
    /// The key has no text that is the same in every process.
    case key(KeyEncodingError)
    /// The value or input has a type that is not `Encodable`.
    case notEncodable(typeName: String)
    /// The value or input could not be encoded.
    case failed(any Error)
  }

  /// An entry or a run that was omitted.
  public struct Skipped: Sendable {
    /// The key of the query or mutation.
    public var key: AnyQueryKey
    /// Whether a run of a mutation was omitted; otherwise it was an entry.
    public var isMutation: Bool
    /// The reason.
    public var reason: Reason
  }

  /// The archive.
  public var archive: CacheArchive
  /// The entries and runs that were omitted.
  public var skipped: [Skipped]
}
