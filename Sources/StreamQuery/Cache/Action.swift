/// What a transaction asks the shell to do, in order, outside the lock.
enum Action: Sendable {
  case wake(SuspendedObserver)
  case start(FetchJob, attempt: Int)
  case cancel(FetchJob)
  indirect case settle([Waiter], WaitOutcome)
  /// Sleep until this time, instead of an earlier request to sleep.
  case arm(Instant)
  /// Evaluate the dynamic options of the entry's observers again.
  case ask(EntryID)
  /// Report that the dynamic options of a key do not settle.
  case unsettled(AnyQueryKey)
  /// Report that many keys, including this one, share one hash.
  case crowded(AnyQueryKey)
  /// Indirect: a thousand wake-ups must not take the room of a thousand events.
  indirect case emit(QueryEvent)
  /// Report one of the entries that a transaction removed together; the number says which event
  /// since the removal.
  case emitRemoval(RemovedEntries, slot: Int32, UInt32)
  /// The number of fetching entries may have changed.
  case recount
  /// Evaluate what an entry costs, whose data changed.
  case measure(EntryID)
  /// There were more entries to evict than one transaction takes.
  case evict
  /// Persisted entries changed.
  case persist
  /// Tell somebody that all earlier actions were performed.
  case reached(SharedOneShot<Void>)
  case mutation(MutationAction)
}
