@_spi(Adapters) internal import StreamQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The items that an app sees, and its actions on them.

extension OutboxEngine {
  var items: OutboxItems {
    let (blocks, pending) = update { ($0.ledger.shown(), $0.pending.compactMap(\.record)) }
    return OutboxItems(blocks + [OutboxItems.Block(pending.map { OutboxItem($0, .saving) })])
  }

  var version: UInt64 { update { $0.ledger.version } }

  /// Sends an item now, even if it is stopped by a failure, or waits for its next attempt or its delay.
  ///
  /// - Returns: Whether the item was waiting in one of these ways, and goes on now.
  func retry(_ id: RunIdentity) -> Bool {
    let (entry, job, isEnded, phase) = update {
      ($0.ledger[id], $0.jobs[id], $0.writer.stage.hasEnded, $0.ledger.phase)
    }
    guard let entry, !isEnded else { return false }
    // An item without a record is never sent, and after the store is closed, no record is written any more.
    if case .closed = phase, !entry.isWritten { return false }
    guard let job else {
      feed()
      return update { $0.ledger[id].map { !$0.status.isOpen } ?? false }
        && entry.status.isOpen
    }
    return client?.retry(job) ?? false
  }

  func drop(_ id: RunIdentity) async throws {
    let (isKnown, isEnded, known) = update { state in
      let pending = state.pending.first { $0.job.identity == id }
      let isKnown = state.ledger[id] != nil || pending != nil
      if isKnown, !state.writer.stage.hasEnded { state.dropped.insert(id) }
      return (isKnown, state.writer.stage.hasEnded, state.jobs[id] ?? pending?.job)
    }
    // After the client's end, the record belongs to the next client.
    if isEnded { throw QueryError.shutDown }
    guard isKnown else { throw OutboxError.noSuchItem }
    // The outbox does not know the run of an archive if the run is not durable, or if the item's mutation is
    // not registered.
    if let job = known ?? client?.archivedRun(id) {
      // The record is removed when the run ends, and a run cannot wait for its own end.
      if client?.cancel(job) == true { return }
    } else {
      let old = update { state -> OutboxLedger.Entry? in
        state.dropped.remove(id)
        return state.writer.stage.hasEnded ? nil : state.ledger.ended(id)
      }
      withExtendedLifetime(old) {}
      release()
      start { $0.writer.stage.hasEnded ? nil : $0.writer.changed() }
      feed()
    }
    try await waitUntilSettled(id, nil)
  }

  func rebase<Input: Sendable>(_ id: RunIdentity, with input: Input) async throws {
    let (record, job, isEnded) = update { state in
      let pending = state.pending.first { $0.job.identity == id }
      let record = state.ledger[id]?.record ?? pending?.record
      return (record, state.jobs[id] ?? pending?.job, state.writer.stage.hasEnded)
    }
    if isEnded { throw QueryError.shutDown }
    guard let record else { throw OutboxError.noSuchItem }
    let header = record.header
    // If the item has a run, the input is encoded as the run's own mutation does, because another mutation
    // may be registered under its name.
    let form =
      if let job {
        (job.mutation?.resolved.keeping as? OutboxPolicy)?.form
      } else {
        update { $0.registrations[header.mutation]?.form }
      }
    guard let form, let box = form.box(input) else {
      throw OutboxError.otherInput(mutation: header.mutation)
    }
    let data: Data
    do {
      data = try form.encode(box)
    } catch {
      throw OutboxError.notEncodable(mutation: header.mutation, reason: error)
    }
    if let job {
      guard let client, client.rebase(job, box) else { throw OutboxError.sending }
      return try await waitUntilSettled(id, header.revision + 1)
    }
    var isReplaced: Bool?
    while isReplaced == nil {
      // Temporary identifiers that the server has replaced by now are replaced in the new input, too.
      let ids = update { $0.replacements }
      let replacement = try record.with(
        input: ids.isEmpty ? data : IdentifierText.replacing(ids, in: data) ?? data,
        revision: header.revision + 1,
        version: form.version
      )
      isReplaced = false
      start { state in
        if state.writer.stage.hasEnded { return nil }
        // Another thread may have replaced more identifiers meanwhile.
        isReplaced = state.replacements == ids ? state.ledger.replaced(replacement) : nil
        return isReplaced == true ? state.writer.requested() : nil
      }
    }
    // If the input was not replaced, the item's run has begun meanwhile, or another call has changed the
    // input.
    guard isReplaced == true else { throw OutboxError.sending }
    try await waitUntilSettled(id, header.revision + 1)
  }

  /// Waits until the store has a revision of an item or, for `nil`, has removed the item's record.
  private func waitUntilSettled(_ id: RunIdentity, _ revision: UInt64?) async throws {
    let answer = SharedOneShot<ErrorBox?>()
    let early = update { state -> ErrorBox?? in
      if state.isSettled(id, revision) { return .some(nil) }
      if state.writer.stage.hasEnded { return ErrorBox(QueryError.shutDown) }
      state.waits[id, default: []].append(Wait(revision: revision, answer: answer))
      return nil
    }
    if let early { answer.give(early) }
    let error = await answer.take(for: "an item of the outbox", of: client, orGive: nil) ?? nil
    // The list still has the caller if the caller's wait was cancelled.
    update { $0.waitEnded(id, answer) }
    try Task.checkCancellation()
    if let error { throw error.error }
    if case .closed(let error) = update({ $0.ledger.phase }) {
      throw OutboxError.unwritable(error)
    }
  }
}

extension OutboxEngine.State {
  fileprivate mutating func waitEnded(_ id: RunIdentity, _ answer: SharedOneShot<ErrorBox?>) {
    waits[id]?.removeAll { $0.answer === answer }
    if waits[id]?.isEmpty == true { waits[id] = nil }
  }

  func isSettled(_ id: RunIdentity, _ revision: UInt64?) -> Bool {
    !pending.contains { $0.job.identity == id } && ledger.isSettled(id, revision)
  }
}
