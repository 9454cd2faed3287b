/// A query's options for what callers get while its server is slow or down.
///
/// Most queries set none of these options, and have only a `nil` reference in their ``QueryOptions``.
// Unchecked: it is changed only while a single `QueryOptions` value refers to it.
final class ServingOptions: @unchecked Sendable {
  struct Values: Sendable {
    var staleIfError: Duration?
    var softTimeout: Duration?
    var timeout: Duration?
    var cachesFailures: FailureCaching?
    var refreshAhead: RefreshAhead?

    /// Returns these options; those that are `nil` come from weaker options.
    func over(_ base: Values) -> Values {
      var merged = self
      merged.staleIfError = staleIfError ?? base.staleIfError
      merged.softTimeout = softTimeout ?? base.softTimeout
      merged.timeout = timeout ?? base.timeout
      merged.cachesFailures = cachesFailures ?? base.cachesFailures
      merged.refreshAhead = refreshAhead ?? base.refreshAhead
      return merged
    }

    /// Whether no option is set.
    var isEmpty: Bool {
      staleIfError == nil && softTimeout == nil && timeout == nil && cachesFailures == nil
        && refreshAhead == nil
    }
  }

  // Only a single owner makes changes, so accesses cannot overlap and need no check at run time.
  @exclusivity(unchecked) var values: Values

  private init(_ values: Values) {
    self.values = values
  }

  /// A copy that may be changed; empty if there are no options.
  @inline(never)
  static func copy(_ options: ServingOptions?) -> ServingOptions {
    ServingOptions(options?.values ?? Values())
  }

  /// Merges the options of a layer over those of a weaker one.
  static func merge(_ options: ServingOptions?, over base: ServingOptions?) -> ServingOptions? {
    guard let options, let base else { return options ?? base }
    return ServingOptions(options.values.over(base.values))
  }
}

/// The ``ServingOptions`` of a query with its defaults applied, and without closures of users, so that the
/// cache can use them under its lock.
///
/// Most queries set none of these options, and have no such object.
final class ServingTerms: Sendable {
  /// How long stale data may be returned after it became stale; zero is not at all.
  let staleIfError: TimeSpan
  /// How long a fetch may take until its callers get stale data instead; infinite is no limit.
  let softTimeout: TimeSpan
  /// How long an attempt may take; infinite is no limit.
  let timeout: TimeSpan
  /// Whether later callers may get the failure of an earlier fetch.
  let cachesFailures: Bool
  /// Whether fresh data is refetched before it is stale.
  let refreshAhead: RefreshAhead

  /// Makes the object from merged options; `nil` if none of these options is set.
  init?(_ options: ServingOptions) {
    let values = options.values
    staleIfError = values.staleIfError.map(TimeSpan.init) ?? .zero
    softTimeout = values.softTimeout.map(TimeSpan.init) ?? .infinite
    timeout = values.timeout.map(TimeSpan.init) ?? .infinite
    cachesFailures = values.cachesFailures.map { !$0.isOff } ?? false
    refreshAhead = values.refreshAhead ?? .off
    guard
      values.staleIfError != nil || values.softTimeout != nil || !timeout.isInfinite
        || cachesFailures || !refreshAhead.isOff
    else { return nil }
  }
}

/// Options about callers while the server is slow or down; see <doc:OnTheServer>.
extension QueryOptions {
  /// How long data is still returned after it became stale, if the refetch fails; not at all by default.
  public var staleIfError: Duration? {
    get { serving?.values.staleIfError }
    @inline(__always) set { changeServing { $0.staleIfError = newValue } }
  }

  /// How long a fetch may take until its callers get stale data instead, within
  /// ``staleIfError``; for ever by default.
  public var softTimeout: Duration? {
    get { serving?.values.softTimeout }
    @inline(__always) set { changeServing { $0.softTimeout = newValue } }
  }

  /// How long one attempt of a fetch may take before it is cancelled and fails; for ever by default.
  ///
  /// Streamed and infinite queries have no limit unless they set this option themselves: defaults do not
  /// apply to them.
  public var timeout: Duration? {
    get { serving?.values.timeout }
    @inline(__always) set { changeServing { $0.timeout = newValue } }
  }

  /// For how long later callers get a failure instead of a fetch; ``FailureCaching/off`` by default.
  public var cachesFailures: FailureCaching? {
    get { serving?.values.cachesFailures }
    @inline(__always) set { changeServing { $0.cachesFailures = newValue } }
  }

  /// Whether fresh data is refetched before it becomes stale; ``RefreshAhead/off`` by default.
  public var refreshAhead: RefreshAhead? {
    get { serving?.values.refreshAhead }
    @inline(__always) set { changeServing { $0.refreshAhead = newValue } }
  }

  /// The options with which streamed and infinite queries begin: no timeout.
  ///
  /// One attempt of them lasts as long as a connection, or fetches many pages, so the default timeout of a
  /// client would be too short for some of them.
  static let ofLongAttempts: QueryOptions = {
    var options = QueryOptions.default
    options.timeout = .seconds(Int64.max)
    return options
  }()

