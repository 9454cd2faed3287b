/// The cache's part of a query with its defaults: values, and no closure of a user.
///
/// Each object is a `ResolvedQuery`, the only subclass, which adds the fetch and the functions of users; the
/// client casts it back. So no code under the cache's lock can call user code, and the cache need not know
/// about fetches. `Sendable` is correct because all stored properties of both classes are immutable and
/// `Sendable`.
class StoredQuery: @unchecked Sendable {
  /// The defaults with which the object was made.
  final let storedDefaults: StoredDefaults
  /// The options that the machine of the query's entry needs for a fetch.
  final let fetchOptions: FetchOptions
  /// How long the query's entry is kept.
  final let gcTime: TimeSpan
  final let meta: QueryMeta?
  /// The rules for what waiting callers get while the server is slow or down; `nil` if there are
  /// none.
  final let serving: ServingTerms?
  /// A placeholder for missing data.
  final let placeholder: ValueBox?
  /// The query without ``placeholder``, for the entry to keep, if the placeholder is for a single observer;
  /// otherwise `nil`.
  final let plain: StoredQuery?
  final let feature: QueryFeature?
  /// The source of data for an entry that has none.
  final let initialData: StoredInitialData?
  /// Whether the query has a fetch.
  final let canFetch: Bool
  /// Whether an option is a function that has to be evaluated whenever the entry changes.
  final let isDynamic: Bool
  /// Whether a function decides if an observer is enabled.
  final let asksWhetherEnabled: Bool
  /// Whether a store keeps the data.
  final let isPersisted: Bool
  /// Whether the query has handlers for the ends of its fetches.
  final let hasHandlers: Bool
  /// The events, such as a reconnect, that refetch only if a closure of the user says so.
  final let conditionalCauses: Set<FetchCause>

  init(
    defaults: StoredDefaults,
    fetchOptions: FetchOptions,
    gcTime: TimeSpan,
    meta: QueryMeta?,
    serving: ServingTerms? = nil,
    placeholder: ValueBox?,
    plain: StoredQuery? = nil,
    feature: QueryFeature?,
    initialData: StoredInitialData?,
    canFetch: Bool,
    isDynamic: Bool,
    asksWhetherEnabled: Bool,
    isPersisted: Bool = false,
    hasHandlers: Bool = false,
    conditionalCauses: Set<FetchCause>
  ) {
    storedDefaults = defaults
    self.fetchOptions = fetchOptions
    self.gcTime = gcTime
    self.meta = meta
    self.serving = serving
    self.placeholder = placeholder
    self.plain = plain
    self.feature = feature
    self.initialData = initialData
    self.canFetch = canFetch
    self.isDynamic = isDynamic
    self.asksWhetherEnabled = asksWhetherEnabled
    self.isPersisted = isPersisted
    self.hasHandlers = hasHandlers
    self.conditionalCauses = conditionalCauses
  }

  /// The options that explain the entry's behaviour, for records of the cache's history.
  var terms: QueryTerms { QueryTerms(gcTime: gcTime) }
}

/// A query's options as a record of the cache's history has them: values, and no closure of a user.
struct QueryTerms: Hashable, Sendable {
  /// How often a query is refetched by itself.
  enum Polling: Hashable, Sendable {
    case off
    case every(TimeSpan)
    /// A function decides how often.
    case dynamic
  }

  /// How long data counts as fresh; `nil` if a function decides.
  var freshness: Freshness?
  var gcTime: TimeSpan
  /// The number of retries; `nil` if a function decides.
  var retryCount: Int?
  /// Whether the query fetches by itself; `nil` if a function decides.
  var isEnabled: Bool? = true
  var polling = Polling.off
}

/// The defaults of queries that the cache knows: values, and no closure of a user.
///
/// The client's `DefaultsTable` is its only subclass. `Sendable` is correct because all stored
/// properties of both are immutable and `Sendable`.
class StoredDefaults: @unchecked Sendable {
  /// Whether a store keeps the data of queries, unless a query says otherwise.
  final let isPersisting: Bool
  /// The prefixes of keys that have defaults of their own.
  private final let specialKeys: [AnyQueryKey]

  init(isPersisting: Bool, specialKeys: [AnyQueryKey]) {
    self.isPersisting = isPersisting
    self.specialKeys = specialKeys
  }

  /// Whether the queries of a key may have defaults of their own.
  final func isSpecial(_ key: AnyQueryKey) -> Bool {
    // Data in a store is found by its key, so any key may be special.
    isPersisting || specialKeys.contains { $0.isPrefix(of: key) }
  }
}
