// The refetches for elements of queries' own trigger streams.

extension CacheState {
  /// Refetches an entry after an element of a trigger stream of the entry's own query.
  ///
  /// - Parameters:
  ///   - trigger: The element, with the key and the pacing of its stream.
  ///   - random: 64 random bits, if the refetches are spread.
  ///   - transaction: The transaction.
  /// - Returns: The entry, if it has to be refetched once its store is read.
  mutating func heard(
    _ trigger: Signal.KeyTrigger,
    random: UInt64,
    _ transaction: inout Transaction
  ) -> RestoringEntry? {
    guard let index = find(trigger.key), slots[index].query?.canFetch == true else { return nil }
    announce(.heard(index), &transaction)
    guard slots[index].machine.isActive else { return restoring(index) }
    let former = slots[index].triggerPacing
    // Most triggers are not paced, and nothing is kept for them.
    if former != nil || !trigger.pacing.isOff {
      let now = transaction.environment.now.instant
      var pacing = former ?? TriggerPacing()
      pacing.heard(trigger.pacing, at: now, random: random)
      let isDue = pacing.takeDue(at: now)
      slots[index].triggerPacing = pacing
      guard isDue else {
        updateBookkeeping(index, &transaction)
        return nil
      }
    }
    input(index, &transaction) { $0.requested(.trigger, in: $1) }
    return nil
  }

  /// Refetches an entry whose paced triggers are due.
  ///
  /// Without an enabled observer nothing is refetched, and the next element counts as the first one.
  mutating func triggersReached(_ index: Int, _ transaction: inout Transaction) {
    guard var pacing = slots[index].triggerPacing,
      pacing.takeDue(at: transaction.environment.now.instant)
    else { return }
    guard slots[index].machine.isActive else { return forgetTriggers(index) }
    slots[index].triggerPacing = pacing
    input(index, &transaction) { $0.requested(.trigger, in: $1) }
  }

  /// Forgets earlier trigger elements of an entry, so that the next element counts as the first one.
  mutating func forgetTriggers(_ index: Int) {
    slots[index].triggerPacing = nil
  }
}
