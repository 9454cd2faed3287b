import Synchronization

// Writing what changed.

extension StorePersister {
  func entriesChanged() {
    start { $0.plan?.changed() }
  }

  func hurry() {
    guard isDirty else { return }
    start(at: .zero) { $0.plan?.requested() }
  }

  func end(isErased: Bool) {
    if isErased { return erase() }
    let (waits, dropped, isFirst) = state.withLock { state in
      defer { state.isEnded = true }
      // The cache is about to be emptied.
      let dropped = state.drain(onlyDepartures: false)
      var waits: [SharedOneShot<Void>] = []
      for id in state.stores.keys {
        waits += state.stores[id]?.waits ?? []
        state.stores[id]?.waits = []
      }
      return (waits, dropped, !state.isEnded)
    }
    withExtendedLifetime(dropped) {}
    for wait in waits { wait.give(()) }
    guard isFirst else { return }
    start { state in
      // Without a store there is nothing to write, and nobody else lets go of the cache.
      if state.plan == nil { state.cache = nil }
      state.plan?.end()
      return state.plan?.requested()
    }
  }

  /// Ends without writing anything more, and lets go of all that is held.
  private func erase() {
    let (former, waits, saves, dropped) = state.withLock { state in
      state.isEnded = true
      state.isErased = true
      state.plan = nil
      state.cache = nil
      var (waits, dropped) = ([SharedOneShot<Void>](), [Any]())
      for id in state.stores.keys {
        waits += state.stores[id]?.waits ?? []
        state.stores[id]?.waits = []
        dropped.append(state.stores[id]?.records.close(.closed) as Any)
      }
      defer { state.saveWaits = [] }
      return (state.waiting.take(), waits, state.saveWaits, dropped)
    }
    withExtendedLifetime(dropped) {}
    former?.cancel()
    for wait in waits { wait.give(()) }
    for save in saves { save.answer.give([.closed]) }
  }

  /// Writes what has changed so far.
  ///
  /// - Returns: Why some of it could not be written, one error for each store at most; none if the
  ///   caller was cancelled.
  func save() async -> [QueryStoreError] {
    // Nothing can be written before.
    for id in state.withLock({ $0.ids }) { await waitUntilRead(id) }
    let answer = SharedOneShot<[QueryStoreError]>()
    start(at: .zero) { state in
      guard let round = state.plan?.nextRound else {
        answer.give([])
        return nil
      }
      state.saveWaits.append((round, answer))
      return state.plan?.requested()
    }
    return await withTaskCancellationHandler {
      await answer.take() ?? []
    } onCancel: {
      answer.give([])
    }
  }

  /// Starts the task that a plan asks for.
  func start(at delay: Duration? = nil, _ change: (inout State) -> UInt64?) {
    let (task, wait, former) = state.withLock { state in
      let task = change(&state)
      let former = task == nil ? nil : state.waiting.take()
      return (task, delay ?? state.plan?.delay ?? .zero, former)
    }
    former?.cancel()
    guard let task else { return }
    let work = begin { await $0.work(task, after: wait) }
    let isLate = state.withLock { state in
      // Another task, or the end, came in between.
      guard !state.isErased, state.waitingTask < task else { return true }
      (state.waiting, state.waitingTask) = (work, task)
      return false
    }
    if isLate { work.cancel() }
  }

  private func work(_ task: UInt64, after delay: Duration) async {
    var (task, delay) = (task, delay)
    while true {
      if delay > .zero { try? await clock.sleep(for: delay) }
      guard state.withLock({ $0.plan?.waited(task) ?? false }) else { return }
      var step: SavePlan.Step
      repeat {
        let errors = await write()
        let (next, answered) = state.withLock {
          state -> (SavePlan.Step, [SharedOneShot<[QueryStoreError]>]) in
          let round = state.plan?.begun ?? .max
          let answered = state.saveWaits.filter { $0.round <= round }.map(\.answer)
          state.saveWaits.removeAll { $0.round <= round }
          // What arrived meanwhile did not fail.
          if state.stores.values.contains(where: \.records.canSettle) { _ = state.plan?.changed() }
          let isDirty = state.stores.values.contains { $0.records.hasFailed }
          let (next, number) =
            state.plan?.wrote(isDirty: isDirty, isAwaited: !state.saveWaits.isEmpty) ?? (.rest, 0)
          task = number
          if next == .rest, state.isEnded { state.cache = nil }
          return (next, answered)
        }
        for answer in answered { answer.give(errors) }
        step = next
      } while step == .write
      guard case .wait(let time) = step else { return }
      delay = time
    }
  }

