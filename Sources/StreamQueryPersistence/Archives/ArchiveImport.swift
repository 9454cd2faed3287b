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
    /// The import expects this key, but the key has no text.
    case key(KeyEncodingError)
    /// The value or input could not be decoded.
    case undecodable(any Error)
    /// The cache has data that is as new or newer, or elements of a stream are arriving.
    case notNewer
    /// The key was removed, reset, written with `fencing`, or changed by a mutation after the
    /// archives named it, or the cache was cleared, so the data is older than that.
    case superseded
    /// The client has or had this run of the mutation, which does not run again after any outcome.
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
    /// Whether it is a run of a mutation.
    public var isMutation: Bool
    /// The reason.
    public var reason: Reason
    /// The identity of the run of a mutation, see ``/StreamQuery/MutationContext/idempotencyKey``;
    /// `nil` for an entry.
    public var idempotencyKey: UUID?
  }

  /// The number of entries that were filled.
  public var entryCount: Int
  /// The number of runs of mutations that continue.
  public var mutationCount: Int
  /// The entries and runs that were omitted.
  public var skipped: [Skipped]
}
