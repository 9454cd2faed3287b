extension CacheState {
  /// Requests a fetch on behalf of a caller that waits for it.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - request: The request.
  ///   - query: The query if a fetch starts; a running fetch is joined as it is. `nil` keeps the
  ///     current query.
  ///   - role: The caller's role for the fetch; `nil` if it does not wait.
  ///   - group: The group of a caller that waits for several fetches.
  ///   - transaction: The transaction.
  /// - Returns: The waiter of the caller; `nil` if the caller does not wait. If a caller wants a lease on a
  ///   fetch that waits for this caller, the result is `nil`, too, and nothing is requested.
  mutating func request(
    _ index: Int,
    _ request: FetchRequest,
    query: StoredQuery? = nil,
    role: Waiter.Role?,
    group: WaitGroup? = nil,
    _ transaction: inout Transaction
  ) -> Waiter? {
    var permit = WorkWait.Permit.refused
    if role == .leasing {
      permit = permitWait(of: transaction.caller, for: work(of: index))
      if case .refused = permit { return nil }
    }
    if role != nil { exempt(index, for: transaction) }
    let before = slots[index].machine.fetchID
    if role == .leasing { recordLookup(before == nil ? .miss : .joined, index, transaction) }
    // A fetch without a function takes the function of the first caller that has one.
    if let query,
      before == nil || request.joining == .none
        || request.joining == .irreplaceable && slots[index].machine.hasData
        || query.canFetch && slots[index].query?.canFetch != true
    {
      adopt(index, query, &transaction)
    }
    let actions = slots[index].machine.requested(
      request.cause,
      joining: request.joining,
      clientLease: request.hasClientLease,
      part: request.part,
      isAwaited: role == .leasing,
      in: transaction.environment
    )
    let begins = slots[index].machine.fetchID != before
    if begins, before != nil { moveWaitersAlong(index) }
    // The fetch becomes as urgent as its caller, even if the caller does not wait.
    if !begins, role != nil || request.cause == .manual, let job = slots[index].job {
      transaction.lend(to: job.tasks)
    }
    var waiter: Waiter?
    // A caller does not watch a fetch that waits for the caller, because that wait would never end. If this
    // request has just replaced the caller's own fetch, the caller belongs to no fetch any more, and may
    // watch the new one.
    if role == .watching || role == .watchingUnlessPaused && !slots[index].machine.isPaused {
      permit = permitWait(of: transaction.caller, for: work(of: index))
    }
    if let role, case .granted(let wait) = permit {
      group?.addMember(id(of: index), wait)
      let registered = register(
        index,
        role: role,
        transaction.priority,
        wait,
        group,
        request.allowance
      )
      if begins {
        slots[index].initiator = registered
      } else if slots[index].machine.isPut(off: request.part)
        || request.part == .whole && slots[index].machine.isFollowed
          && (request.joining == .irreplaceable
            || request.joining == .upToDate && slots[index].machine.staysMarked)
      {
        registered.waitsForSuccessor = true
      }
      waiter = registered
    }
    apply(actions, index, &transaction)
    if waiter?.isOfRun == true { restsForApp(index) }
    return waiter
  }

  /// Registers a caller with the current fetch of an entry.
  private mutating func register(
    _ index: Int,
    role: Waiter.Role,
    _ priority: WorkPriority,
    _ wait: WorkWait?,
    _ group: WaitGroup?,
    _ allowance: StaleAllowance?
  ) -> Waiter {
    let waiter = Waiter(
      role: role,
      isOfRun: role != .leasing && MutationJob.current != nil,
      entry: id(of: index),
      generation: waiterGeneration(of: index),
      priority: priority,
      wait: wait,
      group: group,
      allowance: allowance
    )
    slots[index].waiters.append(waiter)
    if role == .leasing { slots[index].machine.waiterJoined() }
    if let end = allowance?.softTimeoutEnd {
      distrustMark(index)
      slots[index].servingRecord.waiterJoined(until: end)
    }
    return waiter
  }

  /// The generation of an entry's present waiters; a new one if nobody waits yet.
  ///
  /// No generation is ever used twice, so a waiter that was answered is never taken for one that waits.
  private mutating func waiterGeneration(of index: Int) -> UInt64 {
    if slots[index].waiterGeneration == 0 {
      slots.waiterSerial += 1
      slots[index].waiterGeneration = slots.waiterSerial
    }
    return slots[index].waiterGeneration
  }

  /// The entry whose fetch a caller awaits.
  @inline(__always)
  func awaitedEntry(of waiter: Waiter) -> Int? {
    guard let entry = waiter.entry else { return nil }
    return find(entry)
  }

  /// The fetch that a caller waits for; `nil` if the caller was answered.
  borrowing func fetchWait(of waiter: Waiter, for key: EntryKey) -> FetchWait? {
    guard let index = awaitedEntry(of: waiter), waiter.generation != 0,
      waiter.generation == slots[index].waiterGeneration, let fetch = slots[index].machine.fetch
    else { return nil }
    let entry = slots[index].generation
    return FetchWait(
      key: key.key,
      fetch: FetchIdentity(client: id, entry: entry, number: fetch.id.rawValue),
      isJoining: slots[index].initiator !== waiter
    )
  }

  /// Watches the present attempt of the fetch that a caller waits for.
  ///
  /// - Parameter caller: The caller.
  /// - Returns: The watcher; `nil` if no attempt is running.
  mutating func watchAttempt(of caller: Waiter) -> Waiter? {
    guard let index = awaitedEntry(of: caller), caller.generation != 0,
      caller.generation == slots[index].waiterGeneration, slots[index].machine.stage == .running
    else { return nil }
    return register(index, role: .watchingAttempt, .current, nil, nil, nil)
  }

  /// Whether any caller waits for the end of a fetch.
  func isAwaited(_ job: FetchJob) -> Bool {
    guard let index = find(job.entry), slots[index].job === job else { return false }
    return slots[index].waiters.contains {
      $0.role != .watchingAttempt && $0.generation != 0 && !$0.isResolved
    }
  }

  /// Answers the callers that watch an attempt, because the fetch of the entry has no running
  /// attempt any more.
  mutating func attemptRests(_ index: Int) {
    settleWatchers(index) { $0.role == .watchingAttempt }
  }

  /// If the fetch of an entry is paused while the app is inactive, answers the runs that watch the fetch.
  ///
  /// A durable run goes on while the app is inactive, so it must not wait for a fetch that needs an active
  /// app: the later runs of its scope wait for that run.
  mutating func restsForApp(_ index: Int) {
    guard !environment.isActive, slots[index].machine.isPaused else { return }
    settleWatchers(index) { $0.isOfRun }
  }

  private mutating func settleWatchers(_ index: Int, where isMeant: (Waiter) -> Bool) {
    let watchers = slots[index].waiters.filter(isMeant)
    guard !watchers.isEmpty else { return }
    slots[index].waiters.removeAll(where: isMeant)
    if let initiator = slots[index].initiator, isMeant(initiator) { slots[index].initiator = nil }
    for watcher in watchers { watcher.generation = 0 }
    answer(watchers, .settled)
  }

  /// Removes a cancelled caller, and ends the caller's lease.
  mutating func removeWaiter(_ waiter: Waiter, _ transaction: inout Transaction) {
    guard let index = awaitedEntry(of: waiter) else { return }
    // The waiter may have been answered already, while its task has not been resumed yet.
    guard waiter.generation != 0, waiter.generation == slots[index].waiterGeneration else { return }
    waiter.generation = 0
    waiterWent(index, &transaction)
    if waiter.role == .leasing { input(index, &transaction) { $0.waiterLeft(in: $1) } }
  }

  /// Removes the waiters of a cancelled bulk call; these waiters held no leases.
  mutating func removeWaiters(_ group: WaitGroup, _ transaction: inout Transaction) {
    for entry in group.entries {
      if let index = find(entry) { waiterWent(index, &transaction) }
    }
  }

  /// Counts a caller that has left, and removes the waiters of all such callers once they outnumber the
  /// others.
  ///
  /// So each caller that leaves costs a constant time on average.
  private mutating func waiterWent(_ index: Int, _ transaction: inout Transaction) {
    guard !slots[index].waiters.isEmpty else { return }
    slots[index].goneWaiters += 1
    guard slots[index].goneWaiters * 2 > slots[index].waiters.count else { return }
    let waiters = slots[index].waiters
    slots[index].waiters = waiters.filter { !$0.isResolved }
    slots[index].goneWaiters = 0
    // A waiter may hold the last reference to a user's error, which must not be released under the
    // lock.
    for waiter in waiters where waiter.isResolved {
      if waiter === slots[index].initiator { slots[index].initiator = nil }
      transaction.drop(waiter)
    }
  }

  // MARK: Answers

  /// The watchers of an unobserved entry's fetch; `nil` if there are none.
  ///
  /// These watchers get the last state of the entry, because the entry may be gone before they read its
  /// state.
  func unobservedWatchers(of index: Int) -> Few<Waiter>? {
    guard !slots[index].isWatched,
      slots[index].waiters.contains(where: { $0.role == .watching })
    else { return nil }
    return slots[index].waiters.filter { $0.role == .watching }
  }

  /// Answers all waiters of a fetch that ended.
  mutating func answerWaiters(_ ending: FetchEnding, _ index: Int, _ transaction: Transaction) {
    let (all, initiator) = slots[index].takeWaiters()
    guard !all.isEmpty else { return }
    let waiters = moveToNextFetch(all, index)
    guard !waiters.isEmpty else { return }
    switch ending {
    case .succeeded, .kept, .replaced, .delivered, .nothing:
      answer(waiters, slots[index].visible.map(WaitOutcome.value) ?? .cancelled)
    case .failed:
      answerFailure(of: waiters, index, transaction)
    case .cancelled:
      // The caller that started the fetch gets the restored data; the other callers learn that the
      // fetch was cancelled.
      let data = slots[index].machine.isAnswer ? slots[index].visible.map(WaitOutcome.value) : nil
      if let initiator { answer(Few(initiator), data ?? .cancelled) }
      answer(waiters.filter { $0 !== initiator }, .cancelled)
    case .removed:
      answer(waiters, .cancelled)
    }
  }

  /// Gives callers the outcome of their wait; the wait is over with this transaction.
  mutating func answer(_ waiters: Few<Waiter>, _ outcome: WaitOutcome) {
    guard !waiters.isEmpty else { return }
    for waiter in waiters { waiter.endWait() }
    actionQueue.enqueue(.settle(waiters, outcome))
  }

  /// Moves the waiters that want a newer answer to the fetch that follows the ended one, if there is such a
  /// fetch.
  ///
  /// - Returns: The waiters to answer now.
  private mutating func moveToNextFetch(_ waiters: Few<Waiter>, _ index: Int) -> Few<Waiter> {
    guard !slots[index].machine.isIdle, !slots[index].machine.isLive else { return waiters }
    let moving = waiters.filter { $0.waitsForSuccessor }
    guard !moving.isEmpty else { return waiters }
    let answered = waiters.filter { !$0.waitsForSuccessor }
    requeue(moving, index)
    // The first waiter counts as the caller that started the next fetch.
    slots[index].initiator = slots[index].waiters.first
    return answered
  }

  /// Moves the waiters of a fetch to the fetch that has replaced it.
  ///
  /// The number of replacements in a row is limited, see ``EntryMachine/supersessionLimit``. A request with
  /// ``EntryMachine/Joining/none``, which gives a fetcher new input, may always replace the fetch of others.
  private mutating func moveWaitersAlong(_ index: Int) {
    let waiters = slots[index].takeWaiters().waiters
    slots[index].machine.waitersAnswered(leaving: 0)
    requeue(waiters, index)
  }

  /// Moves waiters whose fetch is over to the current fetch of the entry.
  ///
  /// If the current fetch is paused, the waiters whose wait ends at a pause are answered.
  mutating func requeue(_ waiters: Few<Waiter>, _ index: Int) {
    guard !waiters.isEmpty else { return }
    let (isIdle, isPaused) = (slots[index].machine.isIdle, slots[index].machine.isPaused)
    var others = Few<Waiter>()
    for waiter in waiters {
      if isIdle || waiter.generation == 0 || waiter.isResolved
        || isPaused && waiter.role.endsAtPause
      {
        others.append(waiter)
      } else {
        waiter.generation = waiterGeneration(of: index)
        waiter.waitsForSuccessor = false
        slots[index].waiters.append(waiter)
        if waiter.role == .leasing { slots[index].machine.waiterJoined() }
      }
    }
    // `others` includes the waiters of callers that have left: the answer releases these waiters, too.
    answer(others, isIdle ? .cancelled : .settled)
    restsForApp(index)
  }

  // MARK: Waits of work

  /// Lets a caller wait for some work, unless that work waits for the caller's own work.
  ///
  /// - Parameters:
  ///   - caller: The fetch or run that is about to wait; `nil` for other code, which no work can wait for.
  ///   - target: The target of the wait.
  /// - Returns: Whether the caller may wait.
  func permitWait(of caller: TaskChain?, for target: WorkID) -> WorkWait.Permit {
    guard let caller, isPresent(caller) else { return .granted(nil) }
    return WorkWait.begin(caller, for: target)
  }

  /// Whether the fetch of an entry is the caller's own work, or waits for this work, directly or indirectly.
  func waitsForCaller(_ index: Int, _ transaction: Transaction) -> Bool {
    guard !slots[index].machine.isIdle, let caller = transaction.caller, isPresent(caller)
    else { return false }
    return WorkWait.waits(work(of: index), for: caller.work)
  }

  /// How a request for a whole value joins the fetch of an entry, if code of that fetch may make the request.
  ///
  /// Such code may replace its fetch only a few times in a row, and joins it after that. Otherwise each
  /// replacement could request the next one, for ever. A fetch that has shown a part is joined at once,
  /// because a part is an answer, with which the count begins anew.
  // This is inlined, because the state is a large value, and a call would copy it for each entry.
  @inline(__always)
  func bounded(
    _ joining: EntryMachine.Joining,
    _ index: Int,
    _ transaction: Transaction
  ) -> EntryMachine.Joining {
    let hasDelivered = slots[index].machine.hasDelivered
    switch joining {
    case .any, .upToDate: return joining
    case .irreplaceable: if !hasDelivered, slots[index].machine.isReplaceable { return joining }
    case .none: if !hasDelivered, slots[index].machine.isWithinLimit { return joining }
    }
    return waitsForCaller(index, transaction) ? .upToDate : joining
  }

  /// Whether a caller's work continues.
  ///
  /// The work of a fetch that this transaction replaces does not continue.
  private func isPresent(_ caller: TaskChain) -> Bool {
    guard !caller.lifecycle.isOver else { return false }
    guard case .fetch(id, let entry) = caller.work else { return true }
    guard let index = find(entry), let job = slots[index].job else { return false }
    return job.tasks === caller && slots[index].machine.fetchID == job.id
  }

  /// The current fetch of an entry, as a target of a wait.
  func work(of index: Int) -> WorkID { .fetch(cache: id, entry: id(of: index)) }

  /// The fetch of an entry, if the current code is a part of this fetch: the fetch cannot end before the code
  /// does.
  func ownFetch(of entry: Int) -> FetchJob? {
    // The job is looked up first, because reading a task-local takes longer, and most entries have
    // no job.
    guard let job = slots[entry].job, TaskChain.own === job.tasks else { return nil }
    return job
  }
}
