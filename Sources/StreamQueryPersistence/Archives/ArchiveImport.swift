public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The outcome of an import.
public struct ArchiveImport: Sendable {
  /// Why something was left out.
  public enum Reason: Sendable {
    /// The import was not told to expect this key or type.
    case unknown
    /// The type is expected, but its key could not be made from text: a part has a type that the
    /// import was not told about, or the text was changed.
    case unreadableKey(any Error)
    /// The import was told to expect this key, but the key has no text to be found by.
    case key(KeyEncodingError)
    /// The value or input could not be decoded.
    case undecodable(any Error)
    /// The cache has data that is as new or newer, or elements of a stream are arriving.
    case notNewer
    /// The key was removed, reset, written with `fencing`, or changed by a mutation after the
    /// archives named it, or the cache was cleared: the data is older than that.
    case superseded
    /// The client has or had this run of the mutation already: whatever its outcome, it does not
    /// run again.
    case known
    /// The mutation has no work, and no default covers its key: it would fail and be lost.
    case missingPerform
    /// The client was shut down.
    case shutDown
  }

  /// An entry or a run that was left out.
  public struct Skipped: Sendable {
    /// The type and key as text.
    public var key: String
    /// Whether it is a run of a mutation.
    public var isMutation: Bool
    /// Why it was left out.
    public var reason: Reason
    /// Identifies the run of a mutation, see ``/StreamQuery/MutationContext/idempotencyKey``; `nil`
    /// for an entry.
    public var idempotencyKey: UUID?
  }

  /// The number of entries that were filled.
  public var entryCount: Int
  /// The number of runs of mutations that continue.
  public var mutationCount: Int
  /// What was left out.
  public var skipped: [Skipped]
}
