/// A run as it lies in the cache: the machine, and beside it what machines must not hold.
struct MutationSlot {
  /// 0 while the slot is free.
  var serial: UInt64 = 0
  var machine = MutationMachine(terms: MutationTerms(), isFirst: true, at: .never)
  var job: MutationJob?
  var output: ValueBox?
  /// Why the run fails or failed; shown when it is over.
  var error: ErrorBox?
  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox?
  /// The caller, and whoever else waits for the end.
  var waiters: [Waiter] = []
  /// The entries that the run has laid layers over.
  var layered: [EntryID] = []
  /// The present state; `nil` until somebody looks.
  var frame: MutationFrame?
  /// The handle that shows the run: that which it was started through.
  var handle: Int?
  /// Where the run stands in the deadline heap; -1 for nowhere.
  var heapPosition: Int32 = -1
  /// The next free slot, while this one is free.
  var nextFree: Int32 = -1
}
