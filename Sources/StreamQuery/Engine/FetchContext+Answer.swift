extension FetchContext {
  /// Says how old the answer is that the attempt is going to return.
  ///
  /// Call this for an answer that was kept before: by another cache, by another machine, or between here and
  /// the server. The data counts as fetched that long ago, so that its stale time begins at that
  /// ``QueryResult/dataUpdatedAt``. Retries, intervals and events still go by the time of the fetch. In an
  /// attempt that throws ``NotModified``, this is how long ago the data was found to be unchanged; it does
  /// not make the data older.
  ///
  /// The last call of an attempt counts, and calls of earlier attempts do not, with two exceptions. Pages
  /// that are fetched one after the other are as old as the oldest of them, even if an earlier attempt
  /// fetched that page. If the fetch is a stream, each element has the age that the last call before it gave.
  /// A context that was made by hand ignores the call.
  ///
  /// ```swift
  /// let rates = Query("rates") { context in
  ///   let (rates, age) = try await (api.rates(), Duration.seconds(12))   // `Age: 12`
  ///   context.answer(isOld: age)
  ///   return rates
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - age: How old the answer is now; less than zero is zero, more than 100 years is 100 years.
  ///   - isOutdated: Whether the data has changed on the server since. If so, the answer counts
  ///     like data that was invalidated: it is shown and returned, and stale. If not, it counts as
  ///     newer than each invalidation before the attempt, unless it is a page that is added. `nil`,
  ///     the default, means that nobody knows: then the answer is stale if it is older than the
  ///     last invalidation.
  public func answer(isOld age: Duration, isOutdated: Bool? = nil) {
    guard let job = fetchJob, !job.refuses(ordinal) else { return }
    let span = min(TimeSpan(age), .longest)
    let now = client.cache.now()
    let seconds = Double(span.nanoseconds) / 1_000_000_000
    // The age is limited, because an `Instant` cannot be centuries before the client's start.
    let nanoseconds = max(
      now.instant.nanoseconds - span.nanoseconds,
      Instant.distantPast.nanoseconds
    )
    let updatedAt = Timestamp(
      instant: Instant(nanoseconds: nanoseconds),
      date: (now.date ?? 0) - seconds
    )
    job.answer.said(AnswerAge(updatedAt: updatedAt, isOutdated: isOutdated), by: attempt)
  }

  /// The answer that the attempt is going to return, for code that learns later that something has
  /// changed.
  @_spi(SharedCache) public var upcomingAnswer: FetchAnswer {
    FetchAnswer(slot: fetchJob?.answer ?? AnswerSlot(), attempt: attempt)
  }

  /// How old the answer is, as ``answer(isOld:isOutdated:)`` said so far; zero if nothing was said.
  public var answerAge: Duration {
    let now = client.cache.now().instant
    guard let updatedAt = fetchJob?.saidAnswer?.age?.updatedAt.instant, updatedAt < now
    else { return .zero }
    return .nanoseconds(now.nanoseconds - updatedAt.nanoseconds)
  }

  /// The error with which the attempt has failed already, because it took longer than
  /// ``Query/timeout(_:)`` allows; `nil` if it has not.
  ///
  /// Such an attempt is also cancelled. This is for code around the fetch that tells others why the
  /// fetch ended: a cancelled attempt without such an error was only given up.
  @_spi(SharedCache) public var timeoutError: QueryError? {
    guard let job = fetchJob, job.saidAnswer?.wasTooLong(attempt) == true else { return nil }
    return .timedOut(key: key.description, limit: timeout ?? .zero)
  }

  /// How long the attempt may take, as the query or the client's defaults say; `nil` if it may take
  /// any time, and for a context that was made by hand.
  public var timeout: Duration? {
    guard let timeout = fetchJob?.query.serving?.timeout, !timeout.isInfinite else { return nil }
    return timeout.duration
  }

  /// The demand on the fetch; ``FetchDemand/fresh`` for a context that was made by hand.
  ///
  /// If the data is invalidated while the fetch runs, or waits for other fetches or for a retry, the
  /// demand is higher from then on.
  public var demand: FetchDemand {
    guard let job = fetchJob else { return .fresh }
    guard job.demand == .fresh else { return job.demand }
    return client.cache.read { $0.isKnownToHaveChanged(job.entry) } ? .afterInvalidation : .fresh
  }

  /// How long ago the data was invalidated, if it has not become fresh since.
  ///
  /// `nil` if the data was not invalidated, or only by a call with `superseding: false`, which takes a
  /// running fetch for new enough. If a store or an import brought the data as invalidated, the time
  /// is not known: then this is how long ago the data came in. For data that is missing, the time is
  /// known if the client notes it: see `client.noteInvalidations()`.
  public var timeSinceInvalidation: Duration? {
    guard let job = fetchJob, let time = client.supersededAt(job.entry) else { return nil }
    return .nanoseconds(client.cache.now().instant.nanoseconds - time.nanoseconds)
  }

  /// How long data of the query counts as fresh, as the query or the client's defaults say; zero
  /// for a context that was made by hand.
  ///
  /// Options of observers do not count. A function for the stale time is evaluated. 100 years mean
  /// for ever.
  public var staleTime: Duration {
    guard let job = fetchJob else { return .zero }
    let query = job.query.resolved
    let options =
      query.fixedOptions
      ?? query.resolvedOptions {
        let now = client.cache.now(isDated: false).instant
        return client.cache.read { $0.facts(job.key, metBy: query, at: now).info }
      }
    return switch options.freshness {
    case .static: TimeSpan.infinite.duration
    case .after(let span): span.duration
    }
  }
}
