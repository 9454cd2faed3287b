/// The runs of a client, in slots.
struct MutationTable {
  /// A handle that shows one run: the last run that was started through the handle.
  struct Follower {
    var run: MutationID?
    /// The final state of a run that was cleared while the handle showed it.
    var kept: MutationSnapshot?
  }

  var slots: [MutationSlot] = []
  var freeSlots = FreeRows()
  /// The number of the newest run; the first numbers are reserved for runs of an outbox, see
  /// ``reserve()``.
  var lastSerial: UInt64 = 0
  var snapshotSerial: UInt64 = 0
  /// The runs of each mutation, in the order in which they were started.
  var runs: [EntryKey: RunQueue] = [:]
  /// All runs, in the order in which they were started.
  private(set) var all = RunQueue()
  var scopes: [String: RunQueue] = [:]
  /// For each item of which only the newest run is sent: the runs that change the item.
  ///
  /// Older runs stay in the queue until the newest is written to the outbox.
  var paced: [PacedRuns: RunQueue] = [:]
  /// Whether the client does not know yet which runs the outbox has from earlier processes.
  var awaitsKeeper = false
  var followers: [Int: Follower] = [:]
  var lastFollower = 0
  /// The number of streams that follow each mutation; all these streams show the newest run.
  var streams: [EntryKey: Int32] = [:]
  /// The sum of the counts in `streams`.
  var streamCount = 0
  /// The refetches after reconnects and activations that wait for paused runs, in order, each with its runs.
  var delayedRefetches: [(cause: FetchCause, awaited: Set<MutationID>)] = []
  /// The runs that an archive may bring again, because they were exported or imported.
  ///
  /// These identities are remembered for as long as the client lives: longer than the runs are kept.
  var archived: Set<RunIdentity> = []
  /// The runs of which the outbox has a record, whether they began in this process or not.
  var kept: Set<RunIdentity> = []
  /// The number of runs that have not ended.
  var pendingCount = 0

  func find(_ id: MutationID) -> Int? {
    let index = Int(id.index)
    guard index < slots.count, slots[index].serial == id.serial, id.serial != 0 else { return nil }
    return index
  }

  /// The runs that have not ended, by their identities, if one of the given runs was ever exported or
  /// imported; otherwise empty.
  func pending(among runs: [RunIdentity]) -> [RunIdentity: MutationJob] {
    if archived.isDisjoint(with: runs) { return [:] }
    let jobs = all.compactMap { id -> (RunIdentity, MutationJob)? in
      guard let index = find(id), slots[index].machine.isPending, let job = slots[index].job
      else { return nil }
      return (job.identity, job)
    }
    return Dictionary(jobs) { first, _ in first }
  }

  func id(of index: Int) -> MutationID {
    MutationID(index: Int32(truncatingIfNeeded: index), serial: slots[index].serial)
  }

  /// Takes a slot for a new run.
  ///
  /// - Parameter serial: The number of a run from an outbox; `nil` is the next number.
  /// - Returns: The run.
  mutating func makeSlot(_ serial: UInt64? = nil) -> MutationID {
    let index = freeSlots.takeRow(from: &slots, new: MutationSlot())
    if serial == nil { lastSerial += 1 }
    slots[index].serial = serial ?? lastSerial
    let id = id(of: index)
    if serial == nil { all.append(id) } else { all.insert(id) }
    return id
  }

  /// Reserves the first numbers for the runs of an outbox, because these runs come before all others.
  mutating func reserve() {
    lastSerial = 1 << 32
    awaitsKeeper = true
  }

  /// Frees the slot of a run.
  mutating func freeSlot(of id: MutationID) {
    all.remove(id)
    slots[Int(id.index)] = MutationSlot()
    freeSlots.put(Int(id.index), in: &slots)
  }

  /// The present snapshot of a run, for a single read.
  func currentSnapshot(_ index: Int) -> MutationSnapshot? {
    slots[index].snapshot ?? makeSnapshot(index, version: 0)
  }

  /// The present snapshot of a run, for followers that compare its version.
  mutating func snapshot(_ index: Int) -> MutationSnapshot? {
    if slots[index].snapshot == nil { slots[index].snapshot = makeNextSnapshot(index) }
    return slots[index].snapshot
  }

  /// Updates the snapshot after a change.
  ///
  /// - Returns: The replaced snapshot; `nil` if nothing visible changed, or nobody has read a snapshot yet.
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

/// A run in the cache: its machine, and the objects that a machine must not hold.
struct MutationSlot: FreeRows.Row {
  /// 0 while the slot is free.
  var serial: UInt64 = 0
  var machine = MutationMachine(runOptions: RunOptions(), isFirst: true, at: .never)
  var job: MutationJob?
  var output: ValueBox?
  /// The error with which the run fails or failed; shown when it is over.
  var error: ErrorBox?
  /// The newest attempt's error; shown while the machine counts failures.
  var failureReason: ErrorBox?
  /// The caller and all others that wait for the end of the run.
  var waiters = Few<Waiter>()
  /// The entries that have layers of the run.
  var layered: [EntryID] = []
  /// The present state; `nil` until an observer reads it.
  var snapshot: MutationSnapshot?
  /// The handle that shows the run: the handle through which the run was started.
  var handle: Int?
  var nextFree: Int32 = -1

  // The table grows by an eighth instead of doubling, because runs stay for minutes after their end: of
  // 33,000 runs, each then takes 921 bytes instead of 1,071.
  static var sparesRoom: Bool { true }
}

/// One version of a run's state, immutable and shared by all its observers.
final class MutationSnapshot: Sendable {
  /// Unique within a client; later versions are greater.
  let version: UInt64
  let job: MutationJob
  let input: ValueBox
  /// The number of changes of the input that made another request.
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

  /// Whether two snapshots show the same state of the same run.
  ///
  /// The versions are not compared, because the snapshot of a single read has none.
  func isSame(as other: MutationSnapshot) -> Bool {
    self === other || requestIdentity == other.requestIdentity && showsTheSame(as: other)
  }

  /// Whether two snapshots of one run show the same state, whatever their versions.
  func showsTheSame(as other: MutationSnapshot) -> Bool {
    status == other.status && isPaused == other.isPaused && failureCount == other.failureCount
      && input === other.input && output === other.output && error === other.error
      && failureReason === other.failureReason
      && saved.values.count == other.saved.values.count
  }
}

/// Identifies the runs among which a newer one replaces older ones: they have the same mutation, the same
/// scope and the same key from `pacing(_:of:)`.
struct PacedRuns: Hashable, Sendable {
  let key: EntryKey
  let scope: String?
  let pacingKey: String?

  init(with job: MutationJob) {
    (key, scope, pacingKey) = (job.key, job.scope, job.pacingKey)
  }
}