  /// Writes what is there to be written.
  ///
  /// - Returns: The first error of each store, also of one that cannot be used.
  private func write() async -> [QueryStoreError] {
    let (ids, dropped) = state.withLock { state in
      let dropped = state.drain(onlyDepartures: false)
      return (state.ids, dropped)
    }
    withExtendedLifetime(dropped) {}
    var errors: [QueryStoreError] = []
    for id in ids {
      var first: QueryStoreError?
      settle(id)
      guard let settings = state.withLock({ $0.stores[id]?.settings }) else { continue }
      // If there is no room, there may be some for less.
      var tries = 3
      while tries > 0, let batch = state.withLock({ $0.stores[id]?.records.takeBatch() }) {
        do throws(QueryStoreError) {
          try await settings.store.write(batch, to: id.partition)
          state.withLock { $0.stores[id]?.records.written() }
        } catch {
          first = first ?? error
          // A full store may say so again until there is little enough to write.
          if case .full = error, tries < 3 {} else { report(error) }
          tries -= 1
          guard handle(error, of: id) else { break }
        }
      }
      first = first ?? state.withLock { $0.stores[id]?.records.obstacle }
      if let first { errors.append(first) }
    }
    state.withLock { [errors] in if $0.isEnded { $0.lastErrors = errors } }
    return errors
  }

  /// Reacts to an error of a store.
  ///
  /// - Returns: Whether to write again at once.
  private func handle(_ error: QueryStoreError, of id: StoreID) -> Bool {
    switch error {
    case .superseded, .closed, .inUse, .laterVersion:
      close(id, error)
      return false
    case .full:
      return state.withLock { state in
        state.stores[id]?.records.failed(isFull: true) ?? false
      }
    case .denied, .failed:
      state.withLock { _ = $0.stores[id]?.records.failed(isFull: false) }
      return false
    }
  }

  /// Finds the text and the bytes of what arrived.
  private func settle(_ id: StoreID) {
    let arrivals = state.withLock { $0.stores[id]?.records.takeArrivals() ?? [:] }
    guard !arrivals.isEmpty else { return }
    var settlements: [(text: String, SavedRecords.Settlement)] = []
    for (key, arrival) in arrivals {
      do {
        let text = try key.canonicalText()
        switch arrival {
        case .removed: settlements.append((text, .remove))
        case .changed(let entry):
          if let settlement = try settlement(of: entry, text, id) {
            settlements.append((text, settlement))
          }
        }
      } catch {
        report(error, key.key)
      }
    }
    // No output depends on the order of a dictionary, nor does the order of use.
    settlements.sort { $0.text < $1.text }
    let settled = state.withLock { [settlements] in
      $0.stores[id]?.records.settled(settlements)
    }
    withExtendedLifetime(settled) {}
  }

  /// What is to be done with the record of an entry; `nil` if nothing.
  private func settlement(
    of entry: PersistedEntry,
    _ text: String,
    _ id: StoreID
  ) throws -> SavedRecords.Settlement? {
    let stamp = SavedRecords.Stamp(entry)
    guard let settings = entry.persistence, let box = entry.info.snapshot.base,
      state.withLock({ $0.stores[id]?.records.isOutdated(text, stamp) ?? false })
    else { return nil }
    // It is what was restored, or initial data of the query.
    if entry.isAsItBegan { return .mark(isInvalidated: entry.isInvalidated) }
    guard settings.includes(entry.info) else { return nil }
    guard let value = settings.redact(box.erased, entry.info.key) else { return .remove }
    guard let encodable = value as? any Encodable else {
      throw SavedValueError.notEncodable(typeName: String(reflecting: type(of: value)))
    }
    let saved = SavedValue(
      try settings.coding.encode(encodable),
      updatedAt: stamp.updatedAt,
      isInvalidated: stamp.isInvalidated,
      version: settings.version
    )
    return .save(saved, stamp)
  }
}
