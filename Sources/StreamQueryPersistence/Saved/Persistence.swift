public import StreamQuery

/// The policy that lets the data of queries outlive the process: the place, the age and the form of
/// the data.
///
/// For a whole client, or as a part of a query, see `persisted(in:)`:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.persistence = Persistence(in: store, maxAge: .hours(24), version: "2")
/// let client = QueryClient(configuration: configuration)
/// ```
public struct Persistence: Sendable {
  /// A ``maxAge`` that no data reaches, for data that nobody can fetch again.
  public static let unlimited: Duration = .seconds(Int64.max)

  /// The store of the data.
  public var store: any QueryStore
  /// The part of the store; `nil`, the default, is the client's, see
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
  /// Data that the store brings later is used for entries that have no data by then. The first
  /// policy that a client uses for a store decides.
  public var restoreTimeout: Duration
  /// How long changes are gathered before they are written together.
  ///
  /// The first policy that a client uses for a store decides.
  public var throttle: Duration
  /// The limit of the store; the first policy that a client uses for a store decides.
  public var limit: StoreLimit
  /// The coding of values as bytes.
  public var coding: ArchiveCoding
  /// Decides which entries are saved; all that have data by default.
  ///
  /// It is called when an entry has changed, outside the cache's lock, and must be quick. The saved
  /// data of an entry that it excludes stays as it is.
  public var includes: @Sendable (QueryInfo) -> Bool
  /// Replaces a value in the store, for values that must not leave the process; `nil` keeps
  /// nothing.
  ///
  /// It must return a value of the same type.
  public var redact: @Sendable (any Sendable, AnyQueryKey) -> (any Sendable)?

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - store: The store of the data.
  ///   - partition: The part of the store; `nil` is that of the client.
  ///   - maxAge: The age at which kept data is not restored any more.
  ///   - version: The version of the form of the data.
  ///   - restoreTimeout: How long queries wait for the store to be read.
  ///   - throttle: How long changes are gathered before they are written together.
  ///   - limit: The limit of the store.
  ///   - coding: The coding of values as bytes.
  ///   - includes: Decides which entries are saved.
  ///   - redact: Replaces a value in the store; `nil` keeps nothing.
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
