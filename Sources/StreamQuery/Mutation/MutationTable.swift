/// The runs of a client, in slots.
struct MutationTable {
  var slots: [MutationSlot] = []
  var freeSlot: Int32 = -1
  var lastSerial: UInt64 = 0
  var frameSerial: UInt64 = 0
  /// The runs of each mutation, in the order of their start.
  var runs: [EntryKey: MutationLine] = [:]
  /// Every run, in the order of their start.
  private var order = MutationLine()
  var lanes = MutationLanes()
  var followers: [Int: MutationFollower] = [:]
  var lastFollower = 0
  /// How many streams follow each mutation: all of them follow its newest run.
  var streams: [EntryKey: Int32] = [:]
  /// How many these are together.
  var streamCount = 0
  /// In the order of the edges.
  var held: [HeldSweep] = []
  /// The runs that some archive may bring: those that were exported or imported, as long as the
  /// client lives, which is longer than the runs are kept.
  var archived: Set<RunIdentity> = []
  /// Runs that are not over.
  var pendingCount = 0

  func find(_ id: MutationID) -> Int? {
    let index = Int(id.index)
    guard index < slots.count, slots[index].serial == id.serial, id.serial != 0 else { return nil }
    return index
  }

  func id(of index: Int) -> MutationID {
    MutationID(index: Int32(truncatingIfNeeded: index), serial: slots[index].serial)
  }

  /// Every run, in the order of their start.
  ///
  /// - Complexity: O(*n*) in the number of runs that are kept.
  var all: ArraySlice<MutationID> { order.runs }

  /// Takes a slot for a new run.
  mutating func makeSlot() -> MutationID {
    let index: Int
    if freeSlot >= 0 {
      index = Int(freeSlot)
      freeSlot = slots[index].nextFree
    } else {
      index = slots.count
      slots.append(MutationSlot())
    }
    lastSerial += 1
    slots[index].serial = lastSerial
    slots[index].nextFree = -1
    let id = id(of: index)
    order.append(id)
    return id
  }

  /// Gives the slot of a run back, which keeps nothing of it.
  mutating func freeSlot(of id: MutationID) {
    order.remove(id)
    slots[Int(id.index)] = MutationSlot()
    slots[Int(id.index)].nextFree = freeSlot
    freeSlot = id.index
  }

  /// The present frame of a run, for a look.
  func glimpse(_ index: Int) -> MutationFrame? {
    slots[index].frame ?? makeFrame(index, version: 0)
  }

  /// The present frame of a run, for those who follow it and know it by its version.
  mutating func frame(_ index: Int) -> MutationFrame? {
    if slots[index].frame == nil { slots[index].frame = makeNextFrame(index) }
    return slots[index].frame
  }

  /// Takes a change over into the frame.
  ///
  /// - Returns: The frame that is of no use any more; `nil` if there is nothing new to see.
  mutating func refresh(_ index: Int) -> MutationFrame? {
    guard let old = slots[index].frame, let new = makeNextFrame(index), !new.showsTheSame(as: old)
    else { return nil }
    slots[index].frame = new
    return old
  }

  private mutating func makeNextFrame(_ index: Int) -> MutationFrame? {
    frameSerial += 1
    return makeFrame(index, version: frameSerial)
  }

  private func makeFrame(_ index: Int, version: UInt64) -> MutationFrame? {
    slots[index].job.map { MutationFrame(version: version, job: $0, slot: slots[index]) }
  }
}
