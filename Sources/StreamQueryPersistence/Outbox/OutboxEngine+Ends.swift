@_spi(Adapters) internal import StreamQuery

// The ends of runs, and their effects on waiting runs.

extension OutboxEngine {
  /// An item in whose input identifiers are replaced, and its run.
  typealias Waiting = (record: OutboxRecord, edition: Int, job: MutationJob?)
  /// A record with replaced identifiers, and the edition in which it was found.
  typealias Rewritten = (record: OutboxRecord, edition: Int)

  /// The objects that belong to a run which is over; they are released outside of the lock.
  private struct Gone: Sendable {
    var entry: OutboxLedger.Entry?
    var job: MutationJob?
    var answers: [SharedOneShot<ErrorBox?>]
    /// The runs whose records another thread has changed while identifiers were being replaced in them.
    ///
    /// The identifiers must be replaced in these records again.
    var late: [RunIdentity]
  }

  func worked(_ job: MutationJob, _ output: ValueBox) {
    let policy = job.mutation?.resolved.keeping as? OutboxPolicy
    guard let replacedIDs = policy?.replacedIDs, !update({ $0.writer.stage.isErased }) else {
      return
    }
    let ids = replacedIDs(job.versionedInput.input, output)
    if ids.isEmpty { return }
    update { if !$0.writer.stage.isErased { $0.replacing[job.identity] = ids } }
  }

  func answerDropped(_ job: MutationJob) {
    update { $0.replacing[job.identity] = nil }
  }

  func ended(_ job: MutationJob, _ ending: MutationMachine.Ending, wasDurable: Bool) {
    let id = job.identity
    if !wasDurable {
      // After the client's end, the record belongs to the next client.
      if update({ $0.writer.stage.hasEnded }) { return }
      guard ending == .succeeded || ending == .cancelled || !reopen(for: job) else { return }
    }
    let ids = update { $0.replacing.removeValue(forKey: id) } ?? [:]
    let rewritten = ending == .succeeded ? rewritten(ids, except: id) : []
    let old = update { state in
      // After the client's data is erased, nothing is written. A client that was only shut down still removes
      // the record of a run that ends.
      if state.writer.stage.isErased { return nil as Gone? }
      state.dropped.remove(id)
      if !state.pending.isEmpty { state.pending.removeAll { $0.job === job } }
      // The replacements are written in one batch with the removal of the run's record.
      let late = rewritten.filter { !state.ledger.rewrote($0.record, from: $0.edition) }
      // The store may have a record of a run that an archive has brought. If the store is not read yet, the
      // run is noted, so that the record is removed after the read.
      let isOver = ending == .cancelled || !wasDurable
      if isOver, state.ledger.isLoading { state.ledger.overEarly.insert(id) }
      let entry = state.ledger.ended(id)
      // The writer is resumed, because other clients send nothing in the run's scope until the removal is
      // written.
      if !state.ledger.unwritten.isEmpty { state.writer.resumed() }
      return Gone(
        entry: entry,
        job: state.jobs.removeValue(forKey: id),
        // A run may end before it was ever written: then the callers that wait for its record go on here.
        answers: state.takeSettledWaits(of: id),
        late: late.map(\.record.id)
      )
    }
    for answer in old?.answers ?? [] { answer.give(nil) }
    replaceIdentifiers(in: old?.late ?? [])
    withExtendedLifetime(old) {}
    release()
    writeRest()
  }

  /// Begins a durable run for a stored item: an archive's run had taken its place, and has failed.
  ///
  /// It was not durable, or its preparation has failed.
  ///
  /// - Returns: `false` if the item was dropped meanwhile, so that its record is to be removed.
  private func reopen(for job: MutationJob) -> Bool {
    let id = job.identity
    let isOpen = update { state -> Bool? in
      if state.dropped.contains(id) { return nil }
      if state.jobs[id] === job { state.jobs[id] = nil }
      return state.jobs[id] == nil && state.ledger.reopened(id)
    }
    if isOpen == true { feed() }
    return isOpen != nil
  }

  /// Replaces identifiers in waiting items and in the inputs of their runs; returns the changed records.
  private func rewritten(
    _ ids: [String: String],
    except done: RunIdentity
  ) -> [Rewritten] {
    guard !ids.isEmpty else { return [] }
    let found = update { state -> [Waiting] in
      if state.writer.stage.isErased { return [] }
      state.replacements.merge(ids) { _, new in new }
      return state.ledger.mentioning(ids.keys).map {
        ($0.record, $0.edition, state.jobs[$0.id])
      }
    }
    let (records, failed) = replacing(ids, in: found.filter { $0.record.id != done })
    if !failed.isEmpty { update { $0.ledger.restoreMentions(of: ids.keys, in: failed) } }
    return records
  }

  /// Applies the earlier replacements of identifiers to records that another outbox has left, or another
  /// thread has changed.
  func replaceIdentifiers(in found: [RunIdentity]) {
    guard !found.isEmpty, update({ !$0.replacements.isEmpty }) else { return }
    var rest = found
    while !rest.isEmpty {
      let (ids, waiting) = update { state -> ([String: String], [Waiting]) in
        let entries = rest.compactMap { state.ledger[$0] }
        return (state.replacements, entries.map { ($0.record, $0.edition, state.jobs[$0.id]) })
      }
      let records = replacing(ids, in: waiting).records
      rest = update { state in
        records.filter { !state.ledger.rewrote($0.record, from: $0.edition) }.map(\.record.id)
      }
    }
    for job in update({ state in found.compactMap { state.jobs[$0] } }) { renewInput(of: job) }
  }

  /// Replaces identifiers in the inputs of waiting items, and gives the new inputs to their runs.
  ///
  /// - Returns: The changed records, each with the edition in which it was found, and the runs with an input
  ///   that could not be replaced.
  func replacing(
    _ ids: [String: String],
    in waiting: [Waiting]
  ) -> (records: [Rewritten], failed: [RunIdentity]) {
    var records: [Rewritten] = []
    var inputs: [(job: MutationJob, revision: UInt64, input: ValueBox)] = []
    var failed: [RunIdentity] = []
    for (former, edition, job) in waiting {
      guard let input = IdentifierText.replacing(ids, in: former.input) else { continue }
      do {
        let header = former.header
        let record = try former.with(input: input, revision: header.revision)
        if let job, let form = (job.mutation?.resolved.keeping as? OutboxPolicy)?.form {
          let input = try form.decode(input, header.version)
          inputs.append((job, header.revision, input))
        }
        records.append((record, edition))
      } catch {
        report(error, job?.key)
        failed.append(former.id)
      }
    }
    client?.replaceInputs(inputs)
    return (records, failed)
  }

  func answer(_ job: MutationJob, to error: any Error, attempt: Int) async -> RunAnswer {
    guard let client, let mutation = job.mutation,
      let policy = mutation.resolved.keeping as? OutboxPolicy, let onConflict = policy.onConflict
    else { return .fail }
    let context = client.context(of: job, attempt: attempt)
    switch await onConflict(error, job.versionedInput.input, context) {
    case .drop: return .fail
    case .ask: return .stop
    case .retry: return client.retrying(mutation, after: error, attempt: attempt)
    case .rebase(let input):
      do {
        // The input is encoded before the run changes: if that fails, the run must not be lost.
        _ = try policy.form?.encode(input)
      } catch {
        let mutation = job.key.key.description
        report(OutboxError.notEncodable(mutation: mutation, reason: error), job.key)
        return .stop
      }
      return client.retrying(mutation, with: input, after: error, attempt: attempt)
    }
  }
}
