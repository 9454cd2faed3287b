/// What a turn asks the shell to do, in order, outside the lock.
enum Errand: Sendable {
  case wake(Parked)
  case start(FetchJob, attempt: Int)
  case cancel(FetchJob)
  indirect case settle([Waiter], WaitOutcome)
  /// Sleep until then, instead of what was armed before.
  case arm(Moment)
  /// Ask the dynamic options of the entry's observers again.
  case ask(EntryID)
  /// Say that the dynamic options of a key do not settle.
  case unsettled(AnyQueryKey)
  /// Say that many keys, this one among them, have one hash.
  case crowded(AnyQueryKey)
  /// Indirect: a thousand wake-ups must not take the room of a thousand events.
  indirect case emit(QueryEvent)
  /// Tell of one of the entries that a turn removed together; which of the events since it is.
  case emitRemoval(RemovedEntries, slot: Int32, UInt32)
  /// The number of fetching entries may have changed.
  case recount
  case mutation(MutationErrand)
}
