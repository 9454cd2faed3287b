// Refetches for the elements of queries' own triggers.

extension CacheState {
  /// The rest of the work for an element of a query's own triggers.
  enum TriggerOutcome {
    /// Nothing: it has refetched, another refetch will do, or there is nothing to refetch.
    case done
    /// The entry has to be refetched once its store is read.
    case restoring(RestoringEntry)
    /// The entry is to be refetched at a later time.
    case later(EntryID, Instant)
  }

  /// A query's own trigger stream had an element.
  ///
  /// - Parameters:
  ///   - trigger: The element.
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: What is left to do.
  mutating func heard(
    _ trigger: Signal.QueryTrigger,
    random: UInt64,
    _ transaction: inout Transaction
  ) -> TriggerOutcome {
    guard let index = find(trigger.key), slots[index].query?.canFetch == true else { return .done }
    let former = slots[index].triggerPacing.first
    // Most triggers are not paced, and nothing is kept for them.
    if former == nil, trigger.pacing.isOff { return triggered(index, &transaction) }
    var pacing = former ?? TriggerPacing()
    let now = transaction.environment.now.instant
    let due = pacing.heard(trigger.pacing, at: now, random: random)
    slots[index].triggerPacing = [pacing]
    guard let due else { return .done }
    let entry = id(of: index)
    return due > now ? .later(entry, due) : triggerDue(entry, &transaction)
  }

  /// The time has come at which an entry was to be refetched for its triggers.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - transaction: The transaction.
  /// - Returns: What is left to do.
  mutating func triggerDue(
    _ entry: EntryID,
    _ transaction: inout Transaction
  ) -> TriggerOutcome {
    let now = transaction.environment.now.instant
    guard let index = find(entry), var pacing = slots[index].triggerPacing.first,
      pacing.takeDue(at: now)
    else { return .done }
    slots[index].triggerPacing = [pacing]
    return triggered(index, &transaction)
  }

  private mutating func triggered(
    _ index: Int,
    _ transaction: inout Transaction
  ) -> TriggerOutcome {
    guard slots[index].machine.isActive else {
      return restoring(index).map(TriggerOutcome.restoring) ?? .done
    }
    input(index, &transaction) { $0.requested(.trigger, in: $1) }
    return .done
  }
}
