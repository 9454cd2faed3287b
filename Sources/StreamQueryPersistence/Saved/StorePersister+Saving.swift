@_spi(Adapters) internal import StreamQuery
import Synchronization

// Writing changes.

extension StorePersister {
  /// A caller that waits until a store is written.
  struct PendingSave: Sendable {
    let store: any QueryStore
    let partition: StorePartition
    let answer = StoreWriter.Answer()
  }

  func entriesChanged() {
    let (ids, isCrowded) = update { state in
      // If many entries have left the cache, they are taken here, because nothing else takes them while a
      // store is being read or written.
      let isCrowded = state.journal?.isCrowded == true
      if isCrowded { state.drain(onlyRemovals: true) }
      return (state.ids, isCrowded)
    }
    if isCrowded {
      settleManyRemovals()
      reportDroppedValues()
    }
    // The store of a changed entry is not known yet, so a task is started for each store: the first task
    // takes the entries from the cache.
    for id in ids { start(id) { $0.writer.changed() } }
  }

  func flush() {
    guard isDirty else { return }
    for id in state.withLock(\.ids) { start(id) { $0.writer.requested() } }
  }

  func save() async {
    // The errors are reported as events.
    _ = await finish(beginSave())
  }

  /// Reports the values that were dropped because too many waited for a store.
  func reportDroppedValues() {
    let counts = state.withLock { state in
      state.ids.map { ($0, state.stores[$0]?.records.takeGivenUp() ?? 0) }
    }
    for (id, count) in counts where count > 0 {
      report(SavedValueError.givenUp(count: count), in: id)
    }
  }

  /// If there are many removals, finds the texts of their keys and applies them, so that keys without a
  /// stored record are not kept in memory until the next round.
  func settleManyRemovals() {
    let many = state.withLock { state in
      state.ids.map { ($0, state.stores[$0]?.records.manyRemovals ?? []) }
    }
    for (id, keys) in many where !keys.isEmpty {
      let removals = keys.map { (key: $0, text: try? $0.canonicalText()) }
      // A removal without a text needs no other work, because its key was never saved.
      state.withLock { $0.stores[id]?.records.settledRemovals(removals) }
    }
  }

  /// Begins to write the changes until now, to all stores at the same time.
  ///
  /// - Returns: The saves to await with ``finish(_:)``.
  func beginSave() -> [PendingSave] {
    let stores = state.withLock { state in
      state.ids.compactMap { id in state.stores[id].map { (id, $0.settings.store) } }
    }
    return stores.map { id, store in
      let save = PendingSave(store: store, partition: id.partition)
      let isHeard = start(id) { $0.request(save.answer) }
      // Nothing is saved after all was erased.
      if !isHeard { save.answer.give(nil) }
      return save
    }
  }

  /// Waits until the stores of saves are written.
  ///
  /// - Returns: The failures; without those of saves that were not awaited, because the caller was cancelled.
  func finish(_ saves: [PendingSave]) async -> [QuerySaveError.Failure] {
    var failures: [QuerySaveError.Failure] = []
    for save in saves {
      let error = await save.answer.take(for: "a store to be written", of: client, orGive: nil)
      guard let error = error ?? nil else { continue }
      failures.append(.init(store: save.store, partition: save.partition, error: error))
    }
    return failures
  }

  /// Writes all changes of a store.
  ///
  /// - Returns: The first error of writing, or the error with which the store cannot be used; `nil` if all
  ///   was written.
  func writeRound(_ id: StoreID) async -> QueryStoreError? {
    let settings = update { state in
      state.drain(onlyRemovals: false)
      return state.stores[id]?.settings
    }
    guard let settings else { return nil }
    reportDroppedValues()
    encode(id)
    noteUses(of: id)
    var first = await sweep(id, settings)
    // A batch that does not fit into the store is followed by a smaller one.
    var tries = 3
    while tries > 0, let batch = state.withLock({ $0.stores[id]?.records.takeBatch() }) {
      do throws(QueryStoreError) {
        try await settings.store.write(batch, to: id.partition)
        state.withLock { $0.stores[id]?.records.written() }
      } catch {
        first = first ?? error
        tries -= 1
        guard handle(error, of: id) else { break }
      }
    }
    return first ?? state.withLock { $0.stores[id]?.obstacle }
  }

  /// Reads the present content of the store, and removes records there that another client has saved.
  ///
  /// - Returns: The error of the read; `nil` if there was none.
  private func sweep(_ id: StoreID, _ settings: Persistence) async -> QueryStoreError? {
    guard state.withLock({ $0.stores[id]?.records.takeSweeps() == true }) else { return nil }
    do throws(QueryStoreError) {
      let contents = try await settings.store.load(id.partition)
      for damage in contents.damage { report(SavedValueError.damaged(damage), in: id) }
      state.withLock { $0.stores[id]?.records.swept(contents) }
      return nil
    } catch {
      report(error, in: id)
      state.withLock { $0.stores[id]?.records.sweepFailed() }
      if error.isFinal { close(id, error) }
      return error
    }
  }

