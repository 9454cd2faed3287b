import Synchronization

// Writing what changed.

extension OutboxKeeper {
  /// Starts the task that the plan asks for.
  func start(_ change: (inout State) -> UInt64?) {
    let (task, former) = update { state in
      let task = change(&state)
      return (task, task == nil ? nil : state.waiting.take())
    }
    former?.cancel()
    guard let task else { return news.send(()) }
    // Detached, and not at the caller's priority: it serves everybody.
    let work = Task.detached(executorPreference: executor) { await self.work(task) }
    update { $0.waiting = work }
    news.send(())
  }

  private func work(_ first: UInt64) async {
    var (task, delay) = (first, Duration.zero)
    while true {
      if delay > .zero { try? await clock.sleep(for: delay) }
      guard update({ $0.plan.waited(task) }) else { return }
      var step: SavePlan.Step
      repeat {
        let error = await round()
        let (next, answered) = update {
          state -> (SavePlan.Step, [SharedOneShot<QueryStoreError?>]) in
          let round = state.plan.begun
          let answered = state.saveWaits.filter { $0.round <= round }.map(\.answer)
          state.saveWaits.removeAll { $0.round <= round }
          let isDirty = !state.isSilent && (state.ledger.hasFailed || state.loadError != nil)
          let (next, number) = state.plan.wrote(
            isDirty: isDirty,
            isAwaited: !state.saveWaits.isEmpty
          )
          task = number
          return (next, answered)
        }
        for answer in answered { answer.give(error) }
        step = next
      } while step == .write
      guard case .wait(let time) = step else {
        // The others see what was written at last.
        let isOver = update { state in
          state.isOver = state.isEnded
          return state.isEnded
        }
        if isOver { leave() }
        return
      }
      delay = time
    }
  }

  /// Reads what has to be read, and writes what there is to write.
  private func round() async -> QueryStoreError? {
    let reads = update { ($0.ledger.isLoading || $0.readsAgain) && !$0.isSilent }
    if reads, let error = await load() { return error }
    while let batch = update({ $0.isSilent ? nil : $0.ledger.takeBatch() }) {
      do throws(QueryStoreError) {
        try await store.write(batch, to: partition)
        written()
      } catch {
        report(error)
        if error.isFinal { close(error) } else { update { $0.ledger.failed() } }
        return error
      }
    }
    return nil
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
    if isOpen { feed() } else { news.send(()) }
  }

  /// Lets runs perform that are kept.
  func release() {
    let runs = update { state in
      state.ledger.released.takeAll().compactMap { id -> (MutationJob, UInt64)? in
        guard let job = state.jobs[id], let entry = state.ledger[id] else { return nil }
        return (job, entry.record.header.revision)
      }
    }
    client?.kept(runs)
  }

  /// The store cannot be used any more: what is not kept will never be.
  func close(_ error: QueryStoreError) {
    let (jobs, answers) = update { state in
      state.loadError = nil
      var jobs = state.ledger.close(error).compactMap { state.jobs[$0] }
      for pending in state.pending {
        if case .durable(let job, _) = pending { jobs.append(job) }
      }
      state.pending.removeAll { if case .durable = $0 { true } else { false } }
      let answers = (state.restoreWaits.takeAll(), state.waits.values.flatMap { $0.map(\.answer) })
      state.waits = [:]
      return (jobs, answers)
    }
    for job in jobs { keepingFailed(job, OutboxError.unwritable(error)) }
    if case .superseded = error { client?.cancelKept() }
    for answer in answers.0 { answer.give(()) }
    for answer in answers.1 { answer.give(nil) }
    news.send(())
  }

