/// A request of a transaction to the shell; the shell performs the requests in order, outside the
/// lock.
enum Action: Sendable {
  case wake(SuspendedTask<Void>)
  case start(FetchJob, attempt: Int)
  case cancel(FetchJob)
  case settle(Few<Waiter>, WaitOutcome)
  /// Sleep until this time, instead of an earlier request to sleep.
  case arm(Instant)
  /// Evaluate the dynamic options of the entry's observers again.
  case ask(EntryID)
  /// Evaluate a policy of a subscription that may wait.
  indirect case askPolicy(RefetchCondition.Question)
  /// Report that the dynamic options of a key do not settle.
  case unsettled(AnyQueryKey)
  /// Report that many keys, including this one, share one hash.
  case crowded(AnyQueryKey)
  /// Indirect: a thousand wake-ups must not take the room of a thousand events.
  indirect case emit(QueryEvent)
  /// Report one of the entries that a transaction removed together; with the number of its event
  /// since the removal.
  case emitRemoval(RemovedEntries, slot: Int32, UInt32)
  /// Call the handlers of a fetch that has ended.
  indirect case settled(FetchJob, Result<ValueBox, any Error>)
  /// The number of fetching entries may have changed.
  case recount
  /// Evaluate the cost of an entry whose data changed.
  case measure(EntryID)
  /// There were more entries to evict than one transaction takes.
  case evict
  /// There are events for a reader of the record.
  case recorded
  /// Write the data of an entry as a text, for the record.
  indirect case recordValue(RecordedValue)
  /// Persisted entries changed.
  case persist
  /// Signal that all earlier actions were performed, or that a wait is over.
  case reached(SharedOneShot<Void>)
  case mutation(MutationAction)
}

/// A request of a transaction to the shell about mutation runs.
enum MutationAction: Sendable {
  /// Call the callbacks that come before the first attempt.
  case prepare(MutationJob)
  case perform(MutationJob, attempt: Int)
  /// Call the callbacks that come before the end.
  case settle(MutationJob, WaitOutcome)
  case cancel(MutationJob)
  /// Keep the run beyond the process, or tell when the runs before it are known.
  case keep(MutationJob)
  /// A kept run took a step.
  case kept(MutationJob, RunProgress)
  /// A kept run is over.
  case over(MutationJob, MutationMachine.Ending)
  /// A run took the place of another one, which may have been about another item: certainly if it
  /// changed data that the newer one leaves alone.
  case discarded(MutationJob, by: MutationJob, changesOthers: Bool)
  /// Some runs were changed, added or removed.
  case news([MutationNews])
  /// Refetch for the transitions that waited for mutations.
  case refetchWilling([FetchCause])
}

/// A duty of a transaction's caller, because it needs the caller's own context.
enum CallerAction: Sendable {
  /// Make the task for work that another thread will start.
  case prepareTask(PreparedTask)
  /// Raise the priority of work to at least this one; `nil` is the caller's.
  case lend(TaskChain, WorkPriority?)
  case several([CallerAction])
}

/// Performs actions, outside the lock.
protocol ActionRunner {
  func perform(_ action: Action)

  /// Starts a separate task at the default priority that calls ``QueryCache/drainActions(_:)``.
  func startDrainTask()

  /// Whether the current thread may be kept from running for long, so that others must not wait for
  /// it.
  var isOfLowPriority: Bool { get }

  /// Does the duty of a transaction's caller.
  func performInCaller(_ callerAction: CallerAction)
}
