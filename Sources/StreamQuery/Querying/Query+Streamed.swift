import Synchronization

/// What a refetch of a streamed query does with the data of the previous stream.
public enum StreamedRefetch: String, Hashable, Codable, Sendable {
  /// The data is no longer shown, and the query is pending again until the first element arrives.
  case reset
  /// New elements are added to the data.
  case append
  /// The data stays until the new stream has ended, and is then replaced as a whole.
  case replace
}

extension Query {
  /// A query whose fetch is a stream: its data are the elements that have arrived so far.
  ///
  /// ```swift
  /// let tokens = Query<[Token]>.streamed("answer", id) { _ in api.tokens(of: id) }
  /// ```
  ///
  /// Each element is shown at once, and the query is fetching until the stream ends. If the stream
  /// fails, the result has both the error and the elements so far. A retry restarts the stream, and
  /// its first element replaces what the failed attempt had shown. A cancelled fetch ends the
  /// stream and keeps the elements so far. Callers of `fetch` wait for the end.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - refetch: What a refetch does with the data.
  ///   - stream: Makes a new stream for each attempt.
  /// - Returns: The query.
  /// - Complexity: O(*n*) for each element in the number of elements so far.
  public static func streamed<
    Source: AsyncSequence & SendableMetatype,
    each Part: Hashable & Sendable
  >(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    refetch: StreamedRefetch = .reset,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source
  ) -> Self
  where
    Value == [Source.Element],
    Source.Element: Sendable,
    Source.AsyncIterator: SendableMetatype
  {
    Query(
      key: QueryKey(repeat each part, fields: fields),
      definition: .streamed(into: [], refetch, stream) { $0.append($1) }
    )
  }

  /// A query whose fetch is a stream that is folded into one value.
  ///
  /// ```swift
  /// let answer = Query<String>.streamed("answer", id, into: "") { _ in api.words(of: id) }
  ///   reduce: { $0 += $1 }
  /// ```
  ///
  /// The next element is folded into an update that is written while the stream runs, unless the
  /// stream replaces the data at its end.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - initial: The value into which the first element is folded, and the value of an empty
  ///     stream.
  ///   - refetch: What a refetch does with the data.
  ///   - stream: Makes a new stream for each attempt.
  ///   - reduce: Folds an element into the value; must be pure, because it may run again.
  /// - Returns: The query.
  public static func streamed<
    Source: AsyncSequence & SendableMetatype,
    each Part: Hashable & Sendable
  >(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    into initial: Value,
    refetch: StreamedRefetch = .reset,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> Self where Source.AsyncIterator: SendableMetatype {
    streamed(
      key: QueryKey(repeat each part, fields: fields),
      into: initial,
      refetch: refetch,
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
  ///   - refetch: What a refetch does with the data.
  ///   - stream: Makes a new stream for each attempt.
  ///   - reduce: Folds an element into the value; must be pure, because it may run again.
  /// - Returns: The query.
  public static func streamed<Source: AsyncSequence & SendableMetatype>(
    key: QueryKey<Value>,
    into initial: Value,
    refetch: StreamedRefetch = .reset,
    stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> Self where Source.AsyncIterator: SendableMetatype {
    Query(key: key, definition: .streamed(into: initial, refetch, stream, reduce))
  }
}

extension QueryDefinition {
  /// The definition of a streamed query.
  fileprivate static func streamed<Value: Sendable, Source: AsyncSequence & SendableMetatype>(
    into initial: Value,
    _ refetch: StreamedRefetch,
    _ stream: @escaping @Sendable @concurrent (FetchContext) async throws -> Source,
    _ reduce: @escaping @Sendable (inout Value, Source.Element) -> Void
  ) -> QueryDefinition where Source.AsyncIterator: SendableMetatype {
    let fetch: Fetch = { context in
      guard let job = context.fetchJob else { throw CancellationError() }
      let start = context.streamStart(of: job, refetch)
      let hidden = refetch == .replace && start.base != nil
      let base = refetch == .append ? start.base?.value(as: Value.self) ?? initial : initial
      var value = base
      var isFirst = true
      for try await element in try await stream(context) {
        if hidden {
          reduce(&value, element)
          continue
        }
        // The first element of an attempt replaces what an earlier attempt had shown.
        let startsOver = isFirst && start.hasShown
        let isShown = context.client.progress(job) { present in
          var value =
            startsOver ? base : present?.value(as: Value.self) ?? base
          reduce(&value, element)
          return TypedBox(value)
        }
        guard isShown else { throw CancellationError() }
        if isFirst {
          job.keep(StreamStart(base: start.base, hasShown: true))
        }
        isFirst = false
      }
      // A sequence may end because its task is cancelled; that is not the end of the stream.
      try Task.checkCancellation()
      if hidden {
        let share = job.query.resolved.share(for: job.key.key)
        let whole = TypedBox(value)
        let isShown = context.client.progress(job) { present in
          present.flatMap { share?($0, whole) } ?? whole
        }
        guard isShown else {
          throw CancellationError()
        }
        isFirst = false
      }
      // The cache already has what was shown element by element, updates included.
      if !isFirst {
        job.keep(StreamStart(base: start.base, hasShown: start.hasShown || !hidden, joins: true))
      }
      return TypedBox(value)
    }
    return QueryDefinition(
      of: Value.self,
      options: .ofLongAttempts,
      fetch: fetch,
      extras: DefinitionExtras.Values(resetsData: refetch == .reset, showsParts: true)
    )
  }
}

extension FetchContext {
  fileprivate func streamStart(of job: FetchJob, _ refetch: StreamedRefetch) -> StreamStart {
    // Only appending has to start again from the first base: the other modes restart like any
    // refetch.
    if let known = job.progress.withLock({ $0 }) as? StreamStart,
      refetch == .append || !known.isInherited
    {
      return known
    }
    let start = StreamStart(base: client.cache.read { $0.box(job.entry) })
    job.keep(start)
    return start
  }
}
