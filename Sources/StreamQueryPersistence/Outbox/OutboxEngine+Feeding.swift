@_spi(Adapters) internal import StreamQuery

// Giving stored items to the client.

extension OutboxEngine {
  /// Begins runs for items that have none, if their mutations are known; repeats this while other threads
  /// ask for it.
  func feed() {
    guard var work = update({ $0.feeding.asked(for: $0.openWork) }) else { return news.send() }
    while true {
      feed(work.open, work.registrations)
      let (next, opens) = update { $0.feeding.fed(for: $0.openWork) }
      if opens { opened() } else { release() }
      // `opened()` has accepted the runs that waited for the store, so a task has to be started to write
      // them.
      if opens { writeRest() }
      news.send()
      guard let next else { return }
      work = next
    }
  }

  func workChanged() { feed() }

  /// Starts a task that writes what the store lacks, even if the client has ended.
  func writeRest() {
    start { state in
      guard !state.ledger.unwritten.isEmpty else { return nil }
      guard state.writer.stage.hasEnded else { return state.writer.changed() }
      state.writer.resumed()
      return state.writer.requested()
    }
  }

  private func feed(_ open: [OutboxLedger.Entry], _ registrations: [String: Registration]) {
    guard let client else { return }
    var runs: [RunIdentity: RestoredRun] = [:]
    var failures: [RunIdentity: ErrorBox] = [:]
    for entry in open {
      let header = entry.record.header
      guard let known = registrations[header.mutation] else { continue }
      // The present registration has failed to decode this item. It is decoded again when the mutation is
      // registered again.
      if entry.failedWith == known.number { continue }
      do {
        let run = try run(of: entry, known, client)
        // If the mutation has no work, the item waits, as if the mutation was not known.
        if run.hasWork { runs[entry.id] = run }
      } catch {
        let failure = OutboxError.undecodable(
          mutation: header.mutation,
          version: header.version,
          reason: error
        )
        failures[entry.id] = ErrorBox(failure)
        report(failure, known.key)
      }
    }
    let begun = update { state in
      let same = Set(open.filter { state.ledger[$0.id]?.edition == $0.edition }.map(\.id))
      // The items that changed while they were being decoded have to be decoded again.
      if same.count < open.count { state.feeding.missed() }
      for id in failures.keys where same.contains(id) {
        guard let place = state.ledger.indices[id], let entry = state.ledger[id] else { continue }
        let number = registrations[entry.record.header.mutation]?.number
        state.ledger.entries[place]?.failedWith = number
      }
      return state.ledger.looked(
        at: same.intersection(runs.keys),
        failures.filter { same.contains($0.key) },
        pacing: runs.mapValues(\.mutation.pacing)
      )
    }
    let jobs = client.startRestored(begun.compactMap { runs[$0.id] })
    let (changed, dropped, outdated) = update { state in
      // The ledger is told of these runs only when the client has put them into their scopes, so that no
      // later run overtakes them.
      state.ledger.began(begun)
      var changed: [MutationJob] = []
      var dropped: [MutationJob] = []
      var outdated: [MutationJob] = []
      for case (let decoded, let job?) in zip(begun, jobs) {
        guard !state.ledger.isWiped, let entry = state.ledger[job.identity] else {
          dropped.append(job)
          continue
        }
        state.jobs[job.identity] = job
        if decoded.edition != entry.edition { changed.append(job) }
        if job.versionedInput.revision < entry.record.header.revision { outdated.append(job) }
      }
      return (changed, dropped, outdated)
    }
    for job in dropped { client.cancel(job) }
    // If a new run replaces other items, their records are to be removed.
    start { $0.writer.stage.hasEnded || $0.ledger.unwritten.isEmpty ? nil : $0.writer.changed() }
    for job in changed { renewInput(of: job) }
    for job in outdated { takeStoredInput(job) }
  }

  /// Gives a run the input of its record, because an identifier was replaced in the record while the run or
  /// another input was being made.
  func renewInput(of job: MutationJob) {
    guard let form = (job.mutation?.resolved.keeping as? OutboxPolicy)?.form else { return }
    var edition: Int?
    // The record may change again while its input is being decoded.
    while let entry = update({ $0.ledger[job.identity] }), entry.edition != edition {
      edition = entry.edition
      let header = entry.record.header
      do {
        let input = try form.decode(entry.record.input, header.version)
        client?.replaceInputs([(job, header.revision, input)])
      } catch {
        return report(error)
      }
    }
  }

  private func run(
    of entry: OutboxLedger.Entry,
    _ known: Registration,
    _ client: QueryClient
  ) throws -> RestoredRun {
    let header = entry.record.header
    let input = try known.form.decode(entry.record.input, header.version)
    return client.restoredRun(
      known.key,
      known.definition,
      scope: header.scope,
      outweighsOwn: true,
      pacingKey: header.pacingKey,
      input: input,
      entry.id,
      revision: header.revision,
      serial: entry.number ?? entry.serial,
      submittedAt: header.date
    )
  }
}

extension OutboxEngine.State {
  /// The items without runs, and the registered mutations; `nil` if no item may begin.
  fileprivate var openWork:
    (
      open: [OutboxLedger.Entry], registrations: [String: OutboxEngine.Registration]
    )?
  {
    guard !ledger.isLoading, !ledger.isWiped, !writer.stage.hasEnded, ledger.hasOpenItems else {
      return nil
    }
    let open = ledger.all.filter(\.status.isOpen)
    let isKnown = open.contains { registrations[$0.record.header.mutation] != nil }
    return isKnown ? (open, registrations) : nil
  }
}