  /// Notes the uses of cached entries, if records are about to be evicted by their last uses; observed
  /// entries come last, so that their records are evicted last.
  private func noteUses(of id: StoreID, isFull: Bool = false) {
    let asks = state.withLock { state in
      guard let records = state.stores[id]?.records else { return false }
      return records.asksForUses || isFull && records.limit.order == .leastRecentlyUsedFirst
    }
    if asks { noteUses(of: [id]) }
  }

  func noteUses(of ids: [StoreID]) {
    guard !ids.isEmpty, let client else { return }
    let texts = client.cachedUses().compactMap { use in
      (try? use.key.canonicalText()).map { (text: $0, isObserved: use.isObserved) }
    }
    for id in ids {
      let uses = state.withLock { state in
        texts.map { state.stores[id]?.records.lastUse($0.text) ?? 0 }
      }
      let order = texts.indices.sorted { one, other in
        let (isObserved, isOther) = (texts[one].isObserved, texts[other].isObserved)
        if isObserved != isOther { return isOther }
        return uses[one] == uses[other]
          ? texts[one].text < texts[other].text : uses[one] < uses[other]
      }
      state.withLock { $0.stores[id]?.records.used(order.map { texts[$0].text }) }
    }
  }

  /// Reports an error of writing, and prepares the next batch.
  ///
  /// - Returns: Whether to write again at once.
  private func handle(_ error: QueryStoreError, of id: StoreID) -> Bool {
    let isFull = if case .full = error { true } else { false }
    // While the store stays full, each write fails in the same way, so the error is reported once.
    if !isFull || part(id, { $0.records.isFull }) != true { report(error, in: id) }
    if error.isFinal {
      close(id, error)
      return false
    }
    if isFull { noteUses(of: id, isFull: true) }
    return part(id) { $0.records.failed(isFull: isFull) } ?? false
  }

  /// Encodes the changes of a store: finds the texts of their keys and the bytes of their values.
  private func encode(_ id: StoreID) {
    let pendingChanges = state.withLock { $0.stores[id]?.records.takePendingChanges() ?? [:] }
    guard !pendingChanges.isEmpty else { return }
    var encodedChanges: [(text: String, SavedRecords.EncodedChange)] = []
    for (key, change) in pendingChanges {
      let text: String
      do throws(KeyEncodingError) {
        text = try key.canonicalText()
      } catch {
        // A key without a text was never saved.
        if case .changed = change { report(error, of: key, in: id) }
        continue
      }
      switch change {
      case .removed: encodedChanges.append((text, .remove))
      case .changed(let entry):
        do {
          if let encodedChange = try encodedChange(of: entry, text, id) {
            encodedChanges.append((text, encodedChange))
          }
        } catch {
          report(error, of: key, in: id)
          // The record has older data, which is wrong now, so it is removed.
          encodedChanges.append((text, .remove))
        }
      }
    }
    // The order of a dictionary is random, so the changes are sorted: neither the batches nor the order of
    // uses may be random.
    encodedChanges.sort { $0.text < $1.text }
    update { [encodedChanges] in $0.drop($0.stores[id]?.records.encoded(encodedChanges)) }
  }

  /// Encodes the change of an entry; `nil` if the entry's record stays as it is.
  private func encodedChange(
    of entry: PersistedEntry,
    _ text: String,
    _ id: StoreID
  ) throws -> SavedRecords.EncodedChange? {
    let stamp = SavedRecords.Stamp(entry)
    let key = entry.info.entryKey
    let isRemoved = state.withLock { $0.stores[id]?.records.removedBefore.contains(key) ?? false }
    guard let settings = entry.persistence, let box = entry.info.base,
      isRemoved || state.withLock({ $0.stores[id]?.records.isOutdated(text, stamp) ?? false })
    else { return nil }
    // An untouched entry has restored data, or the initial data of its query, so only its invalidation is
    // saved.
    if entry.isUntouched { return .mark(isInvalidated: entry.isInvalidated) }
    // The value is not saved, but it had replaced a removal, so the former record is removed.
    guard settings.includes(entry.info) else { return isRemoved ? .remove : nil }
    guard let value = settings.redact(box.erased, entry.info.key) else { return .remove }
    guard let encodable = value as? any Encodable else {
      let typeName = String(reflecting: type(of: value))
      noteUnencodable(typeName)
      throw SavedValueError.notEncodable(typeName: typeName)
    }
    let saved = SavedValue(
      try settings.coding.encode(encodable),
      updatedAt: stamp.updatedAt,
      isInvalidated: stamp.isInvalidated,
      isPart: stamp.isPart,
      version: settings.version,
      maxAge: TimeSpan(settings.maxAge)
    )
    let limit = state.withLock { $0.stores[id]?.records.limit.maxBytes } ?? .max
    let count = SavedRecords.size(of: saved, text)
    guard count <= limit else { throw SavedValueError.tooLarge(byteCount: count, limit: limit) }
    return .save(saved, stamp)
  }
}
