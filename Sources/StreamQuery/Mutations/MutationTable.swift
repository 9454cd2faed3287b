/// The runs of a client, in slots.
struct MutationTable {
  /// A handle that shows one run: the last one that was started through it.
  struct Follower {
    var run: MutationID?
    /// The final state of a run that was cleared, which a handle that showed the run still shows.
    var kept: MutationSnapshot?
  }

  var slots: [MutationSlot] = []
  var freeSlots = FreeRows()
  /// The number of the newest run; the first numbers are free for runs that were kept, see
  /// ``reserve()``.
  var lastSerial: UInt64 = 0
  var snapshotSerial: UInt64 = 0
  /// The runs of each mutation, in the order in which they were started.
  var runs: [EntryKey: RunQueue] = [:]
  /// All runs, in the order in which they were started.
  private(set) var all = RunQueue()
  var scopes: [String: RunQueue] = [:]
  /// The runs of which only the newest is sent, and those that wait for it to be kept.
  var paced: [PacedRuns: RunQueue] = [:]
  /// Whether it is not known yet which kept runs come before those of this process.
  var awaitsKeeper = false
  var followers: [Int: Follower] = [:]
  var lastFollower = 0
  /// The number of streams that follow each mutation; all of them follow its newest run.
  var streams: [EntryKey: Int32] = [:]
  /// The sum of these numbers.
  var streamCount = 0
  /// The transitions of network or app, in order, whose sweep over the entries waits for the runs
  /// that were paused before it.
  var held: [(cause: FetchCause, awaited: Set<MutationID>)] = []
  /// The runs that an archive may bring: those that were exported or imported.
  ///
  /// They are remembered for as long as the client lives, which is longer than the runs are kept.
  var archived: Set<RunIdentity> = []
  /// The runs that a keeper has, whether they have begun here or not.
  var kept: Set<RunIdentity> = []
  /// The number of runs that have not ended.
  var pendingCount = 0

  func find(_ id: MutationID) -> Int? {
    let index = Int(id.index)
    guard index < slots.count, slots[index].serial == id.serial, id.serial != 0 else { return nil }
    return index
  }

  func id(of index: Int) -> MutationID {
    MutationID(index: Int32(truncatingIfNeeded: index), serial: slots[index].serial)
  }

  /// Takes a slot for a new run.
  ///
  /// - Parameter serial: The number of a run that was kept; `nil` is the next one.
  /// - Returns: The run.
  mutating func makeSlot(_ serial: UInt64? = nil) -> MutationID {
    let index = freeSlots.take(from: &slots, new: MutationSlot())
    if serial == nil { lastSerial += 1 }
    slots[index].serial = serial ?? lastSerial
    let id = id(of: index)
    if serial == nil { all.append(id) } else { all.insert(id) }
    return id
  }

  /// Leaves the first numbers to runs that a keeper is going to bring: they come before all others.
  mutating func reserve() {
    lastSerial = 1 << 32
    awaitsKeeper = true
  }

  /// Frees the slot of a run, which then holds nothing of it.
  mutating func freeSlot(of id: MutationID) {
    all.remove(id)
    slots[Int(id.index)] = MutationSlot()
    freeSlots.put(Int(id.index), in: &slots)
  }

  /// The present snapshot of a run, for a single read.
  func glimpse(_ index: Int) -> MutationSnapshot? {
    slots[index].snapshot ?? makeSnapshot(index, version: 0)
  }

  /// The present snapshot of a run, for followers that compare its version.
  mutating func snapshot(_ index: Int) -> MutationSnapshot? {
    if slots[index].snapshot == nil { slots[index].snapshot = makeNextSnapshot(index) }
    return slots[index].snapshot
  }

  /// Updates the snapshot after a change.
  ///
  /// - Returns: The snapshot that is no longer needed; `nil` if nothing visible changed.
  mutating func refresh(_ index: Int) -> MutationSnapshot? {
    guard let old = slots[index].snapshot, let new = makeNextSnapshot(index),
      !new.showsTheSame(as: old)
    else { return nil }
    slots[index].snapshot = new
    return old
  }

  private mutating func makeNextSnapshot(_ index: Int) -> MutationSnapshot? {
    snapshotSerial += 1
    return makeSnapshot(index, version: snapshotSerial)
  }

  private func makeSnapshot(_ index: Int, version: UInt64) -> MutationSnapshot? {
    slots[index].job.map { MutationSnapshot(version: version, job: $0, slot: slots[index]) }
  }
}

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

/// One version of a run's state, immutable and shared by all its observers.
final class MutationSnapshot: Sendable {
  /// Unique within a client; later versions are greater.
  let version: UInt64
  let job: MutationJob
  let input: ValueBox
  /// How often the input was changed.
  let revision: UInt64
  let status: MutationStatus
  let isPaused: Bool
  let failureCount: Int
  let output: ValueBox?
  let error: ErrorBox?
  let failureReason: ErrorBox?
  let saved: SavedValues

  init(version: UInt64, job: MutationJob, slot: borrowing MutationSlot) {
    self.version = version
    self.job = job
    input = job.input
    revision = job.revision
    status =
      switch slot.machine.ending {
      case nil: .pending
      case .succeeded: .success
      case .failed: .error
      case .cancelled: .idle
      }
    isPaused = slot.machine.isPaused
    failureCount = slot.machine.failureCount
    output = status == .success ? slot.output : nil
    error = status == .error ? slot.error : nil
    failureReason = slot.machine.failureCount > 0 ? slot.failureReason : nil
    saved = job.saved
  }

  var id: MutationID { job.id }

  var key: EntryKey { job.key }

  var requestIdentity: RunIdentity { job.identity.revised(revision) }

  /// Whether two snapshots of one run show the same state, whatever their versions.
  func showsTheSame(as other: MutationSnapshot) -> Bool {
    status == other.status && isPaused == other.isPaused && failureCount == other.failureCount
      && input === other.input && output === other.output && error === other.error
      && failureReason === other.failureReason
      && saved.values.count == other.saved.values.count
  }
}

/// Which runs take the place of each other: those of a mutation in a scope that are versions of the
/// same.
struct PacedRuns: Hashable, Sendable {
  let key: EntryKey
  let scope: String?
  let pacingKey: String?

  init(with job: MutationJob) {
    (key, scope, pacingKey) = (job.key, job.scope, job.pacingKey)
  }
}
