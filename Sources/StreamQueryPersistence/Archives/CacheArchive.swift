#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The content of a cache at one time, in a form that survives the process.
///
/// ```swift
/// try client.export().archive.encoded().write(to: url)
///
/// let archive = try CacheArchive(decoding: Data(contentsOf: url))
/// client.import(archive, for: [.values(of: User.self), .query(.users)])
/// ```
///
/// ``encoded()`` puts a line before the JSON with name, version, length and checksum. So the decoder detects
/// an archive that was cut off, changed or made by a later version before it uses any of it. The `Codable`
/// form also contains name and version, for archives that are part of another document.
public struct CacheArchive: Hashable, Sendable {
  /// The version that this library writes, and the newest one that it reads.
  public static let version = 1

  /// One entry of the cache.
  public struct Entry: Hashable, Codable, Sendable {
    /// The value type and the key, as ``/StreamQuery/QueryKey/canonicalText()`` writes them: the
    /// same in every process.
    public var key: String
    /// The encoded value.
    public var value: Data
    /// The date when the value was up to date.
    public var updatedAt: Date
    /// Whether the entry has been invalidated since.
    public var isInvalidated: Bool
    /// The error of the newest fetch; `nil` if it succeeded, or if errors are omitted.
    public var error: ArchivedError?
    /// Whether the value is an incomplete value of a stream; `nil` means no, and takes no bytes.
    var isPart: Bool?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - key: The value type and the key as text.
    ///   - value: The encoded value.
    ///   - updatedAt: The date when the value was up to date.
    ///   - isInvalidated: Whether the entry has been invalidated since.
    ///   - error: The error of the newest fetch.
    public init(
      key: String,
      value: Data,
      updatedAt: Date,
      isInvalidated: Bool = false,
      error: ArchivedError? = nil
    ) {
      self.key = key
      self.value = value
      self.updatedAt = updatedAt
      self.isInvalidated = isInvalidated
      self.error = error
    }
  }

  /// A paused run of a mutation.
  public struct PausedMutation: Hashable, Codable, Sendable {
    /// The mutation's types and key as text; the same in every process.
    public var key: String
    /// The encoded input; empty if the mutation takes none.
    public var input: Data
    /// The date when the run was started.
    public var submittedAt: Date
    /// The scope of the run.
    public var scope: String?
    /// The identity of the run, see ``/StreamQuery/MutationContext/idempotencyKey``.
    ///
    /// `nil` in archives of early releases. Such a run gets a key that is derived from the archive's facts
    /// about it, and so is the same at every import.
    public var idempotencyKey: UUID?
    /// The run's first identity and the number of its input changes, which together make ``idempotencyKey``;
    /// `nil` for an unchanged input.
    var changed: ChangedRun?

    /// Creates a paused run.
    ///
    /// - Parameters:
    ///   - key: The mutation's types and key as text.
    ///   - input: The encoded input.
    ///   - submittedAt: The date when the run was started.
    ///   - scope: The scope of the run.
    ///   - idempotencyKey: The identity of the run.
    public init(
      key: String,
      input: Data,
      submittedAt: Date,
      scope: String? = nil,
      idempotencyKey: UUID? = nil
    ) {
      self.key = key
      self.input = input
      self.submittedAt = submittedAt
      self.scope = scope
      self.idempotencyKey = idempotencyKey
    }
  }

  /// The identity of a run before its input was changed, and the number of changes.
  struct ChangedRun: Hashable, Codable, Sendable {
    var id: UUID
    var revision: UInt64
  }

  /// The entries.
  public var entries: [Entry]

  /// The paused runs, in the order in which they were started.
  public var mutations: [PausedMutation]

  /// The keys that a later archive brings: they had no data when this one was made, and were being fetched.
  ///
  /// Each text is a value type and a key, see ``/StreamQuery/QueryKey/canonicalText()``. A receiver of the
  /// archive can read the parts of the keys, such as identifiers, even if their data never follows. Omit keys
  /// that not every receiver may see, with a filter of the export.
  ///
  /// Only the archives of ``StreamQuery/QueryClient/exportStream(_:mutations:errors:coding:)`` have any. A
  /// receiver that gets no later archive fetches these keys as if they were not named.
  public var pending: [String]

  /// Creates an archive.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - mutations: The paused runs, in the order in which they were started.
  ///   - pending: The keys that a later archive brings.
  public init(
    entries: [Entry] = [],
    mutations: [PausedMutation] = [],
    pending: [String] = []
  ) {
    self.entries = entries
    self.mutations = mutations
    self.pending = pending
  }
}
