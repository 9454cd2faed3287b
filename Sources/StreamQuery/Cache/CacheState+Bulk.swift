extension CacheState {
  @inline(__always)
  func isInScope(_ scope: RefetchScope, _ index: Int) -> Bool {
    switch scope {
    case .never: false
    case .active: slots[index].machine.isActive
    case .inactive: !slots[index].machine.isActive
    case .all: true
    }
  }

  @inline(__always)
  func isBulkRefetched(_ index: Int) -> Bool {
    !slots[index].machine.isDisabled && !slots[index].machine.isStatic
  }

  /// Starts or joins a fetch for a bulk call, such as an invalidation.
  ///
  /// If the call waits, it watches the fetch as a member of `group`. If nobody observes the key, the client
  /// itself holds a lease on the fetch, so that the fetch goes on.
  mutating func refetch(
    _ index: Int,
    _ cause: FetchCause,
    superseding: Bool,
    _ group: WaitGroup?,
    _ transaction: inout Transaction
  ) {
    guard slots[index].query != nil else { return }
    // The request comes first, because it may join a deferred fetch that the announcement begins.
    defer { announce(.refetched(index), &transaction) }
    let request = FetchRequest(
      cause: cause,
      joining: bounded(EntryMachine.Joining(superseding: superseding), index, transaction),
      hasClientLease: slots[index].machine.observerCount == 0
    )
    let isAnswered = slots[index].machine.isAnswered(joining: request.joining)
    let role: Waiter.Role? = group == nil || isAnswered ? nil : .watchingUnlessPaused
    _ = self.request(index, request, role: role, group: group, &transaction)
  }

  /// Removes the data and the errors of an entry.
  ///
  /// Its observers stay, and its retention does not begin again.
  mutating func empty(_ index: Int, isRemoved: Bool, _ transaction: inout Transaction) {
    announce(.fenced(index), &transaction)
    let actions = slots[index].machine.cleared(isRemoved: isRemoved, in: transaction.environment)
    transaction.drop(slots[index].data.take())
    transaction.drop(slots[index].error.take())
    transaction.drop(slots[index].failureReason.take())
    if slots[index].isWatched { forgetMadePlaceholders(index, &transaction) }
    apply(actions, index, &transaction)
  }

  /// Removes an entry; an observed entry is only emptied, because its observers stay.
  mutating func remove(
    _ index: Int,
    reason: QueryEvent.RemovalReason,
    _ transaction: inout Transaction
  ) {
    announce(.fenced(index), &transaction)
    removeAllLayers(index, &transaction)
    forgetTriggers(index)
    let isAlone = !slots[index].isWatched && slots[index].machine.isIdle
    // An entry that is dropped below need not be emptied before, because nobody would see it empty.
    if !isAlone {
      announce(.emptying(index, reason), &transaction)
      empty(index, isRemoved: true, &transaction)
    }
    guard slots[index].key != nil else { return }
    if !slots[index].isWatched {
      drop(index, reason: reason, &transaction)
    } else {
      // For its observers the emptied entry is a new one, without the former initial state.
      transaction.drop(slots[index].initialState.take())
      for observer in slots[index].observers {
        observers[Int(observer)].entryWasRemoved()
      }
      emit(.removed(reason), index, transaction, isKeptEmpty: true)
    }
  }

  /// The initial data that a reset restores: the data with which the entry began or, without that, the
  /// initial data of the entry's newest query.
  @inline(__always)
  func initialData(of index: Int) -> StoredInitialData? {
    slots[index].initialState?.source ?? slots[index].query?.initialData
  }

  /// The dynamic options of observers to evaluate before their entry is reset.
  ///
  /// - Returns: The options to evaluate; `nil` if there are none.
  func optionsAfterReset(
    _ index: Int,
    _ initialData: InitialData?,
    _ transaction: Transaction
  ) -> DynamicOptions? {
    guard slots[index].dynamicCount > 0 else { return nil }
    var slot = slots[index]
    _ = slot.machine.cleared(in: transaction.environment)
    if let initialData {
      let beginning = slot.initialState ?? initialData.initialState(at: transaction.environment.now)
      _ = slot.machine.initialDataPlaced(updatedAt: beginning.time, in: transaction.environment)
      slot.data = initialData.box
    }
    let now = transaction.environment.now.instant
    return dynamicOptions(of: slot, index, slot.info(slot.makeSnapshot(version: 0), at: now))
  }

  /// The dynamic options to evaluate before an answer becomes the data.
  ///
  /// If these options disable all observers with the new data, no other fetch follows.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - box: The answer.
  ///   - isPart: Whether the answer is an element of an endless stream.
  ///   - transaction: The transaction.
  /// - Returns: The options to evaluate; `nil` if they do not matter.
  func optionsAfterAnswer(
    _ job: FetchJob,
    _ box: ValueBox,
    isPart: Bool = false,
    _ transaction: Transaction
  ) -> DynamicOptions? {
    guard let index = find(job.entry), asksBeforeFollowing(job) else { return nil }
    var slot = slots[index]
    slot.machine.observersTurnOff(job.id)
    let environment = transaction.environment
    _ =
      isPart
      ? slot.machine.attemptProgressed(job.id, in: environment)
      : slot.machine.attemptSucceeded(job.id, in: environment)
    slot.data = box
    let info = slot.info(slot.makeSnapshot(version: 0), at: environment.now.instant)
    return dynamicOptions(of: slot, index, info)
  }

  /// Whether the dynamic options of observers have to be evaluated before a fetch may follow the
  /// given one.
  @inline(__always)
  func asksBeforeFollowing(_ job: FetchJob) -> Bool {
    guard let index = find(job.entry), !slots[index].rareData.isEmpty,
      slots[index].dynamicCount > 0
    else { return false }
    return slots[index].machine.isFollowedForObservers(job.id) && !isSuccessorAwaited(index)
  }

  /// Lets no other fetch follow the given fetch, if its answer disables all observers.
  ///
  /// If the entry has changed since the options were evaluated, the next fetch follows
  /// nevertheless, because the entry may not take the answer.
  mutating func judgeFollowing(
    _ job: FetchJob,
    _ answers: [DynamicOptions.Answer],
    asOf revision: UInt32
  ) {
    guard let index = find(job.entry), slots[index].revision == revision,
      enabledCount(of: index, with: answers) == 0, !isSuccessorAwaited(index)
    else { return }
    slots[index].machine.observersTurnOff(job.id)
  }

  /// The dynamic options to evaluate after the entry changed.
  ///
  /// - Returns: The options to evaluate; `nil` if there is no such entry.
  func dynamicOptions(of entry: EntryID, at now: Instant) -> DynamicOptions? {
    find(entry).flatMap { dynamicOptions(of: slots[$0], $0, info($0, at: now)) }
  }

  private func dynamicOptions(
    of slot: EntrySlot,
    _ index: Int,
    _ info: QueryInfo?
  ) -> DynamicOptions? {
    guard let info else { return nil }
    let queries = slot.observers.compactMap { position -> (ObserverID, StoredQuery)? in
      let observer = observers[Int(position)]
      guard let query = observer.query, query.isDynamic else { return nil }
      return (observers.id(of: Int(position)), query)
    }
    return DynamicOptions(
      entry: id(of: index),
      revision: slot.revision,
      info: info,
      queries: queries
    )
  }

  /// Resets an entry to its initial data, and refetches it if an observer is enabled afterwards.
  mutating func reset(
    _ index: Int,
    _ initialData: InitialData?,
    _ answers: [DynamicOptions.Answer],
    _ group: WaitGroup?,
    _ transaction: inout Transaction
  ) {
    emit(.reset, index, transaction)
    let enabledCount = enabledCount(of: index, with: answers)
    let waiters = enabledCount > 0 ? slots[index].takeWaiters().waiters : Few()
    if slots[index].query?.isPersisted == true {
      announce(.emptying(index, .removed), &transaction)
      // The initial state of the entry may be from a store that no longer has the data.
      transaction.drop(slots[index].initialState.take())
    }
    // The observers are found before the entry is emptied, because `empty` may replace their
    // queries by others without placeholders.
    let answered = answers.compactMap { answer in observer(answer, index).map { ($0, answer) } }
    empty(index, isRemoved: false, &transaction)
    self.placeInitialData(index, initialData, &transaction)
    if enabledCount > 0 {
      refetch(index, .reset, superseding: true, group, &transaction)
      // The callers of the dropped fetch wait for its replacement.
      requeue(waiters, index)
      if !waiters.isEmpty { announce(.changed(index), &transaction) }
      if let job = slots[index].job { lendPriorityOfWaiters(of: index, to: job, &transaction) }
    }
    for (observer, answer) in answered {
      guard let query = observers[observer].query else { continue }
      self.answered(observer, query, answer.resolvedOptions, &transaction)
    }
  }

  /// The number of observers of an entry that are enabled, once the answers are applied.
  private func enabledCount(of index: Int, with answers: [DynamicOptions.Answer]) -> Int {
    answers.reduce(slots[index].machine.enabledCount) { count, answer in
      guard let observer = observer(answer, index) else { return count }
      let was = observers[observer].resolvedOptions.isEnabled ? 1 : 0
      return count - was + (answer.resolvedOptions.isEnabled ? 1 : 0)
    }
  }

  /// The observer that an answer is about, if this observer still has the same query and entry.
  func observer(_ answer: DynamicOptions.Answer, _ index: Int) -> Int? {
    guard let observer = find(answer.observer), observers[observer].query === answer.query,
      Int(observers[observer].entry) == index
    else { return nil }
    return observer
  }
}

/// The dynamic options of an entry's observers, to evaluate for a state of the entry.
struct DynamicOptions: Sendable {
  /// The options of one observer in this state.
  struct Answer: Sendable {
    var observer: ObserverID
    var query: StoredQuery
    var resolvedOptions: ResolvedObserverOptions
  }

  let entry: EntryID
  let revision: UInt32
  /// The info of the entry in this state: after the reset, before the refetch.
  let info: QueryInfo
  /// The queries of the observers with dynamic options.
  let queries: [(ObserverID, StoredQuery)]
}
