/// A request of a transaction to the client, which performs the requests in order, outside the
/// lock.
enum Action: Sendable {
  case wake(SuspendedTask<Void>)
  case start(FetchJob, attempt: Int)
  case cancel(FetchJob)
  case settle(Few<Waiter>, WaitOutcome)
  /// Let the timer sleep until this instant, instead of the instant that was requested before.
  case arm(Instant)
  /// Evaluate the dynamic options of the entry's observers again.
  case ask(EntryID)
  /// Evaluate the asynchronous policy that decides whether a subscription refetches.
  indirect case askPolicy(RefetchCondition.Question)
  /// Report that each evaluation of a key's dynamic options causes another one.
  case unsettled(AnyQueryKey)
  /// Report that many keys, including this one, share one hash.
  case crowded(AnyQueryKey)
  /// Report an event. The case is indirect, so that an action without an event, such as a wake-up,
  /// takes little room.
  indirect case emit(QueryEvent)
  /// Report that the entry in `slot` was removed, together with many others. The last value is the position
  /// of this event among the events of these removals.
  case emitRemoval(RemovedEntries, slot: Int32, UInt32)
  /// Call the handlers of a fetch that has ended.
  indirect case settled(FetchJob, Result<ValueBox, any Error>)
  /// Wake the observers of the number of fetches, because it may have changed.
  case recount
  /// Evaluate the cost of an entry whose data changed.
  case measure(EntryID)
  /// Evict more entries, because one transaction may evict only so many.
  case evict
  /// Tell the readers of the record that there are new events.
  case recorded
  /// Write the data of an entry as a text, for the record.
  indirect case recordValue(RecordedValue)
  /// Tell the persister that persisted entries changed.
  case persist
  /// Signal a waiting task: all earlier actions were performed, or the wait is over.
  case reached(SharedOneShot<Void>)
  case mutation(MutationAction)
}

/// A transaction's request about runs of mutations, to be performed by the client.
enum MutationAction: Sendable {
  /// Call the callbacks that come before the first attempt.
  case prepare(MutationJob)
  case perform(MutationJob, attempt: Int)
  /// Call the callbacks that come before the end.
  case settle(MutationJob, WaitOutcome)
  case cancel(MutationJob)
  /// Give the run to the outbox. The outbox lets a durable run go on once the run is written, and any other
  /// run once the earlier stored runs are known.
  case keep(MutationJob)
  /// Tell the outbox the progress of a stored run.
  case kept(MutationJob, RunProgress)
  /// Tell the outbox that a run has ended, because the outbox may have a record of the run.
  case over(MutationJob, MutationMachine.Ending, wasDurable: Bool)
  /// Report that a newer run replaced this one, although the two may be about different items. If
  /// `changesOthers`, they are about different items: this run changed data that the newer one does not
  /// change.
  case discarded(MutationJob, by: MutationJob, changesOthers: Bool)
  /// Tell observers of mutations that some runs were changed, added or removed.
  case news([MutationNews])
  /// Start the refetches of a reconnect or an activation, which waited until paused mutations had ended.
  case refetchWilling([FetchCause])
}

/// An action that the transaction's own caller has to perform, because it needs the caller's task.
enum CallerAction: Sendable {
  /// Make the task for work that another thread will start.
  case prepareTask(PreparedTask)
  /// Raise the priority of work to at least the given priority; `nil` means the caller's priority.
  case lend(TaskChain, WorkPriority?)
  case several([CallerAction])
}

/// Performs actions, outside the lock.
protocol ActionRunner {
  func perform(_ action: Action)

  /// Starts a separate task at the default priority that calls ``QueryCache/drainActions(_:)``.
  func startDrainTask()

  /// Whether the system may stop the current thread for long, so that others must not wait for it.
  var isOfLowPriority: Bool { get }

  /// Performs the action of a transaction's caller.
  func performInCaller(_ callerAction: CallerAction)
}
