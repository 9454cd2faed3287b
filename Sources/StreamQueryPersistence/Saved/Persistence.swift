public import StreamQuery

/// The policy that lets the data of queries outlive the process: the place, the age and the form of the data.
///
/// Set it for a whole client, as here, or for a query, see `persisted(in:)`:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.persistence = Persistence(in: store, maxAge: .hours(24), version: "2")
/// let client = QueryClient(configuration: configuration)
/// ```
public struct Persistence: Sendable {
  /// A ``maxAge`` without a limit, for data that nobody can fetch again.
  public static let unlimited: Duration = .seconds(Int64.max)

  /// The store in which the data is kept.
  public var store: any QueryStore
  /// The part of the store; `nil`, the default, means the client's part, see
  /// ``StreamQuery/QueryClient/Configuration/partition``.
  public var partition: StorePartition?
  /// The age from which stored data is not restored any more.
  ///
  /// The age is measured by dates, so that it counts while the process does not run. A date in the
  /// future, after the clock was set back, counts as now.
  public var maxAge: Duration
  /// The version of the data's encoded form; change it when you change the form.
  ///
  /// Data of another version is not restored, unless the query migrates it.
  public var version: String
  /// The maximum time for which queries wait until the store has been read; then they go on without it, and
  /// ``StreamQuery/QueryClient/restore()`` throws.
  ///
  /// Data that is read later fills only entries that have no data by then. If several policies name the same
  /// store, the first one that the client uses counts.
  public var restoreTimeout: Duration
  /// The time for which changes are gathered before they are written together.
  ///
  /// If several policies name the same store, the first one that the client uses counts.
  public var throttle: Duration
  /// The limit of the store; if several policies name the store, the first one that the client uses counts.
  public var limit: StoreLimit
  /// Encodes values to bytes, and decodes them.
  public var coding: ArchiveCoding
  /// Decides whether an entry is saved; by default, each entry with data is.
  ///
  /// The closure is called when an entry has changed, outside the cache's lock, and must be quick. If it
  /// excludes an entry, the data that was saved earlier stays.
  public var includes: @Sendable (QueryInfo) -> Bool
  /// Replaces a value before it is saved, for values that must not leave the process; `nil` saves nothing.
  ///
  /// The closure must return a value of the same type.
  public var redact: @Sendable (any Sendable, AnyQueryKey) -> (any Sendable)?

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - store: The store in which the data is kept.
  ///   - partition: The part of the store; `nil` means the client's part.
  ///   - maxAge: The age from which stored data is not restored any more.
  ///   - version: The version of the data's encoded form.
  ///   - restoreTimeout: The maximum time for which queries wait until the store has been read.
  ///   - throttle: The time for which changes are gathered before they are written together.
  ///   - limit: The limit of the store.
  ///   - coding: Encodes values to bytes, and decodes them.
  ///   - includes: Decides whether an entry is saved.
  ///   - redact: Replaces a value before it is saved; `nil` saves nothing.
  public init(
    in store: any QueryStore,
    partition: StorePartition? = nil,
    maxAge: Duration = .hours(24),
    version: String = "",
    restoreTimeout: Duration = .seconds(10),
    throttle: Duration = .seconds(1),
    limit: StoreLimit = StoreLimit(),
    coding: ArchiveCoding = .json,
    includes: @escaping @Sendable (QueryInfo) -> Bool = { _ in true },
    redact: @escaping @Sendable (any Sendable, AnyQueryKey) -> (any Sendable)? = { value, _ in value
    }
  ) {
    self.store = store
    self.partition = partition
    self.maxAge = maxAge
    self.version = version
    self.restoreTimeout = restoreTimeout
    self.throttle = throttle
    self.limit = limit
    self.coding = coding
    self.includes = includes
    self.redact = redact
  }
}
