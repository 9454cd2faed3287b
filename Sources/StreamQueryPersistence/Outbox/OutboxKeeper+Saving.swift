@_spi(Adapters) internal import StreamQuery
import Synchronization

// Writing changes.

extension OutboxKeeper {
  /// Starts the task that the plan requests.
  func start(_ change: (inout State) -> UInt64?) {
    let (task, former) = update { state in
      guard let task = change(&state) else { return (UInt64?.none, Task<Void, Never>?.none) }
      state.work.began()
      return (task, state.waiting.take())
    }
    former?.cancel()
    guard let task else { return news.send() }
    // Detached, and not at the caller's priority: it serves everybody.
    let work = Task.detached(executorPreference: executor) {
      await self.work(task)
      for wait in self.update({ $0.work.ended() }) { wait.give(()) }
    }
    let isLate = update { state in
      // Another task came in between.
      guard state.waitingTask < task else { return true }
      (state.waiting, state.waitingTask) = (work, task)
      return false
    }
    if isLate { work.cancel() }
    news.send()
  }

  private func work(_ first: UInt64) async {
    var (task, delay) = (first, Duration.zero)
    while true {
      if delay > .zero { try? await clock.sleep(for: delay) }
      guard update({ $0.plan.waited(task) }) else { return }
      var step: SavePlan.Step
      repeat {
        let isBehind = update { $0.isBehind }
        let error = await round()
        let (next, answered) = update {
          state -> (SavePlan.Step, [SharedOneShot<QueryStoreError?>]) in
          let round = state.plan.begun
          let answered = state.saveWaits.filter { $0.round <= round }.map(\.answer)
          state.saveWaits.removeAll { $0.round <= round }
          let isDirty = !state.stage.isErased && (state.ledger.hasFailed || state.loadError != nil)
          let (next, number) = state.plan.wrote(
            isDirty: isDirty,
            isAwaited: !state.saveWaits.isEmpty
          )
          task = number
          state.stage.wrote(isBehind || state.isBehind ? error : nil, isLast: next == .rest)
          return (next, answered)
        }
        for answer in answered { answer.give(error) }
        step = next
      } while step == .write
      guard case .wait(let time) = step else {
        // The other outboxes see the last written records.
        if update({ $0.stage.isOver }) { leave() }
        return
      }
      delay = time
    }
  }

  /// Reads the store if necessary, and writes all changes.
  private func round() async -> QueryStoreError? {
    while true {
      // Before each batch: runs wait for records that other outboxes have left.
      let reads = update { ($0.ledger.isLoading || $0.readsAgain) && !$0.stage.isErased }
      if reads, let error = await load() { return error }
      let batch = update { $0.stage.isErased ? nil : $0.ledger.takeBatch() }
      guard let batch else { return nil }
      do throws(QueryStoreError) {
        try await store.write(batch, to: partition)
        written()
      } catch {
        report(error)
        if error.isFinal { close(error) } else { update { $0.ledger.failed() } }
        return error
      }
    }
  }

  private func written() {
    let (gone, isOpen, answers) = update { state in
      let touched = state.ledger.written()
      let isOpen = touched.contains { state.ledger[$0]?.stand.isOpen ?? false }
      var answers: [SharedOneShot<ErrorBox?>] = []
      for id in touched { answers += state.takeSettledWaits(of: id) }
      return (touched.filter { state.ledger[$0] == nil }, isOpen, answers)
    }
    OutboxClaims.shared.release(gone, place, self)
    release()
    for answer in answers { answer.give(nil) }
    // Open items with other inputs, which may begin now.
    if isOpen { feed() } else { news.send() }
  }

  /// Lets kept runs be performed, and reports unread items that they replaced.
  func release() {
    let (runs, replaced) = update { state in
      let runs = state.ledger.released.takeAll().compactMap { id -> (MutationJob, UInt64)? in
        guard let job = state.jobs[id], let entry = state.ledger[id] else { return nil }
        return (job, entry.record.header.revision)
      }
      let replaced = state.ledger.replacedUnread.takeAll().map { header in
        (header, state.registrations[header.mutation]?.key.key)
      }
      return (runs, replaced)
    }
    for (header, key) in replaced {
      let error = OutboxError.replacedUnread(mutation: header.mutation, version: header.version)
      report(error, key ?? [])
    }
    client?.kept(runs)
  }

  /// The store cannot be used any more: runs that are not kept never will be.
  func close(_ error: QueryStoreError) {
    let (jobs, answers) = update { state in
      state.loadError = nil
      let barred = OutboxClaims.shared.barredScopes(place)
      var jobs = state.ledger.close(error, barred: barred).compactMap { state.jobs[$0] }
      for pending in state.pending {
        if case .durable(let job, _) = pending { jobs.append(job) }
      }
      state.pending.removeAll { if case .durable = $0 { true } else { false } }
      let answers = (state.restoreWaits.takeAll(), state.waits.values.flatMap { $0.map(\.answer) })
      state.waits = [:]
      return (jobs, answers)
    }
    for job in jobs { keepingFailed(job, OutboxError.unwritable(error)) }
    release()
    if case .superseded = error { client?.cancelKept() }
    for answer in answers.0 { answer.give(()) }
    for answer in answers.1 { answer.give(nil) }
    news.send()
  }

  func save() async -> (any Error)? {
    let answer = SharedOneShot<QueryStoreError?>()
    var (isOver, error) = (false, QueryStoreError?.none)
    start { state in
      // Changes that could not be written in the last round are not written again.
      isOver = state.stage.isOver || !state.isBehind
      error = state.stage.error
      if isOver { return nil }
      state.saveWaits.append((state.plan.nextRound, answer))
      return state.plan.requested()
    }
    if isOver { return error }
    return await withTaskCancellationHandler {
      await answer.take() ?? nil
    } onCancel: {
      answer.give(nil)
    }
  }
}

extension OutboxKeeper.State {
  /// Whether there are changes that the store does not have.
  var isBehind: Bool {
    !ledger.unwritten.isEmpty || !ledger.underWay.isEmpty || !pending.isEmpty
  }

  /// Takes the callers whose wait for the store is over.
  mutating func takeSettledWaits(of id: RunIdentity) -> [SharedOneShot<ErrorBox?>] {
    guard let all = waits[id] else { return [] }
    let rest = all.filter { !ledger.isSettled(id, $0.revision) }
    waits[id] = rest.isEmpty ? nil : rest
    return all.filter { ledger.isSettled(id, $0.revision) }.map(\.answer)
  }
}
