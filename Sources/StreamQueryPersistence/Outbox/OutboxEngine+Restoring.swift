@_spi(Adapters) internal import StreamQuery

// Reading stored runs.

extension OutboxEngine {
  var isRestoring: Bool { update { $0.ledger.isLoading && !$0.writer.stage.hasEnded } }

  var isHeldUp: Bool { update { $0.isHeldUp } }

  func waitUntilRestored() async -> (any Error)? {
    let answer = SharedOneShot<Void>()
    let isRestoring = update { state in
      let isAwaited = state.ledger.isLoading && state.awaitsOrder && state.loadError == nil
      guard isAwaited, !state.writer.stage.hasEnded else { return false }
      state.restoreWaits.append(answer)
      return true
    }
    if isRestoring {
      _ = await answer.take(for: "the records of the outbox", of: client, orGive: ())
    }
    return update { state in
      if case .closed(let error) = state.ledger.phase { return error }
      guard state.ledger.isLoading, !state.awaitsOrder else { return state.loadError }
      // The store takes too long to be read, so other runs go on without it, and the caller gets an error.
      return state.loadError ?? QueryStoreError.failed(OutboxError.slowStore)
    }
  }

  /// Ends the wait for a store that takes too long to be read: runs that are not durable go on, and callers
  /// of `restore()` and `save()` get an error.
  func restoreTimedOut() {
    guard update({ $0.awaitsOrder && !$0.writer.stage.hasEnded }) else { return }
    report(OutboxError.slowStore)
    goOn()
    let (waits, saves, error) = update { state in
      let saves = state.ledger.isLoading ? state.writer.readTimedOut() : []
      let error = state.loadError ?? QueryStoreError.failed(OutboxError.slowStore)
      return (state.restoreWaits.takeAll(), saves, error)
    }
    for wait in waits { wait.give(()) }
    for save in saves { save.give(error) }
    client?.kept([], delayingOthers: true)
  }

  /// Limits how long callers wait for a read that repeats a failed one; ``restoreTimedOut()`` ends the waits
  /// for the first read.
  ///
  /// - Returns: The deadline, which the caller cancels after the read.
  private func limitRead() -> Deadline? {
    guard update({ $0.ledger.isLoading && $0.loadError != nil }) else { return nil }
    return client?.deadlines.set(restoreTimeout) { [weak self] in self?.readTimedOut() }
  }

  private func readTimedOut() {
    let (saves, error) = update { state -> ([StoreWriter.Answer], QueryStoreError?) in
      guard state.ledger.isLoading, let error = state.loadError else { return ([], nil) }
      state.lateError = error
      return (state.writer.readTimedOut(), error)
    }
    for save in saves { save.give(error) }
  }

  /// Lets runs that are not durable go on, after they have waited for the store to be read.
  func goOn() {
    let (jobs, restoreTimeout) = update { state in
      state.awaitsOrder = false
      let jobs = state.pending.filter { $0.record == nil }.map(\.job)
      state.pending.removeAll { $0.record == nil }
      return (jobs, state.restoreTimeout.take())
    }
    restoreTimeout?.cancel()
    client?.runsRestored()
    client?.kept(jobs.map { ($0, $0.versionedInput.revision) })
  }

  /// Reads the store, claims its records, and begins their runs.
  ///
  /// - Returns: The error of the read.
  func load() async -> QueryStoreError? {
    // The flag is reset before the read, so that records which other outboxes leave from now on cause another
    // read.
    let isClosed = update { state in
      state.retriesLoad = false
      guard case .closed = state.ledger.phase else { return false }
      // With a closed store, the outbox could never remove the records of other outboxes, so it takes none
      // over. Its own runs wait only while other outboxes still send in their scopes.
      state.ledger.bar(OutboxClaims.shared.barredScopes(claimsKey))
      return true
    }
    if isClosed {
      release()
      return nil
    }
    let barredBefore = OutboxClaims.shared.readingBegan(claimsKey)
    let limit = limitRead()
    defer {
      limit?.cancel()
      update { $0.lateError = nil }
      OutboxClaims.shared.readingEnded(claimsKey)
    }
    do throws(QueryStoreError) {
      let contents = try await store.load(partition)
      guard !update({ $0.writer.stage.isErased }) else { return nil }
      let (records, unreadable) = OutboxLedger.decodedRecords(contents)
      let isFirst = update { $0.ledger.isLoading }
      let last = records.last?.serial ?? 0
      let taken = update { state -> [RunIdentity] in
        state.loadError = nil
        // The records of this client's own runs are claimed even after the client's end, unless another
        // outbox has claimed them. Only who has claimed a record can change it, so that a run of an archive
        // gets no second record, or remove it, when its run is over.
        let ids = state.ownRuns
        let own = OutboxClaims.shared.claim(
          records.map(\.record.id).filter(ids.contains),
          claimsKey,
          self
        )
        // After the client's end, the other records belong to the next client.
        guard !state.writer.stage.hasEnded else {
          let found = records.filter { own.contains($0.record.id) }
          state.ledger.loaded(contents.generation, found, last: last)
          return []
        }
        // The claim and the loading are one step under the lock. Otherwise a scope that another outbox bars
        // between them would be lost, because the loading replaces the barred scopes.
        let (granted, barred) = OutboxClaims.shared.claim(
          records,
          except: barredBefore,
          claimsKey,
          self
        )
        let claimed = granted.union(own)
        let found = records.filter { claimed.contains($0.record.id) }
        let taken = found.map(\.record.id).filter { state.ledger[$0] == nil }
        state.ledger.loaded(contents.generation, found, last: last, barred: barred)
        return taken
      }
      client?.runsKnown(
        records.flatMap { [$0.record.id, $0.record.id.revised($0.record.header.revision)] }
      )
      if isFirst {
        for damage in contents.damage { report(OutboxError.damaged(damage)) }
        for record in unreadable { report(OutboxError.unreadable(record: record)) }
      }
      replaceIdentifiers(in: taken)
      feed()
      // If another thread is beginning the stored runs, that thread calls `opened()` afterwards.
      let opens = update { isFirst && $0.feeding.loaded() }
      // If this was not the first read, runs may have waited for the records of ended outboxes, which are
      // read now.
      if opens { opened() } else { release() }
      return nil
    } catch {
      report(error)
      if error.isFinal {
        close(error)
        goOn()
      } else {
        let waits = update { state in
          state.loadError = error
          state.retriesLoad = true
          return state.restoreWaits.takeAll()
        }
        for wait in waits { wait.give(()) }
        client?.kept([], delayingOthers: true)
      }
      return error
    }
  }

