extension CacheState {
  @inline(__always)
  func find(_ id: ObserverID) -> Int? { observers.index(of: id) }

  // MARK: Coming and going

  /// Adds an observer to a key.
  ///
  /// After a shutdown the observer ends at once.
  mutating func addObserver(
    _ index: Int?,
    at key: EntryKey,
    _ query: StoredQuery,
    _ resolvedOptions: ResolvedObserverOptions,
    _ initialData: InitialData?,
    _ transaction: inout Transaction
  ) -> ObserverID {
    guard !isShutDown else { return observers.makeFormerID() }
    let index = index ?? entry(key, query, &transaction)
    adopt(index, query, &transaction)
    let isPlaced = initialData != nil && !slots[index].machine.hasData
    placeInitialData(index, initialData, &transaction)
    let id = attachObserver(index, query: query, resolvedOptions: resolvedOptions, &transaction)
    // Option closures may have read the cache before the initial data was placed, so they are
    // evaluated again.
    if isPlaced, slots[index].dynamicCount > 0 { reevaluate(index, transaction) }
    return id
  }

  /// Adds an observer to an entry, and lets the machine decide about a fetch.
  mutating func attachObserver(
    _ entry: Int,
    query: StoredQuery,
    resolvedOptions: ResolvedObserverOptions,
    _ transaction: inout Transaction
  ) -> ObserverID {
    let index = observers.makeObserver(of: query)
    let id = observers.id(of: index)
    attach(index, to: entry, resolvedOptions: resolvedOptions, arrival: .subscribed, &transaction)
    if !query.conditionalCauses.isEmpty { askOnArrival(index, transaction) }
    return id
  }

  private mutating func attach(
    _ observer: Int,
    to entry: Int,
    resolvedOptions: ResolvedObserverOptions,
    arrival: EntryMachine.SubscribeKind,
    _ transaction: inout Transaction
  ) {
    exempt(entry, for: transaction)
    let arrivalNumber = observers.nextArrival()
    let isDynamic = observers[observer].isDynamic
    observers[observer].observe(
      at: entry,
      slots[entry].observerCame(observer, isDynamic: isDynamic),
      as: resolvedOptions,
      arrival: arrivalNumber,
      at: transaction.environment.now.instant,
      slots[entry].machine.counts
    )
    if let job = slots[entry].job { transaction.lend(to: job.tasks) }
    let lookup = slots[entry].machine.lookup(
      by: resolvedOptions,
      at: transaction.environment.now.instant
    )
    let actions = slots[entry].machine.observed(
      by: resolvedOptions,
      arrival: arrival,
      in: transaction.environment
    )
    emit(.observed(count: slots[entry].machine.observerCount), entry, transaction)
    if let lookup { recordLookup(lookup, entry, transaction) }
    apply(actions, entry, &transaction)
  }

  /// Takes an observer off the list of an entry; the last observer of the list takes the free position.
  private mutating func detach(_ former: Observer, _ transaction: inout Transaction) {
    let entry = Int(former.entry)
    if let moved = slots[entry].observerLeft(Int(former.position), isDynamic: former.isDynamic) {
      observers[moved].position = former.position
    }
    let actions = slots[entry].machine.unobserved(
      by: former.resolvedOptions,
      since: former.pollBase,
      in: transaction.environment
    )
    emit(.unobserved(count: slots[entry].machine.observerCount), entry, transaction)
    apply(actions, entry, &transaction)
  }

  /// The query and options of an observer, with which its handle can show the state after the
  /// observer has left.
  func detached(of id: ObserverID) -> DetachedObserver? {
    guard let index = find(id), let key = slots[Int(observers[index].entry)].key else { return nil }
    return DetachedObserver(of: observers[index], on: key)
  }

  /// Removes an observer: its stream ends.
  ///
  /// A second call does nothing.
  mutating func unsubscribe(_ id: ObserverID, _ transaction: inout Transaction) {
    guard let index = find(id) else { return }
    var former = Observer()
    swap(&former, &observers[index])
    detach(former, &transaction)
    transaction.drop(former.releaseQuery())
    if let suspended = former.suspended { call(suspended) }
    for suspended in former.alsoSuspended { call(suspended) }
    observers.free(index)
    if observers.liveCount == 0, observers.count > bounds.leastObservers { bounds.mayShrink = true }
  }

  /// The present state for an observer that has left; `end` is the last state of an entry that is gone.
  func view(_ detached: DetachedObserver, after end: EntryEnd?) -> (EntrySnapshot, QueryFlags) {
    guard let entry = find(detached.key) else {
      if let end {
        let flags = end.flags(for: detached, at: environment.now.instant)
        return withPlaceholder(of: detached.query, for: end.snapshot, flags)
      }
      let flags: QueryFlags = detached.resolvedOptions.isEnabled ? [.enabled, .stale] : []
      return withPlaceholder(of: detached.query, for: .empty, flags)
    }
    let flags = slots[entry].machine.flags(
      for: detached.resolvedOptions,
      since: detached.settledBase,
      at: environment.now.instant
    )
    return withPlaceholder(of: detached.query, for: currentSnapshot(entry), flags)
  }

  /// The state that an observer shows before it moves to another key; the new query may use it as a
  /// placeholder.
  func presence(
    of id: ObserverID
  ) -> (key: EntryKey, snapshot: EntrySnapshot, query: StoredQuery?)? {
    guard let index = find(id), let key = slots[Int(observers[index].entry)].key else { return nil }
    return (key, currentSnapshot(Int(observers[index].entry)), observers[index].query)
  }

