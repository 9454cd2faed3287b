/// What callers get while the server is slow or away; see <doc:OnTheServer>.
extension Query {
  /// For how long after it became stale data is returned if its refetch fails; not at all by
  /// default.
  ///
  /// `fetch` then returns the stale data instead of throwing. The failure is still in the results of
  /// streams and in the events, and the next `fetch` asks again.
  /// ``QueryClient/fetch(_:timeout:throwOnError:)`` throws in any case. Data became stale when its
  /// stale time was over or when it was invalidated, whichever came first; the client's clock measures
  /// the time.
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
  /// It applies to callers of `fetch` while there is data that ``staleIfError(_:)`` allows; without
  /// such data they wait for the fetch. The time counts from the beginning of the fetch, retries
  /// included, so a caller that comes later gets the data at once. The fetch goes on although nobody
  /// waits for it, and lands. With zero or less, nobody waits for a fetch over such data.
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
  /// After that time the attempt is cancelled and has failed with
  /// ``QueryError/timedOut(key:limit:)``, for all callers and observers; an answer that it still gives
  /// is ignored. The query's ``retry(_:)-(RetryPolicy)`` says whether another attempt follows. A wait
  /// for the network, or for a turn, does not count; nor does a streamed query from its first part on.
  /// An attempt of an infinite query fetches all of its pages. The defaults of a client or a prefix do
  /// not limit streamed and infinite queries: only they themselves do. To limit the wait of one caller,
  /// use ``QueryClient/fetch(_:timeout:throwOnError:)``.
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

  /// How long a failure is the answer for those who ask next; not at all by default.
  ///
  /// In that time `fetch` and `ensure` throw the error at once, or return data that
  /// ``staleIfError(_:)`` allows. Observers fetch as ever, so that what is on a screen recovers. An
  /// invalidation or a write ends it, also for an attempt that began before; and whoever asks for a new
  /// answer gets one: a refetch, a reset, an interval, a trigger, a reconnect. Callers whose query does
  /// not say this fetch although another query of the same key does. An unused entry stays for as long
  /// as its failure lasts, whatever its ``gcTime(_:)-(Duration)`` is, unless there is no room for it.
  ///
  /// ```swift
  /// let user = Query("user", id) { try await api.user(id) }.cachesFailures(.seconds(5))
  /// ```
  ///
  /// - Parameter caching: How long, by the client's clock; see ``FailureCaching/when(_:)``.
  /// - Returns: The changed query.
  public consuming func cachesFailures(_ caching: FailureCaching) -> Self {
    options { $0.cachesFailures = caching }
  }

  /// Whether fresh data is refetched before it becomes stale; not at all by default.
  ///
  /// A `fetch` or `prefetch` that finds fresh data which is about to become stale returns it, and
  /// starts a refetch behind it, once for each answer. If that fails, the data stays fresh for its
  /// time. So what is used often is never waited for, and what nobody uses is not refetched. Data that
  /// was written, restored or imported is not refetched early. The random numbers are the client's, one
  /// for each answer.
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
