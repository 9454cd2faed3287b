/// What the cache knows of a query under its defaults: values, and no closure of a user.
///
/// The client makes it and takes it back as a `ResolvedQuery`, its only subclass, which knows how to
/// fetch and what users' functions say. So no code under the cache's lock can call user code, and
/// the cache need not know what a fetch is. `Sendable` is correct because all stored properties of
/// both are immutable and `Sendable`.
class StoredQuery: @unchecked Sendable {
  /// What the machine of its entry needs for a fetch.
  final let fetchOptions: FetchOptions
  /// How long its entry is kept.
  final let gcTime: TimeSpan
  final let meta: QueryMeta?
  /// What it promises to callers; `nil` is nothing.
  final let serving: ServingTerms?
  /// A stand-in for missing data.
  final let placeholder: ValueBox?
  final let feature: QueryFeature?
  /// What there may be for an entry without data.
  final let initialData: StoredInitialData?
  /// Whether there is a way to fetch.
  final let canFetch: Bool
  /// Whether an option is a function that has to be evaluated whenever the entry changes.
  final let isDynamic: Bool
  /// Whether a function decides if an observer is enabled.
  final let asksWhetherEnabled: Bool
  /// Whether the data is kept beyond the cache.
  final let isPersisted: Bool
  /// The events that refetch only if a condition says so.
  final let conditionalCauses: Set<FetchCause>

  init(
    fetchOptions: FetchOptions,
    gcTime: TimeSpan,
    meta: QueryMeta?,
    serving: ServingTerms? = nil,
    placeholder: ValueBox?,
    feature: QueryFeature?,
    initialData: StoredInitialData?,
    canFetch: Bool,
    isDynamic: Bool,
    asksWhetherEnabled: Bool,
    isPersisted: Bool = false,
    conditionalCauses: Set<FetchCause>
  ) {
    self.fetchOptions = fetchOptions
    self.gcTime = gcTime
    self.meta = meta
    self.serving = serving
    self.placeholder = placeholder
    self.feature = feature
    self.initialData = initialData
    self.canFetch = canFetch
    self.isDynamic = isDynamic
    self.asksWhetherEnabled = asksWhetherEnabled
    self.isPersisted = isPersisted
    self.conditionalCauses = conditionalCauses
  }
}
