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
      // While a store is written or read, nothing else takes the entries that have left the cache.
      let isCrowded = state.journal?.isCrowded == true
      if isCrowded { state.drain(onlyRemovals: true) }
      return (state.ids, isCrowded)
    }
    if isCrowded {
      settleManyRemovals()
      tellGivenUp()
    }
    // Nobody knows yet which store an entry belongs to: the first task that takes the entries from
    // the cache finds out.
    for id in ids { start(id) { $0.writer.changed() } }
  }

  func flush() {
    guard isDirty else { return }
    for id in state.withLock(\.ids) { start(id) { $0.writer.requested() } }
  }

  func save() async {
    // Errors of writing are reported as events.
    _ = await finish(beginSave())
  }

  /// Reports values that were given up because too many waited for a store.
  func tellGivenUp() {
    let counts = state.withLock { state in
      state.ids.map { ($0, state.stores[$0]?.records.takeGivenUp() ?? 0) }
    }
    for (id, count) in counts where count > 0 {
      report(SavedValueError.givenUp(count: count), in: id)
    }
  }

  /// Finds the texts of removed keys, if there are many, so that keys that the store does not have need not
  /// wait.
  func settleManyRemovals() {
    let many = state.withLock { state in
      state.ids.map { ($0, state.stores[$0]?.records.manyRemovals ?? []) }
    }
    for (id, keys) in many where !keys.isEmpty {
      let removals = keys.map { (key: $0, text: try? $0.canonicalText()) }
      // A key without a text was never saved.
      state.withLock { $0.stores[id]?.records.settledRemovals(removals) }
    }
  }

  /// Begins to write the changes so far, to all stores at the same time.
  ///
  /// - Returns: The saves to await with ``finish(_:)``.
  func beginSave() -> [PendingSave] {
    let stores = state.withLock { state in
      state.ids.compactMap { id in state.stores[id].map { (id, $0.settings.store) } }
    }
    return stores.map { id, store in
      let save = PendingSave(store: store, partition: id.partition)
      let isHeard = start(id) { $0.request(save.answer) }
      // Erased data is not saved.
      if !isHeard { save.answer.give(nil) }
      return save
    }
  }

  /// Waits until stores are written.
  ///
  /// - Returns: The failures; not those of saves that were given up, because a cancelled caller
  ///   waits for nothing.
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
  /// - Returns: The first error, also if the store cannot be used.
  func writeRound(_ id: StoreID) async -> QueryStoreError? {
    let settings = update { state in
      state.drain(onlyRemovals: false)
      return state.stores[id]?.settings
    }
    guard let settings else { return nil }
    tellGivenUp()
    encode(id)
    noteUses(of: id)
    var first = await sweep(id, settings)
    // If a batch does not fit into the store, a smaller one may.
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

  /// Performs removals on the present content of the store, where another client may have saved records.
  ///
  /// - Returns: The error with which the content could not be read.
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

  /// If records are about to be evicted by their last uses, notes that the entries in the cache are in use,
  /// above all observed ones.
  private func noteUses(of id: StoreID, isFull: Bool = false) {
    let asks = state.withLock { state in
      guard let records = state.stores[id]?.records else { return false }
      return records.asksForUses || isFull && records.limit.order == .leastRecentlyUsedFirst
    }
    if asks { noteUses(of: [id]) }
  }

  func noteUses(of ids: [StoreID]) {
    guard !ids.isEmpty, let client else { return }
    let texts = client.cachedUses.compactMap { use in
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

  /// Reacts to an error of a store.
  ///
  /// - Returns: Whether to write again at once.
  private func handle(_ error: QueryStoreError, of id: StoreID) -> Bool {
    let isFull = if case .full = error { true } else { false }
    // A full store fails in the same way again and again, so this is reported once.
    if !isFull || part(id, { $0.records.isFull }) != true { report(error, in: id) }
    if error.isFinal {
      close(id, error)
      return false
    }
    if isFull { noteUses(of: id, isFull: true) }
    return part(id) { $0.records.failed(isFull: isFull) } ?? false
  }

  /// Finds the texts and the bytes of changes.
  private func encode(_ id: StoreID) {
    let pendingChanges = state.withLock { $0.stores[id]?.records.takePendingChanges() ?? [:] }
    guard !pendingChanges.isEmpty else { return }
    var encodedChanges: [(text: String, SavedRecords.EncodedChange)] = []
    for (key, change) in pendingChanges {
      let text: String
      do throws(KeyEncodingError) {
        text = try key.canonicalText()
      } catch {
        // It was never kept.
        if case .changed = change { report(error, of: key.key, in: id) }
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
          report(error, of: key.key, in: id)
          // The record has older data, which is wrong now.
          encodedChanges.append((text, .remove))
        }
      }
    }
    // The order of a dictionary is random, and must affect neither the batches nor the order of
    // uses.
    encodedChanges.sort { $0.text < $1.text }
    update { [encodedChanges] in $0.drop($0.stores[id]?.records.encoded(encodedChanges)) }
  }

  /// Encodes the change of an entry; `nil` if its record stays as it is.
  private func encodedChange(
    of entry: PersistedEntry,
    _ text: String,
    _ id: StoreID
  ) throws -> SavedRecords.EncodedChange? {
    let stamp = SavedRecords.Stamp(entry)
    guard let settings = entry.persistence, let box = entry.info.base,
      state.withLock({ $0.stores[id]?.records.isOutdated(text, stamp) ?? false })
    else { return nil }
    // The entry has restored data, or initial data of the query.
    if entry.isUntouched { return .mark(isInvalidated: entry.isInvalidated) }
    guard settings.includes(entry.info) else { return nil }
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
