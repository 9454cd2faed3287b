#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What became of the content of an archive.
public struct ArchiveImport: Sendable {
  /// Why something was left out.
  public enum Reason: Sendable {
    /// The import was not told to expect this key or type.
    case unknown
    /// The type is expected, but its key could not be made from text: a part is of a type that the
    /// import was not told of, or the text was changed.
    case unreadableKey(any Error)
    /// The import was told to expect this key, which has no text to be found by.
    case key(KeyEncodingError)
    /// The value or input could not be decoded.
    case undecodable(any Error)
    /// The cache has data that is as new or newer.
    case notNewer
    /// The client has this run of the mutation already, or had it: whatever became of it, it does not
    /// run again.
    case known
    /// The mutation has no work, and no default covers its key: it would fail, and be lost.
    case missingPerform
    /// The client was shut down.
    case shutDown
  }

  /// An entry or a run that was left out.
  public struct Skipped: Sendable {
    /// Type and key as text.
    public var key: String
    /// Whether it is a run of a mutation.
    public var isMutation: Bool
    /// Why it was left out.
    public var reason: Reason
    /// Which run of a mutation, see ``MutationContext/idempotencyKey``; `nil` for all else.
    public var idempotencyKey: UUID?
  }

  /// How many entries were filled.
  public var entryCount: Int
  /// How many runs of mutations go on.
  public var mutationCount: Int
  /// What was left out.
  public var skipped: [Skipped]
}
