#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Options as modifiers: each returns a changed copy, and the last one of a kind wins.
///
/// Options that a query does not set come from the defaults of its key's prefixes, then from those
/// of the client, then from the library. A single observer may override them with
/// ``ObserverOptions``. A modifier changes a value and nothing else: a running fetch keeps the
/// options it was started with.
extension Query {
  // MARK: All options together

  /// The options that were set on this query; a `nil` option comes from the layers below.
  public var options: QueryOptions { definition.options }

  /// Returns the query with some options changed.
  ///
  /// Use it for options that are computed, or to unset one with `nil`.
  ///
  /// ```swift
  /// let query = Query.user(42).options { $0.gcTime = $0.gcTime.map { $0 * 2 } }
  /// ```
  ///
  /// - Parameter change: Changes the options that are set so far.
  /// - Returns: The changed query.
  @inline(__always)
  public consuming func options(_ change: (inout QueryOptions) -> Void) -> Self {
    changed { $0.changeOptions(change) }
  }

  /// Returns the query with other options over its own; an option that is `nil` in the argument
  /// stays as it is.
  ///
  /// Use it for options that several queries share.
  ///
  /// ```swift
  /// let live = QueryOptions(staleTime: .after(.zero), refetchInterval: .every(.seconds(5)))
  /// let rates = Query("rates") { try await api.rates() }.options(live)
  /// ```
  ///
  /// - Parameter options: The options.
  /// - Returns: The changed query.
  public consuming func options(_ options: QueryOptions) -> Self {
    self.options { $0 = options.over($0) }
  }

  // MARK: Freshness and retention

  /// How long data counts as fresh after it was fetched or written; zero by default.
  ///
  /// Fresh data is shown and returned without a request. Stale data is shown too, and is refetched
  /// on the next occasion: a subscription, a reconnect, the app becoming active, a `fetch`. Data is
  /// stale as soon as its age *equals* the stale time, so with zero it is stale at once. An
  /// invalidation makes it stale at any age.
  ///
  /// ```swift
  /// let freshness = Duration.seconds(90)
  /// let user = Query("users", id) { try await api.user(id) }.staleTime(freshness)
  /// ```
  ///
  /// - Parameter duration: How long; a negative duration counts as zero, one above 100 years as infinite.
  /// - Returns: The changed query.
  @_disfavoredOverload
  public consuming func staleTime(_ duration: Duration) -> Self {
    options { $0.staleTime = .after(duration) }
  }