  /// The placeholder of an observer on an entry; `nil` if the observer observes another entry.
  func placeholder(of id: ObserverID, on key: EntryKey) -> ValueBox? {
    guard let index = find(id), slots[Int(observers[index].entry)].key == key else { return nil }
    return observers[index].query?.placeholder
  }

  /// Changes the query of an existing observer.
  ///
  /// - Parameters:
  ///   - observer: The observer.
  ///   - query: The new query.
  ///   - resolvedOptions: Its options from now on.
  ///   - onSubscribe: The policy for subscriptions, if the observer waited for a store until now.
  ///   - keepsPlaceholder: Whether the new query has the same placeholder as the old one.
  ///   - transaction: The transaction.
  mutating func reobserve(
    _ observer: Int,
    query: StoredQuery,
    resolvedOptions: ResolvedObserverOptions,
    onSubscribe: RefetchPolicy.Answer? = nil,
    keepsPlaceholder: Bool = true,
    _ transaction: inout Transaction
  ) {
    let entry = Int(observers[observer].entry)
    let old = observers[observer].resolvedOptions
    // An existing observer keeps the policy for subscriptions with which it subscribed.
    var resolvedOptions = resolvedOptions
    resolvedOptions.onSubscribe = onSubscribe ?? old.onSubscribe
    if onSubscribe == nil { resolvedOptions.retriesOnSubscribe = old.retriesOnSubscribe }
    if observers[observer].query !== query {
      // An observer that is enabled while it waits for a store fetches after that, even if the entry was
      // removed before.
      if old.participation == .restoring, query.terms.isEnabled == true,
        observers[observer].query?.terms.isEnabled == false
      {
        observers[observer].pollBase = transaction.environment.now.instant
      }
      let wasDynamic = observers[observer].isDynamic
      slots[entry].dynamicCount += (query.isDynamic ? 1 : 0) - (wasDynamic ? 1 : 0)
      transaction.drop(observers[observer].query)
      observers[observer].follow(query)
      showPlaceholder(observer, isKept: keepsPlaceholder)
    }
    guard old != resolvedOptions else { return }
    // There is no event if only `linger` differs, or if the observer waited for a store: nobody has
    // changed its options.
    var asked = old
    asked.linger = resolvedOptions.linger
    if asked != resolvedOptions, old.participation != .restoring {
      emit(.observerOptionsUpdated, entry, transaction)
    }
    let now = transaction.environment.now.instant
    let lookup = old.isEnabled ? nil : slots[entry].machine.lookup(by: resolvedOptions, at: now)
    let (actions, base) = slots[entry].machine.reobserved(
      from: old,
      since: observers[observer].pollBase,
      to: resolvedOptions,
      isTurnedByFunction: query.asksWhetherEnabled,
      in: transaction.environment
    )
    observers[observer].resolvedOptions = resolvedOptions
    observers[observer].pollBase = base
    // A miss without a fetch is no lookup: a function has enabled the observer only because the entry was
    // emptied.
    if let lookup, lookup != .miss || !slots[entry].machine.isIdle {
      recordLookup(lookup, entry, transaction)
    }
    apply(actions, entry, &transaction)
  }

  /// Applies the options that the functions of an observer's query have returned.
  mutating func answered(
    _ observer: Int,
    _ query: StoredQuery,
    _ resolvedOptions: ResolvedObserverOptions,
    _ transaction: inout Transaction
  ) {
    // An observer that waits for a store goes on waiting until `arrive`, even if the store was read just now:
    // first the store's data is put into the cache, and the writes that waited for the store are made.
    guard observers[observer].resolvedOptions.participation != .restoring else { return }
    var resolvedOptions = resolvedOptions
    // No function returns `linger`. A caller may have set the present value, so that value stays.
    resolvedOptions.linger = observers[observer].resolvedOptions.linger
    reobserve(observer, query: query, resolvedOptions: resolvedOptions, &transaction)
  }

  /// Moves an observer to another entry: it joins the new entry before it leaves the old one.
  mutating func move(
    _ observer: Int,
    to entry: Int,
    query: StoredQuery,
    resolvedOptions: ResolvedObserverOptions,
    _ transaction: inout Transaction
  ) {
    let old = observers[observer]
    observers[observer].follow(query)
    attach(observer, to: entry, resolvedOptions: resolvedOptions, arrival: .moved, &transaction)
    detach(old, &transaction)
    transaction.drop(old.query)
    wakeIfNews(observer)
  }

  /// Lets an entry adopt the query of its first observer that is due for a refetch, unless a fetch
  /// is in flight.
  mutating func electObserver(
    of entry: Int,
    _ cause: FetchCause?,
    _ transaction: inout Transaction
  ) {
    guard slots[entry].machine.isIdle, slots[entry].isWatched else { return }
    let machine = slots[entry].machine
    var first: Int?
    for observer in slots[entry].observers.lazy.map(Int.init) {
      if let first, observers[first].arrival < observers[observer].arrival { continue }
      let (resolvedOptions, base) = (
        observers[observer].resolvedOptions, observers[observer].pollBase
      )
      if machine.isDue(resolvedOptions, since: base, cause, in: transaction.environment) {
        first = observer
      }
    }
    if let first, let query = observers[first].query { adopt(entry, query, &transaction) }
  }
}
