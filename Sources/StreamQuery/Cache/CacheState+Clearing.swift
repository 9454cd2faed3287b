/// The minimum sizes of tables, and the maximum number of entries that are visited while the lock
/// is held.
struct CacheBounds {
  /// The number of entries that a search may visit before it has to release the lock.
  var lookLimit = 1_000
  /// The largest number of entries that were visited without releasing the lock so far: for tests.
  var longestLook = 0
  /// The number of slots that are always kept, even if few are in use.
  ///
  /// These slots take some 2 MB.
  var leastSlots = 4_096
  /// The number of rows for observers that are always kept.
  ///
  /// Rows are small, and observers that leave with a screen often come back with it.
  var leastObservers = 32_768
  /// Whether ``CacheState/shrink(_:)`` is to be called at the end of the transaction.
  var mayShrink = false
}

// Keeps the tables of entries about as large as their contents.
//
// While entries are only added, the tables only grow. When all entries are removed at once, or when
// most have been removed one by one, the tables are freed as a whole, and the remaining entries move
// into new tables.
extension CacheState {
  /// The limit for the number of slots, as a multiple of the number of entries.
  ///
  /// Moving the remaining entries takes about as long as the last growth of the tables. A move comes
  /// after at least seven times as many removals, so it costs little for each removal.
  static var spareFactor: Int { 8 }

  /// Removes all entries, with the effect of ``remove(_:reason:_:)`` on each.
  ///
  /// Entries that are observed or fetching are removed one by one. The others are not touched: they
  /// leave together with the tables, and are freed outside the lock.
  ///
  /// - Complexity: O(*k* log *k*) in the number of entries that are observed or fetching; with listeners for
  ///   events, also O(*n*) in the number of all entries.
  mutating func removeAll(reason: QueryEvent.RemovalReason, _ transaction: inout Transaction) {
    announce(.clearing(reason), &transaction)
    guard !slots.isEmpty else { return }
    let busy = slots.live.sorted()
    let orders = busy.map { creationOrder(of: Int($0)) }
    var oldIndex = KeyIndex()
    swap(&oldIndex, &slots.keys)
    let former = move(busy, &transaction)
    transaction.garbage.collect(value: (former, oldIndex))
    // The keys are inserted in the order of creation, because searches by prefix find entries in this order.
    for newIndex in busy.indices.sorted(by: { orders[$0] < orders[$1] }) {
      guard let key = slots[newIndex].key else { continue }
      slots.keys.insert(key.key, id: Int32(truncatingIfNeeded: newIndex))
    }
    guard emitsEvents else {
      for newIndex in busy.indices { remove(newIndex, reason: reason, &transaction) }
      return
    }
    // The events are in the order of the slots, as if each entry had been removed by itself.
    let serial = reports.eventSerial
    let date = transaction.environment.now.date
    let gone = RemovedEntries(in: former, reason: reason, date: date, eventSerial: serial)
    var newIndex = 0
    for slot in former.indices {
      if newIndex < busy.count, Int(busy[newIndex]) == slot {
        remove(newIndex, reason: reason, &transaction)
        newIndex += 1
      } else if former[slot].key != nil {
        reports.eventSerial += 1
        let count = UInt32(truncatingIfNeeded: reports.eventSerial - serial)
        actionQueue.enqueue(.emitRemoval(gone, slot: Int32(truncatingIfNeeded: slot), count))
      }
    }
  }

  /// Whether seven eighths of the slots, or more, are empty.
  var isSparse: Bool {
    @inline(__always) get { slots.keys.count * Self.spareFactor < slots.count }
  }

  /// Frees the memory of removed rows, if there is a lot of it.
  ///
  /// This is called at the end of a transaction, because slots must stay where they are until then.
  @inline(never)
  mutating func shrink(_ transaction: inout Transaction) {
    announce(.shrinking, &transaction)
    bounds.mayShrink = false
    if slots.count > bounds.leastSlots, isSparse { shrinkEntries(&transaction) }
    if observers.count > bounds.leastObservers, observers.liveCount == 0 {
      transaction.garbage.collect(value: observers.takeRows())
    }
    if mutations.slots.count > bounds.leastSlots, mutations.all.isEmpty { forgetRuns(&transaction) }
  }

  /// Frees the slots of removed entries: the remaining entries move into a new table.
  ///
  /// - Complexity: O(*n*) in the number of slots; only the remaining entries are moved.
  private mutating func shrinkEntries(_ transaction: inout Transaction) {
    var places = Array(repeating: -1 as Int32, count: slots.count)
    // The loop uses positions, because a loop over elements would retain and release each key.
    for position in slots.keys.entries.indices where slots.keys.entries[position].key != nil {
      places[Int(slots.keys.entries[position].id)] = 0
    }
    var kept: [Int32] = []
    kept.reserveCapacity(slots.keys.count)
    for slot in places.indices where places[slot] == 0 {
      places[slot] = Int32(truncatingIfNeeded: kept.count)
      kept.append(Int32(truncatingIfNeeded: slot))
    }
    let oldIndex = slots.keys.compact { places[Int($0)] }
    let former = move(kept, &transaction)
    transaction.garbage.collect(value: (former, oldIndex))
  }

  /// Frees all slots of runs; no run may be left.
  private mutating func forgetRuns(_ transaction: inout Transaction) {
    var old: [MutationSlot] = []
    swap(&old, &mutations.slots)
    mutations.freeSlots = FreeRows()
    deadlines.forgetRuns()
    transaction.garbage.collect(value: old)
  }

  // MARK: Steps

  private mutating func creationOrder(of index: Int) -> UInt64 {
    guard let key = slots[index].key else { return 0 }
    return slots.keys.creationOrder(of: key.storage, id: Int32(truncatingIfNeeded: index))
  }

  /// Moves entries into new slots, and updates everything that refers to slots of entries, except the
  /// index.
  ///
  /// - Parameters:
  ///   - kept: The old slots of the remaining entries, in order.
  ///   - transaction: The transaction.
  /// - Returns: The old slots, with the entries that do not remain.
  private mutating func move(_ kept: [Int32], _ transaction: inout Transaction) -> [EntrySlot] {
    announce(.moving(kept), &transaction)
    let old = slots.compact(to: kept)
    deadlines.move(kept, mutations.all.compactMap { mutations.find($0) })
    for newIndex in slots.indices where slots[newIndex].isWatched {
      for observer in slots[newIndex].observers {
        observers[Int(observer)].entry = Int32(truncatingIfNeeded: newIndex)
      }
    }
    return old
  }

  /// Ends all runs and observations, and removes all entries; no entry can be made afterwards.
  mutating func shutDown(_ transaction: inout Transaction) {
    isShutDown = true
    endImports(&transaction)
    clearMutations(sparesKept: false, &transaction)
    for index in observers.indices where observers[index].isLive {
      unsubscribe(observers.id(of: index), &transaction)
    }
    removeAll(reason: .cleared, &transaction)
  }

  /// Forgets the ended runs that handles still show, and the identities by which imports recognize runs.
  mutating func forgetFormerRuns(_ transaction: inout Transaction) {
    for (_, follower) in mutations.followers { transaction.drop(follower.kept) }
    mutations.followers = [:]
    mutations.archived = []
  }
}
