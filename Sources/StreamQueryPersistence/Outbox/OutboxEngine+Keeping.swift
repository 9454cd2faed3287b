@_spi(Adapters) internal import StreamQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Storing runs that begin in this process, or get another input.

extension OutboxEngine {
  func keep(_ job: MutationJob) {
    guard let mutation = job.mutation else { return }
    guard job.isDurable, let form = (mutation.resolved.keeping as? OutboxPolicy)?.form else {
      let waits = update { state in
        if state.awaitsOrder { state.pending.append(Pending(job: job)) }
        return state.awaitsOrder
      }
      if !waits { client?.kept([(job, job.versionedInput.revision)]) }
      return
    }
    register(job.key, mutation.resolved.definition, isImplicit: true)
    // If another thread replaces identifiers before the ledger has the record, they are replaced here, too.
    while !isKept(job, form) {}
  }

  /// Encodes the input of a run, and adds the record to the ledger.
  ///
  /// - Returns: `false` if other identifiers were replaced meanwhile, so that the input has to be encoded
  ///   again.
  private func isKept(_ job: MutationJob, _ form: OutboxPolicy.Form) -> Bool {
    // Another thread may change the input while this one is encoded.
    let (input, revision) = job.versionedInput
    let ids = update { $0.replacements }
    do {
      let data = try replaced(input, revision, of: job, form, ids)
      let header = OutboxRecord.Header(
        id: job.identity.uuid,
        revision: revision,
        mutation: try job.key.key.canonicalText(),
        scope: job.scope,
        pacingKey: job.pacingKey,
        date: job.submittedAt.date,
        version: form.version
      )
      return accept(job, try OutboxRecord(header, input: data), replacing: ids)
    } catch {
      let mutation = job.key.key.description
      // If the run has got another input meanwhile, that input counts, and is encoded next.
      guard job.versionedInput.revision == revision else { return true }
      keepingFailed(job, OutboxError.notEncodable(mutation: mutation, reason: error))
      return true
    }
  }

  /// Reports to the client that a run cannot be stored.
  ///
  /// The run then fails or, if the store has the run with an earlier input, stops.
  func keepingFailed(_ job: MutationJob, _ error: OutboxError) {
    let (isStored, waits) = update { state in
      let waits = state.waits.removeValue(forKey: job.identity) ?? []
      return (state.ledger[job.identity].map { $0.stored != .missing } ?? false, waits)
    }
    client?.keepingFailed(job, error, isStored: isStored)
    for wait in waits { wait.answer.give(ErrorBox(error)) }
  }

  /// Returns the encoded input of a run, with the real identifiers in place of temporary ones.
  private func replaced(
    _ input: ValueBox,
    _ revision: UInt64,
    of job: MutationJob,
    _ form: OutboxPolicy.Form,
    _ ids: [String: String]
  ) throws -> Data {
    let data = try form.encode(input)
    guard !ids.isEmpty, let replaced = IdentifierText.replacing(ids, in: data) else {
      return data
    }
    let newInput = try form.decode(replaced, form.version)
    client?.replaceInputs([(job, revision, newInput)])
    return replaced
  }

  /// The answer of the ledger to a run that is to be stored.
  private enum Acceptance {
    /// The client has ended.
    case ended
    case closed(QueryStoreError)
    /// Another client has imported the run from an archive, and sends it.
    case taken
    /// - isOutdated: Whether the store has a later input of the run, which an archive brought.
    case accepted(isOutdated: Bool)
    /// More identifiers were replaced than those that were replaced in the record.
    case lacksIdentifiers
  }

  private func accept(
    _ job: MutationJob,
    _ record: OutboxRecord,
    replacing ids: [String: String]
  ) -> Bool {
    let answer = update { state -> Acceptance in
      if state.writer.stage.hasEnded { return .ended }
      if state.ledger.isLoading {
        state.wait(Pending(job: job, record: record))
        return .accepted(isOutdated: false)
      }
      if case .closed(let error) = state.ledger.phase { return .closed(error) }
      // The thread that replaced them has not found this record, which the ledger does not have yet.
      guard state.replacements == ids else { return .lacksIdentifiers }
      guard state.accept(job, record, for: self) else { return .taken }
      return .accepted(isOutdated: state.ledger.hasLater(than: record))
    }
    switch answer {
    case .ended: return true
    case .closed(let error):
      keepingFailed(job, OutboxError.unwritable(error))
      return true
    case .taken:
      client?.cancel(job)
      return true
    case .lacksIdentifiers: return false
    case .accepted(let isOutdated): if isOutdated { takeStoredInput(job) }
    }
    release()
    start { state in
      if state.ledger.unwritten.isEmpty || state.ledger.isLoading { return nil }
      return state.writer.changed()
    }
    return true
  }

  func changed(_ job: MutationJob, _ progress: RunProgress) {
    let old = update { $0.ledger.progressed(job.identity, progress) }
    withExtendedLifetime(old) {}
    news.send()
  }
}

extension StoredMutation {
  /// The rule by which newer runs of the mutation replace older items in the outbox.
  ///
  /// The rule is not stored with a run: another process takes it from its own registration of the
  /// mutation.
  var pacing: OutboxLedger.Pacing {
    if !isNewestOnly { return .all }
    return isDelayed ? .newestWhenSent : .newest
  }
}

extension OutboxEngine.State {
  /// Lets a run wait until the store has been read.
  ///
  /// If the run waits already with another input, that input is replaced.
  mutating func wait(_ run: OutboxEngine.Pending) {
    let place =
      run.job.versionedInput.revision > 0
      ? pending.firstIndex { $0.job === run.job && $0.record != nil } : nil
    if let place { pending[place] = run } else { pending.append(run) }
  }

  /// Adds a run to the ledger, and claims it in the same step, because from then on its record may be
  /// written, and another client may find the record.
  ///
  /// - Returns: Whether this client has the run; `false` if another client has it from an archive.
  mutating func accept(
    _ job: MutationJob,
    _ record: OutboxRecord,
    for engine: OutboxEngine
  ) -> Bool {
    let place = engine.claimsKey
    guard !OutboxClaims.shared.claim([job.identity], place, engine).isEmpty else { return false }
    jobs[job.identity] = job
    // A new record's number is above all numbers that a client of this process has stored.
    let serial =
      ledger[job.identity]?.serial
      ?? OutboxClaims.shared.number(place, atLeast: ledger.base &+ job.number)
    ledger.accepted(
      record,
      number: job.number,
      serial: serial,
      pacing: job.mutation?.pacing ?? .all
    )
    return true
  }
}
