/// The result of reading an observation without waiting.
enum Poll<Value: Sendable>: Sendable {
  /// The newest state, which the observer has not seen.
  case news(Value)
  case nothing
  /// The observation was cancelled, or the client was shut down.
  case over
}

/// Whether an observer may wait for news.
enum SuspendDecision: Sendable {
  case suspended
  /// The observer waits; another task already waits for news of the same observer.
  case suspendedBesideAnother(EntryKey)
  /// There is already news.
  case news
  /// The caller must not wait, because it is code of the fetch of the same key: the news comes when that
  /// fetch ends, and the fetch would wait for this code.
  case ownFetch(FetchJob)
}

extension CacheState {
  /// The newest snapshot that an observer has not seen.
  mutating func poll(_ id: ObserverID) -> Poll<(snapshot: EntrySnapshot, flags: QueryFlags)> {
    guard let index = find(id) else { return .over }
    return pollSnapshot(index).map(Poll.news) ?? .nothing
  }

  /// The newest snapshot for the observer in a row of the table, if the observer has not seen it.
  ///
  /// - Parameters:
  ///   - observer: The row of the observer.
  ///   - position: The observer's position in a group of observers, or `nil`; if there is no new snapshot
  ///     now, the group is told of the next one.
  /// - Returns: The snapshot with the observer's flags; `nil` if the observer has seen them.
  @inline(__always)
  mutating func pollSnapshot(
    _ observer: Int,
    waitingAt position: MemberPosition? = nil
  ) -> (snapshot: EntrySnapshot, flags: QueryFlags)? {
    let (snapshot, flags) = shownSnapshot(observer)
    let isNews = observers[observer].saw(snapshot.version, flags, waitingAt: position)
    return isNews ? (snapshot, flags) : nil
  }

  /// The current snapshot and flags for an observer, with the observer's placeholder if there is no data.
  @inline(__always)
  mutating func shownSnapshot(_ observer: Int) -> (EntrySnapshot, QueryFlags) {
    let entry = Int(observers[observer].entry)
    let snapshot = snapshot(entry)
    let flags = flags(of: observer, entry)
    guard observers[observer].hasPlaceholder else { return (snapshot, flags) }
    return withPlaceholder(of: observers[observer].query, for: snapshot, flags)
  }

  /// The fetch status of the entry that an observer observes.
  func fetchStatus(for observer: Int) -> FetchStatus {
    slots[Int(observers[observer].entry)].machine.fetchStatus
  }

  /// Suspends a task until an observer has news.
  ///
  /// The task is not suspended if there is news already, if the observer has ended, or if the wait would
  /// never end.
  mutating func park(_ id: ObserverID, _ task: SuspendedTask<Void>) -> SuspendDecision {
    guard let index = find(id), !hasNews(index) else { return .news }
    if let own = ownFetch(of: Int(observers[index].entry)) { return .ownFetch(own) }
    guard let other = observers[index].suspended else {
      observers[index].suspended = .alone(task)
      return .suspended
    }
    observers[index].alsoSuspended.append(.alone(task))
    if case .member(let position) = other, !groups[position.group].isReadAsWhole {
      return .suspended
    }
    return slots[Int(observers[index].entry)].key.map(SuspendDecision.suspendedBesideAnother)
      ?? .suspended
  }

  /// Whether an observer has not seen the current state.
  ///
  /// This compares versions, because comparing snapshots would retain and release them.
  private mutating func hasNews(_ observer: Int) -> Bool {
    let entry = Int(observers[observer].entry)
    guard observers[observer].seenVersion == version(entry) else { return true }
    guard !observers[observer].hasPlaceholder else {
      return shownSnapshot(observer).1 != observers[observer].seenFlags
    }
    return flags(of: observer, entry) != observers[observer].seenFlags
  }

  @inline(__always)
  private func flags(of observer: Int, _ entry: Int) -> QueryFlags {
    slots[entry].machine.flags(
      for: observers[observer].resolvedOptions,
      since: observers[observer].settledBase,
      at: environment.now.instant
    )
  }

