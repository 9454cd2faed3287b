import Synchronization

/// The effect of a refetch of a streamed query on the data of the previous stream.
public enum StreamedRefetch: String, Hashable, Codable, Sendable {
  /// Hides the data: the query is pending again until the first element arrives.
  case reset
  /// Adds new elements to the data; for an endless query, also those that arrive after a retry.
  case append
  /// Keeps the data until the new stream has ended, and then replaces it as a whole; for an endless query,
  /// until the first element of the new stream.
  case replace
}

extension Query {
  /// A query whose fetch is a stream; its data are the elements so far.
  ///
  /// ```swift
  /// let tokens = Query<[Token]>.streamed("answer", id) { _ in api.tokens(of: id) }
  /// ```
  ///
  /// Each element is shown at once, and the query is fetching until the stream ends. If the stream fails, the
  /// result has both the error and the elements so far. A retry restarts the stream, and its first element
  /// replaces the data of the failed attempt. A cancelled fetch ends the stream and keeps the elements so
  /// far. Callers wait for the end, or for the first element if the query is endless:
  /// <doc:InfiniteAndStreamedQueries>.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - refetch: The effect of a refetch on the data.
  ///   - endless: Whether the stream has no end, so that callers do not wait for it.
  ///   - stream: Makes a new stream for each attempt.
  /// - Returns: The query.
  /// - Complexity: O(1) for each element, amortized, unless a reader retains earlier data.
  public static func streamed<
    Source: AsyncSequence & SendableMetatype,
    each Part: Hashable & Sendable
  >(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    refetch: StreamedRefetch = .reset,
    endless: Bool = false,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source
  ) -> Self
  where
    Value == [Source.Element],
    Source.Element: Sendable,
    Source.AsyncIterator: SendableMetatype
  {
    Query(
      key: QueryKey(repeat each part, fields: fields),
      definition: .streamed(into: [], refetch, isEndless: endless, stream) { $0.append($1) }
    )
  }

