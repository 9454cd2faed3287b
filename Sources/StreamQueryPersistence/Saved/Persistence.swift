public import StreamQuery

/// How the data of queries outlives the process: where it is kept, how long, and in which form.
///
/// For a whole client, or as a part of a query, see `persisted(in:)`:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.persistence = Persistence(in: store, maxAge: .hours(24), version: "2")
/// let client = QueryClient(configuration: configuration)
/// ```
public struct Persistence: Sendable {
  /// A ``maxAge`` that no data reaches, for what nobody can fetch again.
  public static let unlimited: Duration = .seconds(Int64.max)

  /// Where the data is kept.
  public var store: any QueryStore
  /// The part of the store; `nil`, the default, is that of the client, see
  /// ``StreamQuery/QueryClient/Configuration/partition``.
  public var partition: StorePartition?
  /// The age at which kept data is not restored any more.
  ///
  /// The age is measured by dates, so that it counts while the process does not run. A date in the
  /// future, after the clock was set back, counts as now.
  public var maxAge: Duration
  /// The version of the form of the data; change it with the form.
  ///
  /// Data of another version is not restored, unless its query migrates it.
  public var version: String
  /// How long queries wait for the store to be read; then they go on without it.
  ///
  /// What the store still brings is used for entries that have no data by then. The first policy
  /// that a client uses for a store decides.
  public var restoreTimeout: Duration
  /// How long changes are gathered before they are written together.
  ///
  /// The first policy that a client uses for a store decides.
  public var throttle: Duration
  /// The bounds of what is kept; the first policy that a client uses for a store decides.
  public var limit: StoreLimit
  /// How values become bytes.
  public var coding: ArchiveCoding
  /// Which entries are kept; all that have data by default.
  ///
  /// It is called when an entry has changed, outside the cache's lock, and must be quick. What it
  /// leaves out keeps what an earlier answer let in.
  public var includes: @Sendable (QueryInfo) -> Bool
  /// What is kept instead of a value, for what must not leave the process; `nil` keeps nothing.
  ///
  /// It must return a value of the same type.
  public var redact: @Sendable (any Sendable, AnyQueryKey) -> (any Sendable)?

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - store: Where the data is kept.
  ///   - partition: The part of the store; `nil` is that of the client.
  ///   - maxAge: The age at which kept data is not restored any more.
  ///   - version: The version of the form of the data.
  ///   - restoreTimeout: How long queries wait for the store to be read.
  ///   - throttle: How long changes are gathered before they are written together.
  ///   - limit: The bounds of what is kept.
  ///   - coding: How values become bytes.
  ///   - includes: Which entries are kept.
  ///   - redact: What is kept instead of a value; `nil` keeps nothing.
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
