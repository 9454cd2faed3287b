#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an archive says of errors.
///
/// Only entries with data are archived: what never loaded is loaded anew.
public enum ArchivedErrors: String, Hashable, Codable, Sendable {
  /// Entries whose newest fetch failed are left out.
  case leftOut
  /// That there was an error, but not which: a description may hold what must not leave the app.
  case redacted
  /// The error's description.
  case described
}

/// An archive, and what could not go into it.
public struct ArchiveExport: Sendable {
  /// Why something was left out.
  public enum Reason: Sendable {
    /// Its key has no text that is the same in every process.
    case key(KeyEncodingError)
    /// Its value or input is of a type that is not `Encodable`.
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
