@_spi(Adapters) internal import StreamQuery
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The end of a client, and the last writes to its stores.
//
// A manual write that waits until its store is read does not end with the client. As soon as the store has
// been read, the write is applied to the stored data, without a cache, and the result is saved.

extension StorePersister {
  func end(isErased: Bool, making writes: [LastWrite]) {
    if isErased { return erase() }
    // The uses of entries are noted now, because nothing is cached any more during the last write.
    let byUse = state.withLock { state in
      state.ids.filter { state.stores[$0]?.records.limit.order == .leastRecentlyUsedFirst }
    }
    noteUses(of: byUse)
    let (waits, ids, journal) = update { state in
      // The changes are taken from the cache, which is about to be emptied.
      state.drain(onlyRemovals: false)
      var waits: [SharedOneShot<Void>] = []
      for id in state.stores.keys {
        waits += state.stores[id]?.takeWaits() ?? []
      }
      let ids = state.isEnded ? [] : state.ids
      if !state.isEnded {
        for write in writes { state.add(write) }
      }
      state.isEnded = true
      return (waits, ids, state.journal.take())
    }
    withExtendedLifetime(journal) {}
    for wait in waits { wait.give(()) }
    for id in ids {
      if state.withLock({ $0.stores[id]?.records.isLoading == false }) { makeLastWrites(of: id) }
      start(id) { store in
        _ = store.writer.clientEnded(isErased: false)
        return store.writer.lastRound()
      }
    }
  }

  /// Performs the manual writes that waited for a store when the client ended.
  ///
  /// The store has been read by now.
  func makeLastWrites(of id: StoreID) {
    let writes = state.withLock { $0.stores[id]?.lastWrites.takeAll() ?? [] }
    for (number, last) in writes.enumerated() where !state.withLock(\.isErased) {
      guard let policy = last.policy else { continue }
      let kept = data(of: last.key, last.definition, policy)
      var isInvalidated = last.isInvalidated
      if kept == nil, last.isOfKeyAlone, keepsForAnother(last.key, last.definition, policy) {
        guard let importedAt = last.importedAt else {
          client?.report(.updateOfKeptData(key: last.key.key.description))
          continue
        }
        if let stamp = stamp(of: last.key, policy) {
          guard stamp.updatedAt < importedAt else { continue }
          isInvalidated = isInvalidated || stamp.isInvalidated
        }
      }
      let entry = last.entry(
        from: kept,
        isInvalidated: isInvalidated,
        // No entry of the cache has such a number.
        number: .max - UInt64(number),
        at: wallClock().timeIntervalSinceReferenceDate
      )
      guard let entry else { continue }
      update { $0.drop($0.stores[id]?.records.note(.changed(entry), of: last.key)) }
    }
  }

  /// Ends the client without another write, and drops all data.
  private func erase() {
    let (journal, held) = state.withLock { state in
      (state.isEnded, state.isErased) = (true, true)
      return (state.journal.take(), state.ids.compactMap { state.stores[$0]?.erase() })
    }
    withExtendedLifetime(journal) {}
    for (task, waits, saves, _) in held {
      task?.cancel()
      for wait in waits { wait.give(()) }
      for save in saves { save.give(.closed) }
    }
  }
}

extension StorePersister.State {
  fileprivate mutating func add(_ write: LastWrite) {
    guard let settings = (write.policy as? QueryPersistence)?.settings else { return }
    stores[StorePersister.StoreID(settings, of: partition)]?.lastWrites.append(write)
  }
}
