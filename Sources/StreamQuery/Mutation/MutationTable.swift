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
