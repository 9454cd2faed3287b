@_spi(Adapters) internal import StreamQuery

// Writing changes.

extension OutboxEngine {
  /// Applies a change to the state, and starts a task of the writer if the change returns the task's number.
  @discardableResult
  func start(_ change: (inout State) -> UInt64?) -> Bool {
    defer { news.send() }
    return start((), change)
  }

  func part<Result: Sendable>(_: Void, _ body: (inout State) -> Result) -> Result? { update(body) }

  func sleep(for duration: Duration) async { try? await clock.sleep(for: duration) }

  func writeRound(_: Void) async -> QueryStoreError? {
    let wasBehind = update { $0.isBehind }
    let error = await round()
    return wasBehind || update { $0.isBehind } ? error : nil
  }

  /// After the last write, lets other outboxes send the remaining records.
  func rested(_: Void) { if update({ $0.writer.stage.isOver }) { leave() } }

  /// Reads the store if necessary, and writes all changes in batches.
  private func round() async -> QueryStoreError? {
    while true {
      // If other outboxes have left records, the store is read before each batch, because runs wait for these
      // records.
      let reads = update { ($0.ledger.isLoading || $0.retriesLoad) && !$0.writer.stage.isErased }
      if reads, let error = await load() { return error }
      let batch = update { $0.writer.stage.isErased ? nil : $0.ledger.takeBatch() }
      guard let batch else { return nil }
      do throws(QueryStoreError) {
        try await store.write(batch, to: partition)
        written()
      } catch {
        report(error)
        if error.isFinal {
          close(error)
        } else {
          update { $0.ledger.failed() }
          client?.kept([], delayingOthers: true)
        }
        return error
      }
    }
  }

  private func written() {
    let (gone, isOpen, answers) = update { state in
      let touched = state.ledger.written()
      let isOpen = touched.contains { state.ledger[$0]?.status.isOpen ?? false }
      var answers: [SharedOneShot<ErrorBox?>] = []
      for id in touched { answers += state.takeSettledWaits(of: id) }
      return (touched.filter { state.ledger[$0] == nil }, isOpen, answers)
    }
    OutboxClaims.shared.release(gone, claimsKey, self)
    release()
    for answer in answers { answer.give(nil) }
    // An open item may have got another input, and its run may begin now.
    if isOpen { feed() } else { news.send() }
  }

  /// Lets runs whose records are in the store go on, and reports unreadable items that they replaced.
  func release() {
    let (runs, replaced) = update { state in
      let runs = state.ledger.released.takeAll().compactMap { id -> (MutationJob, UInt64)? in
        guard let job = state.jobs[id], let entry = state.ledger[id] else { return nil }
        return (job, entry.record.header.revision)
      }
      let replaced = state.ledger.replacedUnread.takeAll().map { header in
        (header, state.registrations[header.mutation]?.key)
      }
      return (runs, replaced)
    }
    for (header, key) in replaced {
      let error = OutboxError.replacedUnread(mutation: header.mutation, version: header.version)
      report(error, key)
    }
    client?.kept(runs)
  }

  /// Ends the use of a store that has failed for good: runs without a record fail.
  func close(_ error: QueryStoreError) {
    let (jobs, answers) = update { state in
      state.loadError = nil
      let barred = OutboxClaims.shared.barredScopes(claimsKey)
      var jobs = state.ledger.close(error, barred: barred).compactMap { state.jobs[$0] }
      jobs += state.pending.filter { $0.record != nil }.map(\.job)
      state.pending.removeAll { $0.record != nil }
      let answers = (state.restoreWaits.takeAll(), state.waits.values.flatMap { $0.map(\.answer) })
      state.waits = [:]
      return (jobs, answers)
    }
    for job in jobs { keepingFailed(job, OutboxError.unwritable(error)) }
    release()
    if case .superseded = error {
      client?.cancelKept()
      // The items without runs are removed last, when the runs that waited behind them are cancelled already.
      update { $0.forgetWiped() }
    }
    for answer in answers.0 { answer.give(()) }
    for answer in answers.1 { answer.give(nil) }
    news.send()
  }

  func save() async -> (any Error)? {
    let answer = StoreWriter.Answer()
    var early: QueryStoreError??
    let isTold = start { state in
      if let loss = state.ledger.loss {
        early = .some(loss)
        return nil
      }
      // After the last write, nothing is written any more. The caller gets that write's error at once.
      if state.writer.stage.isOver || !state.isBehind {
        early = .some(state.writer.stage.error)
        return nil
      }
      // The store takes too long to be read, and changes are written only after the read. So the caller gets
      // an error at once.
      let isFirstLate = !state.awaitsOrder && state.loadError == nil
      if state.ledger.isLoading, state.lateError != nil || isFirstLate {
        early = .some(state.lateError ?? QueryStoreError.failed(OutboxError.slowStore))
        return nil
      }
      state.writer.hold(answer)
      return state.writer.released()
    }
    guard isTold else { return nil }
    if let early { return early }
    return await answer.take(orGive: nil) ?? nil
  }
}

extension OutboxEngine.State {
  /// The number of changes that the store does not have yet.
  var pendingCount: Int {
    // Runs that are not durable wait, too, but they have no records.
    ledger.unwritten.count + ledger.underWay.count + pending.count { $0.record != nil }
  }

  /// Whether the store lacks changes.
  var isBehind: Bool { pendingCount > 0 }

  /// Removes the items that have no run, because the records of all items were wiped.
  mutating func forgetWiped() {
    for entry in ledger.all where jobs[entry.id] == nil {
      if let gone = ledger.ended(entry.id) { ledger.garbage.collect(value: gone) }
    }
    // There is nothing left in the store to remove.
    ledger.unwritten = [:]
  }

  /// Removes the waits for a run's record that are over, and returns their answers, which the caller gives.
  mutating func takeSettledWaits(of id: RunIdentity) -> [SharedOneShot<ErrorBox?>] {
    guard let all = waits[id] else { return [] }
    let rest = all.filter { !ledger.isSettled(id, $0.revision) }
    waits[id] = rest.isEmpty ? nil : rest
    return all.filter { ledger.isSettled(id, $0.revision) }.map(\.answer)
  }
}
