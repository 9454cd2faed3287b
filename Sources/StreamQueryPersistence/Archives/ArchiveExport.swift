public import StreamQuery

/// An archive, and a report of what it does not contain.
public struct ArchiveExport: Sendable {
  /// Why something was left out.
  public enum Reason: Sendable {
    /// Its key has no text that is the same in every process.
    case key(KeyEncodingError)
    /// Its value or input has a type that is not `Encodable`.
    case notEncodable(typeName: String)
    /// Its value or input could not be encoded.
    case failed(any Error)
  }

  /// An entry or a run that was left out.
  public struct Skipped: Sendable {
    /// The key of the query or mutation.
    public var key: AnyQueryKey
    /// Whether it is a run of a mutation.
    public var isMutation: Bool
    /// Why it was left out.
    public var reason: Reason
  }

  /// The archive.
  public var archive: CacheArchive
  /// What could not be encoded.
  public var skipped: [Skipped]
}
