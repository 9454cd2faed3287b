public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The outcome of an import.
public struct ArchiveImport: Sendable {
  /// The reason why an entry or a run was omitted.
  public enum Reason: Sendable {
    /// The import does not expect this key or type.
    case unknown
    /// The type is expected, but its key could not be made from text: a part has a type that the
    /// import does not expect, or the text was changed.
    case unreadableKey(any Error)
    /// The import expects this key, but the key cannot be written as text.
    case key(KeyEncodingError)
    /// The value or input could not be decoded.
    case undecodable(any Error)
    /// The cache has data that is as new or newer, or elements of a stream are arriving.
    case notNewer
    /// The data is older than a change in the cache. After the archives named the key, its entry was removed,
    /// reset, written with `fencing`, or changed by a mutation, or the cache was cleared.
    case superseded
    /// The client has, or had, this run of the mutation. A run is never repeated, however it ended.
    case known
    /// The mutation has no work, and no default covers its key: the run would fail and be lost.
    case missingPerform
    /// The client was shut down.
    case shutDown
  }

  /// An entry or a run that was omitted.
  public struct Skipped: Sendable {
    /// The type and key as text.
    public var key: String
    /// Whether a run of a mutation was omitted; otherwise it was an entry.
    public var isMutation: Bool
    /// The reason.
    public var reason: Reason
    /// The identity of the run of a mutation, see ``/StreamQuery/MutationContext/idempotencyKey``;
    /// `nil` for an entry.
    public var idempotencyKey: UUID?
  }

  /// The number of entries that got data from the archive.
  public var entryCount: Int
  /// The number of paused runs of mutations that the client took over from the archive.
  public var mutationCount: Int
  /// The entries and runs that were omitted.
  public var skipped: [Skipped]
}