  func save() async -> (any Error)? {
    let answer = SharedOneShot<QueryStoreError?>()
    start { state in
      let isDirty = !state.ledger.unwritten.isEmpty || !state.ledger.underWay.isEmpty
      guard !state.isEnded, isDirty || !state.pending.isEmpty else {
        answer.give(nil)
        return nil
      }
      state.saveWaits.append((state.plan.nextRound, answer))
      return state.plan.requested()
    }
    return await withTaskCancellationHandler {
      await answer.take() ?? nil
    } onCancel: {
      answer.give(nil)
    }
  }

  func end(writing: Bool) {
    update { $0.patience.take() }?.cancel()
    let (answers, saves, isFirst) = update { state in
      defer { state.isEnded = true }
      if !writing { (state.isSilent, state.isOver) = (true, true) }
      let answers = (state.restoreWaits.takeAll(), state.waits.values.flatMap { $0.map(\.answer) })
      state.waits = [:]
      let saves = state.isSilent ? state.saveWaits.takeAll().map(\.answer) : []
      return (answers, saves, !state.isEnded)
    }
    // Users' closures and values, which nobody asks for any more.
    let rest = update { state in
      defer {
        state.jobs = [:]
        state.registrations = [:]
      }
      return (state.jobs, state.registrations)
    }
    withExtendedLifetime(rest) {}
    if !writing { forget() }
    for answer in answers.0 { answer.give(()) }
    for answer in answers.1 { answer.give(ErrorBox(QueryError.shutDown)) }
    for save in saves { save.give(nil) }
    guard isFirst else { return }
    news.finish()
    leave()
    start { state in
      state.plan.end()
      return state.isSilent ? nil : state.plan.requested()
    }
  }

  /// Lets go of everything: nothing is written any more.
  private func forget() {
    let (waiting, rest) = update { state in
      defer {
        let version = state.ledger.version
        state.ledger = OutboxLedger()
        state.ledger.version = version &+ 1
        state.ledger.phase = .closed(.closed)
        (state.pending, state.replacing, state.replacements) = ([], [:], [:])
      }
      return (state.waiting, (state.ledger, state.pending))
    }
    waiting?.cancel()
    withExtendedLifetime(rest) {}
    news.send(())
  }

  func waitUntilOver() async {
    while let task = update({ $0.waiting }) {
      await task.value
      // Another one has taken its place, or none.
      update { if $0.waiting == task { $0.waiting = nil } }
    }
  }

  func attemptBegan(_ job: MutationJob) -> Bool {
    update { state in
      if !state.isEnded { state.atWork[job.identity] = .some(job.scope) }
      return !state.isEnded
    }
  }

  func attemptEnded(_ job: MutationJob) {
    let isLast = update { state in
      state.atWork[job.identity] = nil
      return state.isEnded
    }
    if isLast { leave() }
  }

  /// Leaves what is in the store to other clients of the process.
  private func leave() {
    let held = update { $0.held }
    let others = OutboxClaims.shared.leave(place, ObjectIdentifier(self), holding: held)
    for other in others { other.readAgain() }
  }
}

extension OutboxKeeper.State {
  /// What no other client may send yet, after the end: what is being sent or removed, and what is
  /// behind that in its scope.
  var held: Set<RunIdentity> {
    var held = Set(atWork.keys)
    if !isOver { held.formUnion(Array(ledger.unwritten.keys) + Array(ledger.underWay.keys)) }
    let scopes = Set(atWork.values.compactMap(\.self))
    guard !scopes.isEmpty else { return held }
    for case let entry? in ledger.entries {
      if let scope = entry.record.header.scope, scopes.contains(scope) { held.insert(entry.id) }
    }
    return held
  }

  /// The callers that wait for what the store knows now.
  mutating func takeSettledWaits(of id: RunIdentity) -> [SharedOneShot<ErrorBox?>] {
    guard let all = waits[id] else { return [] }
    let rest = all.filter { !ledger.isSettled(id, $0.revision) }
    waits[id] = rest.isEmpty ? nil : rest
    return all.filter { ledger.isSettled(id, $0.revision) }.map(\.answer)
  }
}
