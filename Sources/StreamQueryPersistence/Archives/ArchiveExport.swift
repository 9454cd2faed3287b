public import StreamQuery

/// An archive, and a report of the omitted entries and runs.
public struct ArchiveExport: Sendable {
  /// The reason why an entry or a run was omitted.
  public enum Reason: Sendable {
    /// Its key has no text that is the same in every process.
    case key(KeyEncodingError)
    /// Its value or input has a type that is not `Encodable`.
    case notEncodable(typeName: String)
    /// Its value or input could not be encoded.
    case failed(any Error)
  }

  /// An entry or a run that was omitted.
  public struct Skipped: Sendable {
    /// The key of the query or mutation.
    public var key: AnyQueryKey
    /// Whether it is a run of a mutation.
    public var isMutation: Bool
    /// The reason.
    public var reason: Reason
  }

  /// The archive.
  public var archive: CacheArchive
  /// The entries and runs that were omitted.
  public var skipped: [Skipped]
}