  /// Changes the options, in place if nothing else shares them, so that a chain of modifiers makes one
  /// object.
  @inline(__always)
  private mutating func changeServing(_ change: (inout ServingOptions.Values) -> Void) {
    if !isKnownUniquelyReferenced(&serving) { serving = ServingOptions.copy(serving) }
    guard let serving else { return }
    change(&serving.values)
    if serving.values.isEmpty { self.serving = nil }
  }
}

/// Options about callers while the server is slow or down; see <doc:OnTheServer>.
extension Query {
  /// How long data is still returned after it became stale, if the refetch fails; not at all by default.
  ///
  /// `fetch` then returns the stale data instead of throwing. The failure is still in the results of streams
  /// and in the events, and the next `fetch` asks again. With `throwOnError: true`, `fetch` throws in any
  /// case. Data became stale when its stale time was over or when it was invalidated, whichever came first;
  /// the client's clock measures the time. A streamed query needs ``StreamedRefetch/replace`` for this: in the
  /// other modes its refetch hides or changes the data, and then there is nothing to return.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.seconds(30))
  ///   .staleIfError(.minutes(5))
  /// ```
  ///
  /// - Parameter grace: How long; zero or less is not at all, more than 100 years is for ever.
  /// - Returns: The changed query.
  public consuming func staleIfError(_ grace: Duration) -> Self {
    options { $0.staleIfError = grace }
  }

  /// How long a fetch may take until callers get stale data instead; for ever by default.
  ///
  /// The limit applies to callers of `fetch` while there is data that ``staleIfError(_:)`` allows; without
  /// such data they wait for the fetch. The time counts from the beginning of the fetch, retries included, so
  /// a caller that comes later gets the data at once. The fetch goes on even if nobody waits for it, and
  /// brings its answer. With zero or less, callers get such data at once, and nobody waits for the fetch.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.seconds(30))
  ///   .staleIfError(.minutes(5))
  ///   .softTimeout(.milliseconds(100))
  /// ```
  ///
  /// - Parameter limit: How long, by the client's clock; more than 100 years is for ever.
  /// - Returns: The changed query.
  public consuming func softTimeout(_ limit: Duration) -> Self {
    options { $0.softTimeout = limit }
  }

  /// How long one attempt of a fetch may take; for ever by default.
  ///
  /// After that time the attempt is cancelled and has failed with ``QueryError/timedOut(key:limit:)``, for
  /// all callers and observers; what it still gives, also a page or an element, is ignored. The query's
  /// ``retry(_:)-(RetryPolicy)`` says whether another attempt follows. The limit does not include a wait
  /// for the network or for ``QueryClient/Configuration/maxConcurrentFetches``, and ends with the first
  /// part of a streamed query. An attempt of an infinite query fetches all of its pages. Only their own
  /// options limit streamed and infinite queries, not the defaults of a client or a prefix. To limit the
  /// wait of one caller, use ``QueryClient/fetch(_:timeout:throwOnError:)``.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }.timeout(.seconds(2)).retry(1)
  /// ```
  ///
  /// - Parameter limit: How long, by the client's clock; zero or less fails each attempt that does
  ///   not answer at once, more than 100 years is for ever.
  /// - Returns: The changed query.
  public consuming func timeout(_ limit: Duration) -> Self {
    options { $0.timeout = limit }
  }

  /// For how long later callers get a failure instead of a fetch; not at all by default.
  ///
  /// In that time `fetch` and `ensure` throw the error at once, or return data that ``staleIfError(_:)``
  /// allows. Observers fetch as ever, so that a screen recovers. An invalidation or a write ends that time,
  /// and the failure of an attempt that began before it is not cached. A refetch, a reset, an interval, a
  /// trigger and a reconnect fetch in spite of the failure. A caller fetches if its query does not set this
  /// option, even if another query of the same key sets it. An unused entry stays for as long as its
  /// failure lasts, whatever its ``gcTime(_:)-(Duration)`` is, unless there is no room for it.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }.cachesFailures(.seconds(5))
  /// ```
  ///
  /// - Parameter caching: How long, by the client's clock; see ``FailureCaching/when(_:)``.
  /// - Returns: The changed query.
  public consuming func cachesFailures(_ caching: FailureCaching) -> Self {
    options { $0.cachesFailures = caching }
  }

  /// Refetches fresh data before it becomes stale; off by default.
  ///
  /// A `fetch` or `prefetch` that finds fresh data which is about to become stale returns it, and starts a
  /// refetch in the background, at most one for each fetched value. If the refetch fails, the data stays
  /// fresh until its stale time is over. So nobody waits for data that is used often, and unused data is not
  /// refetched. Data that was written, restored or imported is not refetched early, nor is a streamed query
  /// with ``StreamedRefetch/reset``, whose data a refetch hides. The client draws one random number for each
  /// fetched value.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.seconds(30))
  ///   .refreshAhead(.probabilistic())
  /// ```
  ///
  /// - Parameter refresh: When; see ``RefreshAhead``.
  /// - Returns: The changed query.
  public consuming func refreshAhead(_ refresh: RefreshAhead) -> Self {
    options { $0.refreshAhead = refresh }
  }
}
