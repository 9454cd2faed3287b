extension CacheState {
  /// Applies a report on the state of the network or the app.
  ///
  /// - Parameters:
  ///   - isOnline: Whether the network is reachable; `nil` if unchanged.
  ///   - isActive: Whether the app is active; `nil` if unchanged.
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: The conditions of observers that have to be evaluated.
  mutating func environmentReported(
    isOnline: Bool? = nil,
    isActive: Bool? = nil,
    random: UInt64 = 0,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Question] {
    var old = transaction.environment
    let now = transaction.environment.now.instant
    if let isOnline, returns.reported(isOnline: isOnline, at: now) {
      // The network already counted as up, because the report that it is down was too old. Attempts may have
      // failed meanwhile, so this report counts as a reconnect.
      old.isOnline = false
    }
    return environmentChanged(
      from: old,
      isOnline: isOnline.map { _ in returns.isOnline },
      isActive: isActive,
      random,
      &transaction
    )
  }

  /// Lets the network count as down for a developer tool, or believes the network's source again.
  ///
  /// - Parameters:
  ///   - isOffline: Whether the network counts as down, no matter what its source reports.
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: The conditions of observers that have to be evaluated.
  mutating func networkForced(
    isOffline: Bool,
    random: UInt64 = 0,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Question] {
    returns.forced(isOffline: isOffline)
    return environmentChanged(
      from: transaction.environment,
      isOnline: returns.isOnline,
      random,
      &transaction
    )
  }

  private mutating func environmentChanged(
    from old: Environment,
    isOnline: Bool? = nil,
    isActive: Bool? = nil,
    _ random: UInt64,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Question] {
    transaction.environment.isOnline = isOnline ?? old.isOnline
    transaction.environment.isActive = isActive ?? old.isActive
    environment.isOnline = transaction.environment.isOnline
    environment.isActive = transaction.environment.isActive
    announce(.environmentChanged, &transaction)
    switch EnvironmentTransition(from: old, to: transaction.environment) {
    case nil: return []
    case .away:
      resumeMutations(releases: false, &transaction)
      environmentMoved(of: nil, &transaction)
      return []
    case .back(let cause):
      // Paused mutations go first, so that the refetches bring the changes of these mutations.
      let paused = pausedMutations(in: transaction.environment)
      resumeMutations(releases: environment.isOnline, &transaction)
      let counts = returns.counts(cause, at: transaction.environment.now.instant)
      guard paused.isEmpty else {
        // The refetches come when these runs have an outcome, even if `counts` delays those of this return.
        returns.owesNothing(for: cause)
        hold(cause, for: paused, &transaction)
        resumeAwaitedFetches(&transaction)
        return []
      }
      guard counts else {
        resumePausedFetches(&transaction)
        return []
      }
      return refetchWilling(cause, random: random, &transaction)
    }
  }

  /// Tells the observed and fetching entries that the network or the app changed.
  ///
  /// This starts no fetch; a refetch may come later.
  ///
  /// - Parameters:
  ///   - cause: The transition, or `nil` if the network was lost or the app became inactive.
  ///   - transaction: The transaction.
  mutating func environmentMoved(of cause: FetchCause?, _ transaction: inout Transaction) {
    for index in slots.live.sorted().lazy.map(Int.init) {
      input(index, &transaction) { $0.environmentMoved(cause, in: $1) }
      restsForApp(index)
    }
  }

  /// Starts the refetches that a reconnect or an activation delayed until now.
  ///
  /// If the report that the network is down has become too old, the network counts as online again.
  ///
  /// - Parameters:
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: The conditions of observers that have to be evaluated.
  mutating func returnsDue(
    random: UInt64,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Question] {
    let environment = transaction.environment
    let now = environment.now.instant
    returns.woke(at: now)
    var questions: [RefetchCondition.Question] = []
    if returns.takeDoubt(at: now) {
      questions += environmentChanged(from: environment, isOnline: true, random, &transaction)
    }
    // If the network is offline again, or the app inactive, these refetches are dropped: the next reconnect
    // or activation refetches.
    for owed in returns.takeOwed(at: now)
    where owed.cause == .reconnect ? self.environment.isOnline : self.environment.isActive {
      questions += refetchWilling(owed.cause, since: owed.since, random: random, &transaction)
    }
    sweepDue(&transaction)
    return questions
  }

  /// After a reconnect or an activation, refetches the observed entries whose observers want that, and
  /// continues paused fetches.
  ///
  /// - Parameters:
  ///   - cause: The reconnect or the activation.
  ///   - since: Entries with data from this time or later are omitted; `nil` omits none.
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: The conditions of observers that have to be evaluated, except those that are
  ///   already being evaluated.
  mutating func refetchWilling(
    _ cause: FetchCause,
    since: Instant? = nil,
    random: UInt64,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Question] {
    var questions: [RefetchCondition.Question] = []
    var later: [EntryID] = []
    let isSpread = returns.isSpreading(cause)
    for entry in slots.live.sorted() {
      let index = Int(entry)
      if let since, slots[index].machine.hasData,
        slots[index].machine.dataUpdatedAt.instant >= since
      {
        continue
      }
      if wasRemoved(index, since: cause) { continue }
      if isSpread, mayWait(index, cause) {
        later.append(id(of: index))
        input(index, &transaction) { $0.environmentMoved(cause, in: $1) }
        continue
      }
      electObserver(of: index, cause, &transaction)
      input(index, &transaction) { $0.environmentChanged(cause, in: $1) }
      var present: QueryInfo?
      for position in slots[index].observers {
        guard let query = conditionalQuery(of: cause, Int(position)),
          let info = present ?? info(index, at: transaction.environment.now.instant)
        else { continue }
        present = info
        let observer = observers.id(of: Int(position))
        let condition = RefetchCondition(observer: observer, entry: id(of: index), cause: cause)
        // No condition is evaluated twice at a time: a network that comes and goes must not start many slow
        // evaluations.
        if conditions.updateValue(conditions[condition] != nil, forKey: condition) == nil {
          questions.append(
            RefetchCondition.Question(
              condition: condition,
              query: query,
              info: info,
              restoring: restoring(index)
            )
          )
        }
      }
    }
    if isSpread {
      returns.spread(later, cause, at: transaction.environment.now.instant, random: random)
    }
    return questions
  }

  /// Whether an entry was removed after the newest reconnect or activation, so that only the next one
  /// refetches it.
  private func wasRemoved(_ index: Int, since cause: FetchCause) -> Bool {
    returns.newest(cause).map { slots[index].machine.wasRemoved(after: $0) } ?? false
  }

  /// Whether the network or the app has come back since the entry was removed, so that an observer with these
  /// options refetches it.
  func hasReturned(to resolvedOptions: ResolvedObserverOptions, _ index: Int) -> Bool {
    let policies: [(cause: FetchCause, policy: RefetchPolicy.Answer)] = [
      (.reconnect, resolvedOptions.onReconnect), (.active, resolvedOptions.onActive),
    ]
    return slots[index].machine.isRemoved
      && policies.contains { cause, policy in
        policy != .never && returns.newest(cause) != nil && !wasRemoved(index, since: cause)
      }
  }

  /// Whether the refetch of an entry may be delayed, because no caller and no condition waits for it.
  private func mayWait(_ index: Int, _ cause: FetchCause) -> Bool {
    slots[index].waiters.isEmpty
      && slots[index].observers.allSatisfy { conditionalQuery(of: cause, Int($0)) == nil }
  }

  /// Starts the spread refetches that are due now.
  ///
  /// If the network is down again, or the app inactive, nothing is refetched until the next return. A paused
  /// fetch continues if the environment allows it.
  private mutating func sweepDue(_ transaction: inout Transaction) {
    for row in returns.takeDue(at: transaction.environment.now.instant) {
      guard let index = find(row.entry) else { continue }
      let isBack = row.cause == .reconnect ? environment.isOnline : environment.isActive
      let refetches = isBack && !wasRemoved(index, since: row.cause)
      if refetches { electObserver(of: index, row.cause, &transaction) }
      let cause = refetches ? row.cause : nil
      input(index, &transaction) { $0.environmentChanged(cause, in: $1) }
    }
  }

  /// Continues the paused fetches after a reconnect or an activation that refetches nothing.
  ///
  /// If an entry has a delayed refetch, its paused fetch continues at that time, or now if a caller awaits
  /// it.
  private mutating func resumePausedFetches(_ transaction: inout Transaction) {
    let spread = Set(returns.rows.map(\.entry))
    for index in slots.live.sorted().lazy.map(Int.init) {
      if slots[index].waiters.isEmpty, spread.contains(id(of: index)) {
        input(index, &transaction) { $0.environmentMoved(nil, in: $1) }
      } else {
        input(index, &transaction) { $0.environmentChanged(nil, in: $1) }
      }
    }
  }

  /// Resumes the paused fetches that callers await, even while the other refetches wait for the end of
  /// mutation runs.
  ///
  /// One of these runs may itself wait for these fetches.
  mutating func resumeAwaitedFetches(_ transaction: inout Transaction) {
    for index in slots.live.sorted().lazy.map(Int.init)
    where slots[index].machine.isPaused && !slots[index].waiters.isEmpty {
      input(index, &transaction) { $0.environmentChanged(nil, in: $1) }
    }
  }

  /// Asks an asynchronous policy, if there is one, whether a subscription refetches cached data.
  ///
  /// - Parameters:
  ///   - position: The observer that subscribes.
  ///   - transaction: The transaction.
  mutating func askOnArrival(_ position: Int, _ transaction: Transaction) {
    let observer = observers[position]
    let entry = Int(observer.entry)
    guard let query = observer.query, query.conditionalCauses.contains(.subscribed),
      observer.resolvedOptions.participation == .enabled,
      slots[entry].machine.hasData, !slots[entry].machine.isFetching,
      let info = info(entry, at: transaction.environment.now.instant)
    else { return }
    let condition = RefetchCondition(
      observer: observers.id(of: position),
      entry: id(of: entry),
      cause: .subscribed
    )
    guard conditions.updateValue(false, forKey: condition) == nil else { return }
    let question = RefetchCondition.Question(condition: condition, query: query, info: info)
    actionQueue.enqueue(.askPolicy(question))
  }

  /// Starts the refetch of an observer, if the answer to the observer's condition allows it.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - policy: The answer.
  ///   - transaction: The transaction.
  /// - Returns: The condition to evaluate again, because its answer was no and another reconnect or
  ///   activation came during its evaluation; otherwise `nil`.
  mutating func answered(
    _ condition: RefetchCondition,
    _ policy: RefetchPolicy.Answer,
    _ transaction: inout Transaction
  ) -> RefetchCondition.Question? {
    let isOutdated = conditions.removeValue(forKey: condition) ?? false
    guard let observer = find(condition.observer),
      find(condition.entry) == Int(observers[observer].entry),
      observers[observer].resolvedOptions.isEnabled,
      let query = conditionalQuery(of: condition.cause, observer)
        ?? (waited(for: condition.cause, observer) ? observers[observer].query : nil)
    else { return nil }
    let index = Int(observers[observer].entry)
    let isRemoved =
      condition.cause == .subscribed
      ? slots[index].machine.wasRemoved(after: observers[observer].pollBase)
      : wasRemoved(index, since: condition.cause)
    guard !isRemoved else { return nil }
    let (resolvedOptions, now) = (
      observers[observer].resolvedOptions, transaction.environment.now.instant
    )
    guard slots[index].machine.isWilling(policy, resolvedOptions, at: now) else {
      guard isOutdated, let info = info(index, at: now) else { return nil }
      conditions[condition] = false
      return RefetchCondition.Question(condition: condition, query: query, info: info)
    }
    if slots[index].machine.isIdle { adopt(index, query, &transaction) }
    input(index, &transaction) { $0.requested(condition.cause, in: $1) }
    return nil
  }

  /// Renews a question with the present info of its entry, after a store was read.
  ///
  /// - Returns: The question; `nil` if the observer has left.
  mutating func renewed(
    _ question: RefetchCondition.Question,
    _ transaction: Transaction
  ) -> RefetchCondition.Question? {
    guard let observer = find(question.condition.observer),
      find(question.condition.entry) == Int(observers[observer].entry),
      let info = info(Int(observers[observer].entry), at: transaction.environment.now.instant)
    else {
      conditions[question.condition] = nil
      return nil
    }
    return RefetchCondition.Question(
      condition: question.condition,
      query: question.query,
      info: info
    )
  }

  /// The query of an observer, if a refetch for the observer first needs the answer of a condition,
  /// or the data of a store.
  private func conditionalQuery(of cause: FetchCause, _ observer: Int) -> StoredQuery? {
    guard let query = observers[observer].query else { return nil }
    let isConditional = query.conditionalCauses.contains(cause)
    return switch observers[observer].resolvedOptions.participation {
    case .disabled: nil
    case .enabled: isConditional ? query : nil
    case .restoring: isConditional || waited(for: cause, observer) ? query : nil
    }
  }

  /// Whether a cause refetches even fresh data for an observer, once the query's store was read.
  private func waited(for cause: FetchCause, _ observer: Int) -> Bool {
    observers[observer].resolvedOptions.refetchesAlways(on: cause)
  }
}

/// A condition of an observer; it decides whether a cause, such as a reconnect, refetches.
struct RefetchCondition: Hashable, Sendable {
  let observer: ObserverID
  /// The entry that was observed when the evaluation began; the answer is valid for no other entry.
  let entry: EntryID
  let cause: FetchCause

  /// A condition, with all that its evaluation needs.
  struct Question: Sendable {
    let condition: RefetchCondition
    /// The query that has the condition.
    let query: StoredQuery
    /// The info of the entry when the question was made.
    let info: QueryInfo
    /// The entry, if its data has to be restored from a store before the condition is evaluated;
    /// otherwise `nil`.
    var restoring: RestoringEntry?
  }
}