  /// A query whose fetch is a stream that is folded into one value.
  ///
  /// ```swift
  /// let answer = Query<String>.streamed("answer", id, into: "") { _ in api.words(of: id) }
  ///   reduce: { $0 += $1 }
  /// ```
  ///
  /// If an update is written while the stream runs, the next element is folded into the written value, unless
  /// the stream replaces the data at its end.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - initial: The value into which the first element is folded, and the value of an empty
  ///     stream.
  ///   - refetch: The effect of a refetch on the data.
  ///   - endless: Whether the stream has no end, so that callers do not wait for it.
  ///   - stream: Makes a new stream for each attempt.
  ///   - reduce: Folds an element into the value. It must be pure: it runs twice for each element, so that
  ///     the value need not be copied, and again if an update comes in between. Do costly work on an element
  ///     in the stream.
  /// - Returns: The query.
  /// - Complexity: That of `reduce` in place for each element, unless a reader retains earlier data.
  public static func streamed<
    Source: AsyncSequence & SendableMetatype,
    each Part: Hashable & Sendable
  >(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    into initial: Value,
    refetch: StreamedRefetch = .reset,
    endless: Bool = false,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> Self where Source.AsyncIterator: SendableMetatype {
    streamed(
      key: QueryKey(repeat each part, fields: fields),
      into: initial,
      refetch: refetch,
      endless: endless,
      stream: stream,
      reduce: reduce
    )
  }

  /// A query of a given key whose fetch is a stream that is folded into one value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: The value into which the first element is folded, and the value of an empty
  ///     stream.
  ///   - refetch: The effect of a refetch on the data.
  ///   - endless: Whether the stream has no end, so that callers do not wait for it.
  ///   - stream: Makes a new stream for each attempt.
  ///   - reduce: Folds an element into the value; must be pure, because it may run again.
  /// - Returns: The query.
  public static func streamed<Source: AsyncSequence & SendableMetatype>(
    key: QueryKey<Value>,
    into initial: Value,
    refetch: StreamedRefetch = .reset,
    endless: Bool = false,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> Self where Source.AsyncIterator: SendableMetatype {
    Query(
      key: key,
      definition: .streamed(into: initial, refetch, isEndless: endless, stream, reduce)
    )
  }
}

extension QueryDefinition {
  /// The definition of a streamed query.
  fileprivate static func streamed<Value: Sendable, Source: AsyncSequence & SendableMetatype>(
    into initial: Value,
    _ refetch: StreamedRefetch,
    isEndless: Bool,
    _ stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    _ reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> QueryDefinition where Source.AsyncIterator: SendableMetatype {
    let fetch: Fetch = { context in
      guard let job = context.fetchJob else { throw CancellationError() }
      let start = context.streamStart(of: job, refetch)
      let replaces = refetch == .replace && start.base != nil
      // An endless stream has no end at which it could replace the data.
      let hidden = replaces && !isEndless
      let collects = refetch == .append && isEndless
      let base = refetch == .append ? start.base?.value(as: Value.self) ?? initial : initial
      var value = base
      var fold = StreamFold(over: base, reduce)
      var isFirst = true
      var wait = isEndless ? nil : StreamWait()
      for try await element in try await stream(context) {
        if wait?.isSuspicious(at: context.client.cache.clock.now()) == true,
          context.client.cache.read({ $0.isAwaited(job) })
        {
          wait = nil
          context.client.report(.endlessStreamAwaited(key: job.key.key.description))
        }
        if hidden {
          reduce(&value, element)
          continue
        }
        // The first element of an attempt replaces the data of an earlier attempt, except where an endless
        // stream appends: its earlier elements do not come again.
        let startsOver = isFirst && (start.hasShown && !collects || replaces)
        var shown: ValueBox?
        let isShown = context.client.progress(job, by: context.ordinal) { present, isNoBase in
          let isVoid = startsOver || isFirst && isNoBase && refetch != .append
          let box = fold.folding(element, into: isVoid ? nil : present)
          shown = box
          return box
        }
        guard isShown, let shown else { throw CancellationError() }
        fold.showed(shown, with: element)
        if isFirst {
          job.keep(StreamStart(base: start.base, hasShown: true), by: context.ordinal)
        }
        isFirst = false
      }
      // A sequence may end because its task was cancelled; that is not the end of the stream.
      try Task.checkCancellation()
      if hidden {
        let share = job.query.resolved.share(for: job.key.key)
        let whole = TypedBox(value)
        let isShown = context.client.progress(job, by: context.ordinal) { present, _ in
          present.flatMap { share?($0, whole) } ?? whole
        }
        guard isShown else {
          throw CancellationError()
        }
        isFirst = false
      }
      // The cache already has the whole value: this attempt has shown it or, if an endless stream appends, an
      // earlier attempt has.
      if !isFirst || collects && start.hasShown {
        let hasShown = start.hasShown || !hidden
        job.keep(
          StreamStart(base: start.base, hasShown: hasShown, joins: true),
          by: context.ordinal
        )
      }
      return TypedBox(value)
    }
    return QueryDefinition(
      of: Value.self,
      options: .ofLongAttempts,
      fetch: fetch,
      extras: DefinitionExtras.Values(
        resetsData: refetch == .reset,
        delivery: isEndless ? .endless : .parts
      )
    )
  }
}

extension FetchContext {
  fileprivate func streamStart(of job: FetchJob, _ refetch: StreamedRefetch) -> StreamStart {
    // After a restart of the fetch, a stream that appends begins with the data that was there at its first
    // start. In the other modes it begins with the present data, like any refetch.
    if let known = job.progress.withLock({ $0 }) as? StreamStart,
      refetch == .append || !known.isInherited
    {
      guard known.joins else { return known }
      // The stream of an earlier attempt has ended, but code around the fetch refused its value, so its parts
      // in the cache do not count for this attempt.
      let again = known.refused()
      job.keep(again, by: ordinal)
      return again
    }
    let start = StreamStart(base: client.cache.read { $0.box(job.entry) })
    job.keep(start, by: ordinal)
    return start
  }
}