  /// Whether an observer would see an unchanged entry differently now, for example because the data has
  /// become stale.
  func showsNews(_ entry: Int) -> Bool {
    slots[entry].observers.contains { observer in
      let seen = observers[Int(observer)].seenFlags.subtracting(.placeholder)
      return flags(of: Int(observer), entry) != seen
    }
  }

  /// Wakes those suspended observers of an entry that would see a difference.
  mutating func wake(_ entry: Int) {
    let version = slots[entry].snapshot?.version
    for observer in slots[entry].observers { wakeIfNews(Int(observer), version) }
  }

  /// Wakes an observer with a new query, if the placeholder of that query differs from what the observer has
  /// seen.
  mutating func showPlaceholder(_ observer: Int, isKept: Bool) {
    let wasShown = observers[observer].seenFlags.contains(.placeholder)
    guard wasShown || observers[observer].suspended != nil else { return }
    let isShown = shownSnapshot(observer).1.contains(.placeholder)
    let isOther = wasShown && isShown && !isKept
    // A different placeholder changes neither version nor flags, so the observer forgets the
    // version that it has seen.
    if isOther { observers[observer].seenVersion = .max }
    if isOther || isShown != wasShown { wakeSuspended(observer) }
  }

  /// Removes the placeholders of an entry's observers from their queries, because the entry is being emptied.
  mutating func forgetMadePlaceholders(_ entry: Int, _ transaction: inout Transaction) {
    for observer in slots[entry].observers.lazy.map(Int.init) {
      guard let plain = observers[observer].query?.plain else { continue }
      transaction.drop(observers[observer].query)
      observers[observer].follow(plain)
      showPlaceholder(observer, isKept: false)
    }
  }

  mutating func wakeIfNews(_ observer: Int) {
    wakeIfNews(observer, slots[Int(observers[observer].entry)].snapshot?.version)
  }

  /// Wakes a suspended observer if this observer would see a difference.
  ///
  /// Without a snapshot there always is a difference, because nobody has read the entry since its
  /// last change.
  @inline(__always)
  private mutating func wakeIfNews(_ observer: Int, _ version: UInt64?) {
    guard observers[observer].suspended != nil else { return }
    if observers[observer].seenVersion == version {
      let seen = observers[observer].seenFlags.subtracting(.placeholder)
      guard flags(of: observer, Int(observers[observer].entry)) != seen else { return }
    }
    wakeSuspended(observer)
  }

  /// Wakes the task of a suspended observer, or reports the news to the observer's group.
  @inline(__always)
  mutating func call(_ suspended: SuspendedObserver) {
    switch suspended {
    case .alone(let task): actionQueue.enqueue(.wake(task))
    case .member(let position): memberChanged(position)
    }
  }

  @inline(__always)
  private mutating func wakeSuspended(_ observer: Int) {
    if let suspended = observers[observer].suspended.take() { call(suspended) }
    guard !observers[observer].alsoSuspended.isEmpty else { return }
    for suspended in observers[observer].alsoSuspended { call(suspended) }
    observers[observer].alsoSuspended = []
  }
}

/// Adds the placeholder of a query to a snapshot that has neither data nor error.
func withPlaceholder(
  of query: StoredQuery?,
  for snapshot: EntrySnapshot,
  _ flags: QueryFlags
) -> (EntrySnapshot, QueryFlags) {
  // Only the data below layers counts here, because the layers are applied later, outside the lock.
  guard snapshot.base == nil, snapshot.error == nil, let placeholder = query?.placeholder else {
    return (snapshot, flags)
  }
  return (EntrySnapshot(snapshot, placeholder: placeholder), flags.union(.placeholder))
}

extension CacheState {
  /// Whether there are listeners for events.
  var emitsEvents: Bool {
    @inline(__always) get { reports.needs >= .events }
  }

  /// Records the lookup of a caller or an observer.
  @inline(__always)
  mutating func recordLookup(_ lookup: CacheLookup, _ index: Int, _ transaction: Transaction) {
    reports.lookups.count(lookup)
    noteUse(of: index)
    // A `QueryRecord` does not contain lookups, so only receivers of events get them.
    if reports.needs >= .lookups { tell(.lookup(lookup), index, at: transaction.environment.now) }
  }
}
