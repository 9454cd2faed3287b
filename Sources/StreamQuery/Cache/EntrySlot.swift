/// An entry as it lies in the cache: the machine, and beside it what machines must not hold.
struct EntrySlot {
  var generation: UInt32 = 0
  /// `nil` while the slot is free.
  var key: EntryKey?
  var machine = EntryMachine(at: .zero)
  var data: ValueBox?
  /// The last final error; shown while the machine says so.
  var error: ErrorBox?
  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox?
  /// The newest plan that was given, preferring one that can fetch.
  var plan: ResolvedPlan?
  /// The fetch in flight.
  var job: FetchJob?
  /// The present state; `nil` until somebody looks.
  var frame: Frame?
  /// Counts changes: what was asked of a closure is void once it moved on.
  var revision: UInt64 = 0
  var consumers: [Int32] = []
  @SmallCount var dynamicCount = 0
  var waiters: [Waiter] = []
  /// Tells waiters that were answered from those that still wait.
  var waiterRound: UInt32 = 0
  /// Waiters that left early and are still in ``waiters``.
  @SmallCount var goneWaiters = 0
  /// The entries whose fetches this entry's fetch waits for.
  var awaits: [EntryID] = []
  /// Where the entry stands among the entries that are observed or fetching; -1 for nowhere.
  var livePosition: Int32 = -1
  /// The next free slot, while this one is free.
  var nextFree: Int32 = -1
}
