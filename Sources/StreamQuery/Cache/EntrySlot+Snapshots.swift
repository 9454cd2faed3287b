// How snapshots are renewed.
//
// A snapshot is made when somebody first looks at the entry, and renewed in the same transaction
// that changes the entry. So nobody sees an older state after a newer one: outside the lock, the slot never
// has an outdated snapshot. An entry that nobody looks at has no snapshot and costs nothing.
//
// Most transactions change something that no observer can see: a deadline, a counter of waiters,
// the cause of a fetch that was requested twice. A thousand observers must never be woken to see
// the same again. So a renewal answers three questions, cheapest first:
//
// 1. Is the data different? Boxes never change, so the same object is the same data. If the data is
// different, the new snapshot replaces the old one, and the old one is not kept.
// 2. Does the new snapshot show the same? Then it keeps the old version, and nobody is woken. The
//    mark of an invalidation is not part of any result, but filters read it from the snapshot, so
//    the snapshot itself is still renewed.
// 3. Does it show the same as the snapshot before the last one? A fetch that starts and is
//    cancelled at once restores the earlier state. This state is news for observers that looked in
//    between, but not for the others. So the slot keeps one more snapshot, and goes back to it with
//    its version.
//
// The old snapshot is moved out of the slot before it is compared. Reading it in place would retain
// and release it, and all threads with observers of this entry write to that reference count. The
// released reference leaves with the transaction: the data is a user's object, and its deinit must
// not run under the lock.
extension EntrySlot {
  /// A new snapshot of the entry's current state.
  @inline(__always)
  func makeSnapshot(version: UInt64) -> EntrySnapshot {
    makeSnapshot(version: version, layered: self.shown)
  }

  /// The data that observers see if there are layers: the entry's data, with the layers over it.
  ///
  /// The present box stays if the data below it does.
  var layeredData: LayeredBox? {
    guard isLayered else { return nil }
    let base = machine.hasData ? data : nil
    if let shown = self.shown, shown.base === base { return shown }
    return LayeredBox(base: base, layers: self.layers.map(\.layer))
  }

  /// A snapshot of the current state without the layers over its data.
  var bareSnapshot: EntrySnapshot { makeSnapshot(version: 0, layered: nil) }

  @inline(__always)
  private func makeSnapshot(version: UInt64, layered: LayeredBox?) -> EntrySnapshot {
    EntrySnapshot(
      version: version,
      key: key,
      facts: machine.snapshotFacts,
      data: machine.hasData ? data : nil,
      error: machine.isError ? self.error : nil,
      failureReason: machine.failureCount > 0 ? self.failureReason : nil,
      feature: query?.feature,
      layered: layered
    )
  }

  /// Renews the snapshot after a change of the entry, if there is a snapshot.
  ///
  /// - Parameters:
  ///   - version: The version for a state that nobody has seen.
  ///   - transaction: The transaction.
  /// - Returns: Whether the new snapshot has this version, so that no other snapshot may get the version.
  mutating func renewSnapshot(version: UInt64, _ transaction: inout Transaction) -> Bool {
    guard let old = snapshot.take() else { return false }
    let new = makeSnapshot(version: version)
    // An earlier state is kept only if it has the same data.
    guard old.base === new.base else {
      transaction.drop(self.previousSnapshot.take())
      transaction.drop(old)
      snapshot = new
      return true
    }
    guard !new.showsTheSame(as: old) else {
      // The version stays, so that an invalidation alone wakes nobody: no result shows that the data was
      // invalidated. An observer learns from its flags that the data is stale.
      snapshot = new.isInvalidated == old.isInvalidated ? old : makeSnapshot(version: old.version)
      transaction.drop(old)
      transaction.drop(new)
      return false
    }
    let previous = self.previousSnapshot
    // Removed layers never come back, so a state with them is not kept.
    let isKept = old.layered == nil || old.layered === new.layered
    self.previousSnapshot = isKept ? old : nil
    if !isKept { transaction.drop(old) }
    if let previous, previous.showsTheSame(as: new), previous.isInvalidated == new.isInvalidated {
      snapshot = previous
      transaction.drop(new)
      return false
    }
    snapshot = new
    transaction.drop(previous)
    return true
  }

  /// The info of the entry for filters, dynamic options and diagnostics.
  @inline(__always)
  func info(_ snapshot: EntrySnapshot, at now: Instant) -> QueryInfo? {
    guard let key else { return nil }
    return QueryInfo(
      key: key.key,
      observerCount: machine.observerCount,
      waiterCount: machine.waiterCount,
      pollFailureCount: machine.pollFailureCount,
      isActive: machine.isActive,
      isDisabled: machine.isDisabled,
      isStatic: machine.isStatic,
      isStale: machine.isStale(at: now),
      meta: query?.meta ?? QueryMeta(),
      age: machine.hasData
        ? .nanoseconds(max(0, now.nanoseconds - machine.dataUpdatedAt.instant.nanoseconds)) : nil,
      isPart: machine.extent == .part,
      awaitsStore: machine.awaitsStore,
      entryKey: key,
      snapshot: snapshot
    )
  }

  /// Forgets the snapshots, because nobody reads them any more.
  mutating func forgetSnapshots(_ transaction: inout Transaction) {
    guard snapshot != nil else { return }
    transaction.drop(snapshot.take())
    transaction.drop(self.previousSnapshot.take())
  }
}
