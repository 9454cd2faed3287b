extension QueryClient {
  /// Evaluates the user code that a decision needs, then makes the transaction; evaluates the code
  /// again if the entry changed meanwhile (contract law 8: at most three rounds, then the last
  /// answers stand).
  nonisolated func resolving<Result: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ options: ObserverOptions?,
    isArrival: Bool = false,
    _ body: ResolvedTransaction<Result>
  ) -> Result {
    guard options != nil else { return resolving(key, definition, isArrival: isArrival, body) }
    let now = cache.now(isDated: definition.initialData != nil)
    let query = ResolvedQuery(definition, for: key.key, defaults: defaults, observer: options)
    return asking(key, definition, query.opened(), isArrival: isArrival, at: now, body)
  }

  /// The same without an observer's options.
  nonisolated func resolving<Result: Sendable>(
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
      guard let resolvedOptions = query.fixedOptions, !(isArrival && query.asksOnSubscribe),
        !state.wantsInitialData(index, query)
      else { return .known(query) }
      return .done(body(&state, index, query, resolvedOptions, nil, &transaction))
    }
    switch quick {
    case .done(let result): return result
    case .known(let query):
      return asking(key, definition, query, isArrival: isArrival, at: now, body)
    case .unknown(let defaults):
      let query = ResolvedQuery(definition, for: key.key, defaults: defaults)
      return asking(key, definition, query.opened(), isArrival: isArrival, at: now, body)
    }
  }

  /// Never inlined: it is the slow path.
  @inline(never)
  private nonisolated func asking<Result: Sendable>(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ query: ResolvedQuery,
    isArrival: Bool,
    at now: ClockReading,
    _ body: ResolvedTransaction<Result>
  ) -> Result {
    let isAsked = query.isDynamic || query.mayRestore || isArrival && query.asksOnSubscribe
    let isDated = definition.initialData != nil
    var (initialData, wantsInitialData, hasInitialData) = (InitialData?.none, false, false)
    var (kept, wasHeld) = (KeptVersion(), false)
    func ask(
      _ round: Int
    ) -> CommitAnswer<(revision: UInt32?, resolvedOptions: ResolvedObserverOptions), Result> {
      if query.isPersisted {
        let version = cache.read { $0.kept }
        // There may be initial data now, or there may be none any more.
        if version != kept { hasInitialData = false }
        kept = version
      }
      if wantsInitialData, !hasInitialData {
        hasInitialData = true
        wasHeld = query.isHeld
        initialData = InitialData(of: query)
        // Dynamic options are evaluated for the entry with its initial data, so the entry has to be
        // made first.
        if isAsked, let initialData {
          let version = query.isPersisted ? kept : nil
          begin(key, query, with: initialData, asOf: version, isLast: round >= 3)
        }
      }
      guard isAsked else {
        return .answer((nil, query.resolvedOptions { EntryFacts.empty(key, query).info }))
      }
      let info = info(of: key, query, initialData)
      let options = query.resolvedOptions(isArrival: isArrival) { info.info }
      if hasInitialData, wasHeld, options.participation != .restoring {
        // The store was read in between, so the initial data is not the kept data.
        hasInitialData = false
        return ask(round)
      }
      return .answer((info.revision, options))
    }
    return commit(rounds: 3, at: now, isDated: isDated, asking: ask) {
      answer,
      isLast,
      state,
      transaction -> Result? in
      let index = state.find(key)
      if !hasInitialData, state.wantsInitialData(index, query) {
        wantsInitialData = true
        return nil
      }
      // Otherwise an observer would begin to wait for an event that has already happened, or with
      // data that was removed.
      if query.isPersisted {
        guard let current = state.current(initialData, asOf: kept, isLast: isLast)
        else { return nil }
        initialData = current
      }
      if let revision = answer.revision, !isLast,
        index.map({ state.slots[$0].revision }) ?? 0 != revision
      {
        return nil
      }
      return body(&state, index, query, answer.resolvedOptions, initialData, &transaction)
    }
  }

  /// Makes an entry with its initial data, for options that ask about it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - query: Its query.
  ///   - initialData: Its initial data.
  ///   - version: ``CacheState/kept`` before a store was asked for the data; `nil` if none was.
  ///   - isLast: See ``CacheState/current(_:asOf:isLast:)``.
  /// - Returns: The data of the entry, or the data for which there is no room, if any; `nil` if the store has
  ///   to be asked again.
  @discardableResult
  nonisolated func begin(
    _ key: EntryKey,
    _ query: ResolvedQuery,
    with initialData: InitialData,
    asOf version: KeptVersion?,
    isLast: Bool
  ) -> ValueBox?? {
    transaction { state, transaction in
      var initialData = initialData
      if let version {
        guard let current = state.current(initialData, asOf: version, isLast: isLast)
        else { return nil }
        guard let current else { return .some(nil) }
        initialData = current
      }
      guard !state.isShutDown else { return initialData.box }
      let known = state.find(key)
      let index = known ?? state.entry(key, query, &transaction)
      // It began with an optimistic change, or with a query that is not kept.
      if known != nil, query.isPersisted, state.slots[index].query?.isPersisted != true {
        state.adopt(index, query, &transaction)
      }
      state.placeInitialData(index, initialData, &transaction)
      return state.box(key) ?? initialData.box
    }
  }

  /// The query under the defaults; the entry's own query if it was made from the same ones.
  ///
  /// It opens no store; see ``ResolvedQuery/opened()``.
  nonisolated func resolve(
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ defaults: DefaultsTable
  ) -> ResolvedQuery {
    let known = cache.read { state in state.find(key).flatMap { state.slots[$0].query } }?.resolved
    if let known, known.isMade(of: definition, under: defaults) { return known }
    return ResolvedQuery(definition, for: key.key, defaults: defaults)
  }

  nonisolated func info(
    of key: EntryKey,
    _ query: ResolvedQuery,
    _ initialData: InitialData?
  ) -> EntryFacts {
    let now = cache.now(isDated: false)
    return cache.read { state in
      // There was no room for an entry that nobody uses yet.
      if isLimited, initialData != nil, state.find(key) == nil {
        return EntryFacts(info: state.infoOfArrival(key, query, initialData, at: now), revision: 0)
      }
      return state.facts(key, metBy: query, at: now.instant)
    }
  }

  /// Evaluates the dynamic options of an entry's observers again, after the entry changed.
  nonisolated func askOptions(of entry: EntryID) {
    // The number of this evaluation in an unbroken series.
    let askRound = cache.record { state -> Int in
      guard let index = state.find(entry) else { return 0 }
      defer { state.slots[index].askRound = 0 }
      return state.slots[index].askRound
    }
    guard askRound > 0 else { return }
    typealias Answers = [(
      id: ObserverID, query: StoredQuery, resolvedOptions: ResolvedObserverOptions
    )]
    func ask(_: Int) -> CommitAnswer<(revision: UInt32, answers: Answers), Void> {
      let now = cache.now(isDated: false)
      let asked = cache.read { state -> (QueryInfo, UInt32, [(ObserverID, StoredQuery)])? in
        guard let index = state.find(entry), let info = state.info(index, at: now.instant)
        else { return nil }
        let dynamic = state.slots[index].observers.compactMap { position in
          let observer = state.observers[Int(position)]
          return observer.query.flatMap { query in
            query.isDynamic
              ? (ObserverID(index: position, generation: observer.generation), query) : nil
          }
        }
        return (info, state.slots[index].revision, dynamic)
      }
      guard let (info, revision, dynamic) = asked, !dynamic.isEmpty else { return .over(()) }
      let answers = AskRound.$current.withValue(askRound) {
        dynamic.map { ($0.0, $0.1, $0.1.resolved.resolvedOptions { info }) }
      }
      return .answer((revision, answers))
    }
    commit(rounds: 3, asking: ask) { answer, isLast, state, transaction -> Void? in
      transaction.askRound = askRound
      guard let index = state.find(entry) else { return () }
      if state.slots[index].revision != answer.revision {
        // The next evaluation covers changes by the options themselves.
        if state.slots[index].askRound > askRound { return () }
        guard isLast else { return nil }
      }
      for (id, query, resolvedOptions) in answer.answers {
        guard let observer = state.find(id), state.observers[observer].query === query,
          Int(state.observers[observer].entry) == index
        else { continue }
        state.answered(observer, query, resolvedOptions, &transaction)
      }
      return ()
    }
  }
}

/// A transaction for which all user code has been evaluated.
typealias ResolvedTransaction<Result> = (
  inout CacheState, _ index: Int?, ResolvedQuery, ResolvedObserverOptions, InitialData?,
  inout Transaction
) -> Result

/// The result of a transaction that tries to do without user code.
private enum QuickTransaction<Result: Sendable>: Sendable {
  case done(Result)
  /// The entry's query matches, but user code has to be evaluated.
  case known(ResolvedQuery)
  /// The query has to be resolved under these defaults.
  case unknown(DefaultsTable)
}
