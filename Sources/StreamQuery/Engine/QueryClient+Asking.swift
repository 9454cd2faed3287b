nonisolated extension QueryClient {
  /// Resolves a query, then makes a transaction: every call with a query comes through here.
  ///
  /// User code that the decision needs runs before the transaction, and again if the entry changed
  /// meanwhile: see ``commit(rounds:at:isDated:asking:applying:)``.
  ///
  /// - Parameters:
  ///   - key: The key of the query.
  ///   - definition: The query.
  ///   - options: Options of an observer, over those of the query.
  ///   - isArrival: Whether an observer subscribes.
  ///   - body: The transaction.
  /// - Returns: The result of the transaction.
  func resolving<Result: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?,
    isArrival: Bool = false,
    _ body: ResolvedTransaction<Result>
  ) -> Result {
    guard options != nil else { return resolving(key, definition, isArrival: isArrival, body) }
    let now = cache.now(isDated: definition.initialData != nil)
    let query = ResolvedQuery(definition, for: key.key, defaults: defaults, observer: options)
    return resolving(key, query.opened(), isArrival: isArrival, at: now, body)
  }

  /// Resolves a query without an observer's options, then makes a transaction.
  func resolving<Result: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    isArrival: Bool = false,
    _ body: ResolvedTransaction<Result>
  ) -> Result {
    // Only initial data needs a date when an observer or a fetch starts.
    let now = cache.now(isDated: definition.initialData != nil)
    // Usually the entry has this very query, and no user code is needed: one transaction is enough.
    let quick = cache.transaction(self, at: now) { state, transaction -> QuickTransaction<Result> in
      guard let index = state.find(key), let query = state.slots[index].query?.resolved,
        query.isMade(of: definition, under: state.defaults.table)
      else { return .unknown(state.defaults.table) }
      guard let options = query.unaskedOptions(isArrival: isArrival),
        !state.wantsInitialData(index, query)
      else { return .known(query) }
      let resolution = Resolution(query: consume query, options: options)
      return .done(body(&state, key, index, resolution, &transaction))
    }
    switch consume quick {
    case .done(let result): return result
    case .known(let query):
      return resolving(key, query, isArrival: isArrival, at: now, body)
    case .unknown(let defaults):
      let query = ResolvedQuery(definition, for: key.key, defaults: defaults)
      return resolving(key, query.opened(), isArrival: isArrival, at: now, body)
    }
  }

  /// Resolves a query that was merged with its defaults, then makes a transaction.
  ///
  /// It is not inlined, because few calls need it.
  @inline(never)
  private func resolving<Result: Sendable>(
    _ key: EntryKey,
    _ query: ResolvedQuery,
    isArrival: Bool,
    at now: ClockReading,
    _ body: ResolvedTransaction<Result>
  ) -> Result {
    // No user code is needed here either: one transaction is enough.
    if query.initialData == nil, let options = query.unaskedOptions(isArrival: isArrival) {
      let resolution = Resolution(query: query, options: options)
      return cache.transaction(self, at: now) { state, transaction in
        body(&state, key, state.find(key), resolution, &transaction)
      }
    }
    // If a store may have data, the time is read again: `now` may have been read without a date.
    let now = query.isPersisted ? nil : now
    var former: Resolution?
    return commit(rounds: 3, at: now, isDated: query.initialData != nil) { _ in
      let resolution = resolution(of: query, for: key, isArrival: isArrival, after: former)
      former = resolution
      return .answer(resolution)
    } applying: { resolution, isLast, state, transaction -> Result? in
      let index = state.find(key)
      guard let current = state.current(resolution, at: index, isLast: isLast) else { return nil }
      return body(&state, key, index, current, &transaction)
    }
  }

  /// Evaluates the user code that a decision about a query needs, so do not call it under the lock.
  ///
  /// - Parameters:
  ///   - query: The query under its defaults.
  ///   - key: Its key.
  ///   - isArrival: Whether an observer subscribes.
  ///   - former: The resolution of the round before; its initial data still counts if no store changed.
  /// - Returns: The resolution.
  func resolution(
    of query: ResolvedQuery,
    for key: EntryKey,
    isArrival: Bool,
    after former: Resolution? = nil
  ) -> Resolution {
    var resolution = Resolution(query: query)
    if query.initialData != nil {
      obtainInitialData(of: query, for: key, &resolution, after: former)
    }
    let isRestoring = resolution.isRestoring
    if query.isDynamic || isArrival && query.asksOnSubscribe {
      let now = cache.now(isDated: resolution.initialData != nil)
      let facts = cache.read { $0.factsOfArrival(key, query, resolution.initialData, at: now) }
      resolution.options = query.resolvedOptions(isArrival: isArrival) { facts.info }
      resolution.revision = facts.revision
    } else {
      resolution.options = query.resolvedOptions { .absent(key, query.meta) }
    }
    // The observer still waits for the store, even if the store was read just now: nobody has asked
    // for the data yet.
    if isRestoring { resolution.options.participation = .restoring }
    return resolution
  }

  /// Evaluates the initial data of a query if the query's entry has no data.
  private func obtainInitialData(
    of query: ResolvedQuery,
    for key: EntryKey,
    _ resolution: inout Resolution,
    after former: Resolution?
  ) {
    let (kept, isWanted) = cache.read { ($0.kept, $0.wantsInitialData($0.find(key), query)) }
    if query.isPersisted { resolution.kept = kept }
    let isRestoring = query.isRestoring
    if isRestoring { resolution.options.participation = .restoring }
    resolution.isDataKnown = isWanted || former?.isDataKnown == true
    guard resolution.isDataKnown, !isRestoring else { return }
    if let former, former.isDataKnown, !former.isRestoring, former.kept == resolution.kept {
      resolution.initialData = former.initialData
    } else {
      resolution.initialData = InitialData(of: query)
    }
  }

  /// The query merged with the defaults.
  ///
  /// If the entry's query was made from the same definition and defaults, it is returned.
  ///
  /// This opens no store; see ``ResolvedQuery/opened()``.
  func resolve(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ defaults: DefaultsTable
  ) -> ResolvedQuery {
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].query } }?.resolved
    if let known, known.isMade(of: definition, under: defaults) { return known }
    return ResolvedQuery(definition, for: key.key, defaults: defaults)
  }
}

/// A transaction for which all user code has been evaluated.
///
/// It gets the key as an argument, because capturing the key would retain it three times.
typealias ResolvedTransaction<Result> = (
  inout CacheState, EntryKey, _ index: Int?, Resolution, inout Transaction
) -> Result

/// The result of a transaction that tries to do without user code.
private enum QuickTransaction<Result: Sendable>: Sendable {
  case done(Result)
  /// The entry's query matches, but user code has to be evaluated.
  case known(ResolvedQuery)
  /// The query has to be resolved under these defaults.
  case unknown(DefaultsTable)
}
