/// A run in the cache: its machine, and next to it what machines must not hold.
struct MutationSlot: FreeRows.Row {
  /// 0 while the slot is free.
  var serial: UInt64 = 0
  var machine = MutationMachine(runOptions: RunOptions(), isFirst: true, at: .never)
  var job: MutationJob?
  var output: ValueBox?
  /// Why the run fails or failed; shown when it is over.
  var error: ErrorBox?
  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox?
  /// The caller and the other waiters for the end.
  var waiters: [Waiter] = []
  /// The entries over which the run has laid layers.
  var layered: [EntryID] = []
  /// The present state; `nil` until an observer reads it.
  var snapshot: MutationSnapshot?
  /// The handle that shows the run: the one through which it was started.
  var handle: Int?
  /// The run's position in the deadline heap; -1 if it is not in it.
  var heapPosition: Int32 = -1
  var nextFree: Int32 = -1

  // Runs are kept for minutes after their end: of 33,000, each takes 921 bytes instead of 1,071.
  static var sparesRoom: Bool { true }
}
