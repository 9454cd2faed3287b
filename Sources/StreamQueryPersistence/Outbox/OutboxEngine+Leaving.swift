@_spi(Adapters) internal import StreamQuery

// The end of an outbox, and the records that it leaves to other outboxes.

extension OutboxEngine {
  func end(writing: Bool) {
    update { $0.restoreTimeout.take() }?.cancel()
    let (waits, settled, ending) = update { state in
      let settled = state.waits.values.flatMap { $0.map(\.answer) }
      state.waits = [:]
      return (state.restoreWaits.takeAll(), settled, state.writer.clientEnded(isErased: !writing))
    }
    // The outbox no longer needs the app's closures and values. They are released outside of the lock.
    let rest = update { state in
      defer {
        state.jobs = [:]
        state.registrations = [:]
      }
      return (state.jobs, state.registrations)
    }
    withExtendedLifetime(rest) {}
    if !writing { forget() }
    for wait in waits { wait.give(()) }
    for answer in settled { answer.give(ErrorBox(QueryError.shutDown)) }
    for answer in ending.answers { answer.give(nil) }
    guard ending.isFirst else {
      // The outbox had ended before, and kept claims until its last write. Everything is erased now, so it
      // needs no claims.
      if !writing { leave() }
      return
    }
    // Observers still get the last list before their streams end; after `forget`, it is empty.
    news.finish()
    leave()
    start { $0.writer.lastRound() }
  }

  /// Empties the ledger without writing the changes, and stops the writing task.
  private func forget() {
    let (task, rest) = update { state in
      defer {
        let version = state.ledger.version
        state.ledger = OutboxLedger()
        state.ledger.version = version &+ 1
        state.ledger.phase = .closed(.closed)
        (state.pending, state.replacing, state.replacements) = ([], [:], [:])
        state.sameNames = []
      }
      return (state.task.task, (state.ledger, state.pending))
    }
    task?.cancel()
    withExtendedLifetime(rest) {}
    news.send()
  }

  func waitUntilOver() async { await tasks.waitUntilOver() }

  func attemptBegan(_ job: MutationJob) -> Bool {
    let (goesOn, hasReplaced) = update { state in
      if state.writer.stage.hasEnded { return (false, false) }
      state.atWork[job.identity, default: AtWork(scope: job.scope)].count += 1
      let version = state.ledger.version
      if let entry = state.ledger[job.identity] { state.ledger.replaceOlder(than: entry) }
      return (true, state.ledger.version != version)
    }
    // The runs that waited behind the replaced items go on.
    if hasReplaced {
      release()
      start { $0.writer.stage.hasEnded ? nil : $0.writer.changed() }
    }
    return goesOn
  }

  func attemptEnded(_ job: MutationJob) {
    let isLast = update { state in
      state.atWork[job.identity]?.count -= 1
      if state.atWork[job.identity]?.count == 0 { state.atWork[job.identity] = nil }
      return state.writer.stage.hasEnded
    }
    if isLast { leave() }
  }

  /// Lets other clients of the process send the records that this client leaves in the store.
  func leave() {
    let (others, scopes) = update { state in
      let held = state.held
      // The state is locked during the call. Otherwise the claims could be told first of a later call, which
      // holds fewer runs, and then of this one.
      let others = OutboxClaims.shared.leave(
        claimsKey,
        ObjectIdentifier(self),
        holding: held.runs,
        in: held.scopes
      )
      return (others, held.scopes)
    }
    for other in others { other.retryLoad(barring: scopes) }
  }
}

extension OutboxEngine.State {
  /// The runs that the outbox still sends, writes or removes after its end, with their scopes: no other
  /// client may send there yet.
  var held: (runs: Set<RunIdentity>, scopes: Set<String>) {
    var runs = Set(atWork.keys)
    var scopes = Set(atWork.values.compactMap(\.scope))
    guard !writer.stage.isOver else { return (runs, scopes) }
    // The callbacks of these runs may still be running, or their ends may not have been reported yet.
    for entry in ledger.all {
      guard case .run(.sending) = entry.status else { continue }
      runs.insert(entry.id)
      if let scope = entry.record.header.scope { scopes.insert(scope) }
    }
    for (id, draft) in [ledger.unwritten, ledger.underWay].joined() {
      runs.insert(id)
      if let scope = draft.scope { scopes.insert(scope) }
    }
    for pending in pending {
      guard let record = pending.record else { continue }
      runs.insert(pending.job.identity)
      if let scope = record.header.scope { scopes.insert(scope) }
    }
    return (runs, scopes)
  }
}