  /// Accepts the runs that waited until the store was read, and lets them go on.
  func opened() {
    var accepted: State.Accepted?
    while accepted == nil {
      let (pending, ids) = update { ($0.pending, $0.replacements) }
      // A stored run may have succeeded meanwhile and returned real identifiers for temporary ones in these
      // inputs.
      let waiting = pending.compactMap { run -> Waiting? in
        guard let record = run.record else { return nil }
        return (record, 0, run.job)
      }
      let records = ids.isEmpty ? [] : replacing(ids, in: waiting).records.map(\.record)
      accepted = update { $0.acceptPending(ids, records, for: self) }
    }
    for job in accepted?.taken ?? [] { client?.cancel(job) }
    for job in accepted?.outdated ?? [] { takeStoredInput(job) }
    goOn()
    release()
    for wait in accepted?.waits ?? [] { wait.give(()) }
  }

  /// Gives a run of an archive the later input that the store has.
  func takeStoredInput(_ job: MutationJob) {
    guard let form = (job.mutation?.resolved.keeping as? OutboxPolicy)?.form,
      let record = update({ $0.ledger[job.identity]?.record })
    else { return }
    let header = record.header
    do {
      let input = try form.decode(record.input, header.version)
      client?.takeStoredInput(job, input, header.revision)
      update { $0.ledger.settle(job.identity) }
    } catch {
      let (mutation, version) = (header.mutation, header.version)
      keepingFailed(job, .undecodable(mutation: mutation, version: version, reason: error))
    }
  }

  func retryLoad() {
    guard update({ $0.loadError != nil }) else { return }
    start { $0.ledger.isLoading && !$0.writer.stage.hasEnded ? $0.writer.requested() : nil }
  }

  /// Reads the store again, because another client has left records there.
  ///
  /// - Parameter barred: The scopes in which that client is still sending or writing.
  func retryLoad(barring barred: Set<String>) {
    start { state in
      guard !state.writer.stage.hasEnded else { return nil }
      state.ledger.barred.formUnion(barred)
      state.retriesLoad = true
      return state.writer.requested()
    }
  }
}

extension OutboxEngine.State {
  /// The runs that wait for the store, or that were over before it was read.
  fileprivate var ownRuns: Set<RunIdentity> {
    ledger.overEarly.union(pending.compactMap { $0.record?.id })
  }

  /// The callers that wait for the store, the runs that other outboxes have claimed, and the runs of which
  /// the store has a later input.
  fileprivate typealias Accepted = (
    waits: [SharedOneShot<Void>], taken: [MutationJob], outdated: [MutationJob]
  )

  /// Accepts the runs that waited for the store.
  ///
  /// - Parameters:
  ///   - ids: The identifiers that have been replaced in the runs' inputs.
  ///   - records: The records that changed by the replacement.
  ///   - engine: The outbox.
  /// - Returns: The callers and runs that need another step; `nil` if more identifiers were replaced
  ///   meanwhile.
  fileprivate mutating func acceptPending(
    _ ids: [String: String],
    _ records: [OutboxRecord],
    for engine: OutboxEngine
  ) -> Accepted? {
    guard replacements == ids else { return nil }
    let replaced = Dictionary(records.map { ($0.id, $0) }) { $1 }
    var (taken, outdated): ([MutationJob], [MutationJob]) = ([], [])
    for run in pending {
      guard let record = run.record else { continue }
      let other = replaced[record.id].flatMap {
        $0.header.revision == record.header.revision ? $0 : nil
      }
      if !accept(run.job, other ?? record, for: engine) { taken.append(run.job) }
      if ledger.hasLater(than: record) { outdated.append(run.job) }
    }
    pending.removeAll { $0.record != nil }
    return (restoreWaits.takeAll(), taken, outdated)
  }
}