  /// How long data counts as fresh: for a duration, for ever, or as a closure says.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }.staleTime(.minutes(5))
  /// let countries = Query("countries") { try await api.countries() }.staleTime(.infinite)
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.dynamic { $0.observerCount > 10 ? .minutes(1) : .zero })
  /// ```
  ///
  /// - Parameter staleTime: Such as ``StaleTime/infinite``, ``StaleTime/dynamic(_:)`` or
  ///   ``StaleTime/static``, with which even an invalidation does not make data stale.
  /// - Returns: The changed query.
  public consuming func staleTime(_ staleTime: StaleTime) -> Self {
    options { $0.staleTime = staleTime }
  }

  /// How long the entry is kept after nobody observes it or waits for it any more; five minutes by
  /// default.
  ///
  /// Going back to a screen within that time shows its data at once. The longest duration requested
  /// since the entry was made applies, except that an observer's own ``ObserverOptions/gcTime``
  /// applies when that observer leaves last. A fetch in flight keeps its entry.
  ///
  /// ```swift
  /// let draft = Query("users", id) { try await api.user(id) }.gcTime(.hours(1))
  /// ```
  ///
  /// - Parameter duration: How long. Zero or less drops the entry as soon as nobody wants it; more
  ///   than 100 years keeps it until it is removed.
  /// - Returns: The changed query.
  public consuming func gcTime(_ duration: Duration) -> Self {
    options { $0.gcTime = duration }
  }

  // MARK: Failures

  /// The number of retries of a failed attempt and the waits before them; three retries by default.
  ///
  /// Each failed attempt shows in ``QueryResult/failureCount`` and ``QueryResult/failureReason``;
  /// only the last one becomes the result's error. Retries wait while the app is inactive, unless a
  /// caller awaits the fetch or an observer polls in the background. They also wait while the network
  /// is gone, unless the ``networkMode(_:)`` is ``NetworkMode/always``. `fetch`, `ensure` and
  /// `prefetch` do not retry by default. A cancelled attempt is never retried. A policy may leave the
  /// delay, or the number of retries, to an earlier modifier or to the defaults: see ``RetryPolicy``.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .retry(.while { failures, error in failures < 2 && !(error is AuthError) })
  /// ```
  ///
  /// - Parameter policy: The policy.
  /// - Returns: The changed query.
  public consuming func retry(_ policy: RetryPolicy) -> Self {
    options { $0.retry = $0.retry == nil ? policy : policy.over($0.retry) }
  }

  /// The number of retries of a failed attempt.
  ///
  /// The delays are 1, 2, 4 and so on up to 30 seconds, unless an earlier modifier or defaults of the key or
  /// the client set others.
  ///
  /// - Parameter count: The number of attempts after the first; a negative number means none.
  /// - Returns: The changed query.
  public consuming func retry(_ count: Int) -> Self {
    retry(RetryPolicy.times(count))
  }

  /// The number of retries of a failed attempt, and the wait before each.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }.retry(5) { .milliseconds(100 * (1 << $0)) }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of attempts after the first; a negative number means none.
  ///   - delay: Returns the delay before a retry. Gets the number of earlier failures: 0 before the first
  ///     retry. A negative delay counts as zero; with a delay above 100 years there is no retry.
  /// - Returns: The changed query.
  public consuming func retry(_ count: Int, delay: @escaping @Sendable (Int) -> Duration) -> Self {
    options { $0.retry = .times(count).backoff(.custom { failures, _ in delay(failures) }) }
  }

  /// The errors that are thrown to an error boundary instead of staying in the results; none by
  /// default.
  ///
  /// The core only stores the policy; `client.throwingResults(of:)` of StreamQueryOperators and UI
  /// adapters apply it. Streams of the core never fail.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .throwOnError(.when { $0 is AuthError })
  /// ```
  ///
  /// - Parameter policy: The policy.
  /// - Returns: The changed query.
  public consuming func throwOnError(_ policy: ThrowPolicy) -> Self {
    options { $0.throwOnError = policy }
  }

  /// Whether all errors are thrown to an error boundary, or none.
  ///
  /// - Parameter isThrown: Whether errors are thrown.
  /// - Returns: The changed query.
  public consuming func throwOnError(_ isThrown: Bool) -> Self {
    options { $0.throwOnError = isThrown ? .always : .never }
  }

  // MARK: Network and cancellation

  /// The effect of an unreachable network on a fetch; ``NetworkMode/online`` by default.
  ///
  /// A fetch that waits for the network shows as ``QueryResult/isPaused`` and continues when it is
  /// back; it does not fail. With ``NetworkMode/always``, the network plays no part, and a
  /// reconnect refetches only if ``refetchOnReconnect(_:)-(RefetchPolicy)`` is set.
  ///
  /// ```swift
  /// let local = Query("users", id) { try await api.user(id) }.networkMode(.offlineFirst)
  /// ```
  ///
  /// - Parameter mode: The mode.
  /// - Returns: The changed query.
  public consuming func networkMode(_ mode: NetworkMode) -> Self {
    options { $0.networkMode = mode }
  }

  /// The policy for a running fetch that nobody wants any longer; it is cancelled by default.
  ///
  /// Every stream of the query's key wants the fetch, enabled or not, and so does every caller that waits for
  /// it. The client itself wants the fetches that it starts in the background. The policy with which the
  /// fetch was started decides.
  ///
  /// ```swift
  /// let report = Query("rates") { try await api.rates() }.onAbandonment(.finish)
  /// let row = Query("users", id) { try await api.user(id) }.onAbandonment(.linger(.seconds(2)))
  /// ```
  ///
  /// - Parameter policy: The policy.
  /// - Returns: The changed query.
  public consuming func onAbandonment(_ policy: AbandonmentPolicy) -> Self {
    options { $0.onAbandonment = policy }
  }

  // MARK: Data

  /// A placeholder that is shown while there is neither data nor an error, and is never cached.
  ///
  /// The result is a success with ``QueryResult/isPlaceholderData``, for every observer of this query. Data
  /// and errors replace the placeholder. The `placeholder` operator does the same for one stream, and can
  /// make the placeholder from the previous data.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }.placeholder(.ada)
  /// ```
  ///
  /// - Parameter value: The placeholder.
  /// - Returns: The changed query.
  public consuming func placeholder(_ value: Value) -> Self {
    changed {
      $0.changeExtras { extras in
        extras.placeholder = TypedBox(value)
        extras.makePlaceholder = nil
      }
    }
  }

  /// Makes the placeholder of an observer from the data that it last saw under another key.
  ///
  /// Use it for a view that goes from one key to another, such as from page to page, or if another
  /// query has a preview:
  ///
  /// ```swift
  /// let repos = Query("repos", id) { try await api.repos(of: id) }
  ///   .placeholder { previous, _ in previous }
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .placeholder { _, _ in client.data(for: .users)?.first { $0.id == id } }
  /// ```
  ///
  /// The closure is called outside of locks when a stream or a ``QueryObserver`` begins, for a single result,
  /// and when ``QueryObserver/update(query:options:)`` changes the key. It is called even if there is data
  /// already, but never for `fetch`. Its value is a ``placeholder(_:)`` for this observer alone, and is never
  /// cached. If the key is removed or reset, the placeholder disappears, and the next update calls the
  /// closure without former data.
  ///
  /// - Parameter make: Takes the data that the observer last saw under another key, and that key; `nil` if
  ///   there is none. It may return `nil` for no placeholder.
  /// - Returns: The changed query.
  public consuming func placeholder(
    from make: @escaping @Sendable (_ previous: Value?, _ key: AnyQueryKey?) -> Value?
  ) -> Self {
    changed {
      $0.changeExtras { extras in
        extras.placeholder = nil
        extras.makePlaceholder = { previous, key in
          make(previous?.value(as: Value.self), key).map { TypedBox($0) }
        }
      }
    }
  }

  /// Data for an entry that has none: cached, shared, and as old as its date says.
  ///
  /// The initial data is used when the query is first observed or fetched, and again when the entry is reset.
  /// If there is data already, the closure is not called. Data that is stale by its date is shown and
  /// refetched.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .initialData(client.data(for: .users)?.first { $0.id == id })
  ///   .staleTime(.minutes(1))
  /// ```
  ///
  /// Do not return data with optimistic changes, because a change that the server refuses would stay in it:
  /// check ``QueryResult/isOptimistic``.
  ///
  /// - Parameters:
  ///   - value: Evaluated outside the cache's lock each time that the entry is used without data; `nil` means
  ///     no initial data.
  ///   - updatedAt: When the value was current; `nil` means now, and a future date counts as now.
  /// - Returns: The changed query.
  public consuming func initialData(
    _ value: @autoclosure @escaping @Sendable () -> Value?,
    updatedAt: Date? = nil
  ) -> Self {
    initialData(value(), asOf: { updatedAt })
  }

  /// Data for an entry that has none, with a closure that returns its date.
  ///
  /// Otherwise this is the same as ``initialData(_:updatedAt:)``.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .initialData(client.data(for: .users)?.first { $0.id == id }) {
  ///     client.result(for: .users).dataUpdatedAt
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - value: Evaluated outside the cache's lock each time that the entry is used without data; `nil` means
  ///     no initial data.
  ///   - updatedAt: Called after `value` has returned data. Returns when that data was current; `nil` means
  ///     now, and a future date counts as now.
  /// - Returns: The changed query.
  public consuming func initialData(
    _ value: @autoclosure @escaping @Sendable () -> Value?,
    asOf updatedAt: @escaping @Sendable () -> Date?
  ) -> Self {
    let initialData = DefinitionExtras.InitialDataSource(own: {
      value().map { value in
        KeptData(
          box: TypedBox(value),
          updatedAt: updatedAt()?.timeIntervalSinceReferenceDate
        )
      }
    })
    return changed { $0.changeExtras { $0.initialData = initialData } }
  }

  /// Merges a fetched value with the cached one before it is cached, to keep unchanged parts.
  ///
  /// This replaces ``SharingPolicy/automatic``, which does the same by equality. The closure runs
  /// outside the cache's lock; if the cached value changes meanwhile, it runs again.
  ///
  /// ```swift
  /// let user = Query("users", id) { try await api.user(id) }
  ///   .merge { old, new in old.name == new.name ? old : new }
  /// ```
  ///
  /// - Parameter merge: Takes the cached and the fetched value; must be pure, and may run several
  ///   times for one fetch.
  /// - Returns: The changed query.
  public consuming func merge(
    _ merge: @escaping @Sendable (_ old: Value, _ new: Value) -> Value
  ) -> Self {
    let erased: @Sendable (ValueBox, ValueBox) -> ValueBox = { old, new in
      TypedBox(merge(old.value(as: Value.self), new.value(as: Value.self)))
    }
    return changed { $0.changeExtras { $0.merge = erased } }
  }

  /// A fact about the query, for its fetch, for filters and for diagnostics.
  ///
  /// The fetch reads the fact from ``FetchContext/meta``, other code from ``QueryInfo/meta``. A fact is not
  /// part of the key: an input of the request belongs in the key.
  ///
  /// ```swift
  /// enum Label: QueryMetaKey { static let defaultValue = "" }
  /// let user = Query("users", id) { try await api.user(id) }.meta(Label.self, "profile")
  /// ```
  ///
  /// - Parameters:
  ///   - key: Names the fact and its type.
  ///   - value: The fact.
  /// - Returns: The changed query.
  public consuming func meta<Key: QueryMetaKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
    options {
      var meta = $0.meta ?? QueryMeta()
      meta[key] = value
      $0.meta = meta
    }
  }
}
