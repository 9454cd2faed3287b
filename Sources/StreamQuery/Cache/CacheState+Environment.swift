extension CacheState {
  /// Tells the observed and fetching entries that the network or the app changed, with no fetch
  /// following, or not yet.
  ///
  /// - Parameters:
  ///   - cause: The edge, or `nil` if the network or the app went away.
  ///   - transaction: The transaction.
  mutating func tell(of cause: FetchCause?, _ transaction: inout Transaction) {
    for entry in live.sorted() {
      let index = Int(entry)
      apply(
        slots[index].machine.environmentMoved(cause, in: transaction.environment),
        index,
        &transaction
      )
    }
  }

  /// Applies an edge of the network or the app to the observed and fetching entries.
  ///
  /// - Parameters:
  ///   - cause: The edge that refetches willing observers.
  ///   - transaction: The transaction.
  /// - Returns: The conditions to evaluate: those that are not already being evaluated.
  mutating func sweep(
    _ cause: FetchCause,
    _ transaction: inout Transaction
  ) -> [RefetchCondition.Asking] {
    var askings: [RefetchCondition.Asking] = []
    for entry in live.sorted() {
      let index = Int(entry)
      electObserver(of: index, cause, &transaction)
      apply(
        slots[index].machine.environmentChanged(cause, in: transaction.environment),
        index,
        &transaction
      )
      var present: QueryInfo?
      for position in slots[index].observers {
        guard let predicate = predicate(of: cause, Int(position)),
          let info = present ?? info(index, at: transaction.environment.now.instant)
        else { continue }
        present = info
        let generation = observers[Int(position)].generation
        let observer = ObserverID(index: position, generation: generation)
        let condition = RefetchCondition(observer: observer, entry: id(of: index), cause: cause)
        // One at a time: a flapping network must not pile up slow conditions.
        if conditions.updateValue(conditions[condition] != nil, forKey: condition) == nil {
          askings.append(
            RefetchCondition.Asking(condition: condition, predicate: predicate, info: info)
          )
        }
      }
    }
    return askings
  }

  /// Resumes the paused fetches that callers await, although the sweep is delayed: it may be
  /// delayed for a run that, in whatever way, waits for them.
  mutating func resumeAwaitedFetches(_ transaction: inout Transaction) {
    for index in live.sorted().lazy.map(Int.init)
    where slots[index].machine.isPaused && !slots[index].waiters.isEmpty {
      apply(
        slots[index].machine.environmentChanged(nil, in: transaction.environment),
        index,
        &transaction
      )
    }
  }

  /// A condition was answered.
  ///
  /// - Parameters:
  ///   - condition: Which one.
  ///   - policy: The answer.
  ///   - transaction: The transaction.
  /// - Returns: What has to be evaluated again: a refusal does not answer an edge that came after
  ///   the question.
  mutating func answered(
    _ condition: RefetchCondition,
    _ policy: RefetchPolicy,
    _ transaction: inout Transaction
  ) -> RefetchCondition.Asking? {
    let isOutdated = conditions.removeValue(forKey: condition) ?? false
    guard let observer = find(condition.observer),
      find(condition.entry) == Int(observers[observer].entry),
      let predicate = predicate(of: condition.cause, observer)
    else { return nil }
    let index = Int(observers[observer].entry)
    let (resolvedOptions, now) = (
      observers[observer].resolvedOptions, transaction.environment.now.instant
    )
    guard slots[index].machine.isWilling(policy, resolvedOptions, at: now) else {
      guard isOutdated, let info = info(index, at: now) else { return nil }
      conditions[condition] = false
      return RefetchCondition.Asking(condition: condition, predicate: predicate, info: info)
    }
    if slots[index].machine.isIdle, let query = observers[observer].query {
      adopt(index, query, &transaction)
    }
    apply(
      slots[index].machine.requested(condition.cause, in: transaction.environment),
      index,
      &transaction
    )
    return nil
  }

  /// The condition to evaluate before an edge refetches for an observer; `nil` if there is none.
  private func predicate(
    of cause: FetchCause,
    _ observer: Int
  ) -> EventRefetchPolicy.Condition? {
    guard observers[observer].resolvedOptions.isEnabled else { return nil }
    return observers[observer].query?.condition(of: cause)
  }
}
