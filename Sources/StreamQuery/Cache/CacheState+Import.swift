/// The key and date by which a run is recognised if the archive has no identities of runs.
///
/// Two runs may have the same stamp.
private struct RunStamp: Hashable {
  var key: EntryKey
  var submittedAt: Double
}

extension CacheState {
  /// Adds the content of an archive to the cache.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - runs: The paused runs of mutations.
  ///   - resuming: Whether these runs continue at once.
  ///   - import: The serial number of the import of several archives that includes this one; `nil` without
  ///     such an import.
  ///   - transaction: The transaction.
  /// - Returns: The omitted content.
  mutating func restore(
    _ entries: [RestoredEntry],
    _ runs: [RestoredRun],
    resuming: Bool,
    by import: Int? = nil,
    _ transaction: inout Transaction
  ) -> [ImportRefusal] {
    var refused: [ImportRefusal] = []
    for entry in entries {
      guard let reason = fill(entry, by: `import`, &transaction) else { continue }
      refused.append(ImportRefusal(text: entry.text, reason: reason))
    }
    // The runs of the client are counted first, so that runs of the archive that begin below do not count.
    var nameless: [RunStamp: Int] = [:]
    for run in runs where run.identity.isDerived {
      let stamp = RunStamp(key: run.mutation.key, submittedAt: run.submittedAt)
      if nameless[stamp] == nil { nameless[stamp] = count(stamp) }
    }
    var begun: SharedOneShot<Void>?
    for run in runs {
      // If `clear()` has ended the import, its other runs must not begin.
      let isLate = `import`.map { !extensions.imports.isRunning($0) } ?? false
      guard !isShutDown, !isLate, !isKnown(run, &nameless) else {
        refused.append(
          ImportRefusal(
            text: run.text,
            reason: isShutDown ? .shutDown : isLate ? .superseded : .known,
            request: run.identity.revised(run.revision)
          )
        )
        continue
      }
      mutations.archived.insert(run.identity)
      let submittedAt = transaction.environment.now.placing(date: run.submittedAt)
      let id = startRun(
        run.mutation,
        .archive(run.identity, revision: run.revision, submittedAt: submittedAt),
        input: run.input,
        waiter: nil,
        layers: run.layers,
        isHeld: !resuming,
        &transaction
      )
      if let index = mutations.find(id), !mutations.slots[index].machine.rests,
        let job = mutations.slots[index].job
      {
        begun = job.gate(behind: begun)
      }
    }
    return refused
  }

  /// Remembers the paused runs, because an archive is about to contain them: no import must begin
  /// them again here.
  mutating func rememberPausedRuns() {
    guard mutations.pendingCount > 0 else { return }
    for id in mutations.all {
      guard let index = mutations.find(id), mutations.slots[index].machine.isPaused,
        let job = mutations.slots[index].job
      else { continue }
      mutations.archived.insert(job.identity)
      // Another client may archive the run again, and then knows the run only by the identity of the
      // request.
      mutations.archived.insert(job.requestIdentity)
    }
  }

  /// Whether this client has or had a run of an archive.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - nameless: For each stamp, the number of the client's runs that a run without an identity may be. If
  ///     `run` counts as one of them, the number is reduced.
  /// - Returns: Whether the run is known, and must not begin again.
  private func isKnown(_ run: RestoredRun, _ nameless: inout [RunStamp: Int]) -> Bool {
    if mutations.archived.contains(run.identity) || mutations.kept.contains(run.identity) {
      return true
    }
    guard run.identity.isDerived else { return false }
    let stamp = RunStamp(key: run.mutation.key, submittedAt: run.submittedAt)
    guard let count = nameless[stamp], count > 0 else { return false }
    nameless[stamp] = count - 1
    return true
  }

  /// The number of the client's runs with a stamp, except for runs from an archive without
  /// identities.
  private func count(_ stamp: RunStamp) -> Int {
    (mutations.runs[stamp.key] ?? RunQueue()).count { id in
      guard let job = mutations.find(id).flatMap({ mutations.slots[$0].job }) else { return false }
      return job.submittedAt.date == stamp.submittedAt && !job.identity.isDerived
    }
  }

  /// Fills an entry, or returns the reason for not filling it.
  private mutating func fill(
    _ restored: RestoredEntry,
    by import: Int?,
    _ transaction: inout Transaction
  ) -> ImportRefusal.Reason? {
    guard !isShutDown else { return .shutDown }
    let known = find(restored.key)
    let decision = decision(on: restored, known, by: `import`)
    guard !decision.isRefused else { return .superseded }
    // The date is limited to now: a date in the future would keep out all newer data.
    let now = transaction.environment.now.date
    let date = min(restored.updatedAt, now)
    if let known, slots[known].machine.isNoOlder(than: date, at: now) { return .notNewer }
    if let known { adopt(known, restored.query, &transaction) }
    let index = known ?? entry(restored.key, restored.query, &transaction)
    let placed = transaction.environment.now.placing(date: date)
    let knownMark = slots[index].machine.invalidatedAt
    let isMarked =
      restored.isInvalidated || decision.markedAt.map { date <= $0 } ?? false
      || slots[index].machine.isOutdated(from: placed)
    let isComplete = !isMarked && !restored.isPart
    let ends = isComplete && endsFetch(of: index, restored, date, decision, transaction)
    put(
      restored.box,
      index,
      by: .archive,
      updatedAt: date,
      isPart: restored.isPart,
      fencing: ends,
      &transaction
    )
    if let error = restored.error { restore(error, of: restored, index, &transaction) }
    if isMarked {
      // The imported invalidation does not replace a running fetch. The answer of that fetch clears the
      // invalidation, unless the answer itself says that it is from before `time`.
      let time =
        restored.isInvalidated
        ? transaction.environment.now
        : markTime(knownMark, decision, of: placed, transaction)
      input(index, &transaction) { $0.invalidated(isJoining: true, at: time, in: $1) }
      ageMark(index)
    }
    return nil
  }

  /// The time of the invalidation for data that was not invalidated in the archive, but is outdated here.
  private func markTime(
    _ known: Instant?,
    _ decision: Imports.Decision,
    of placed: Timestamp,
    _ transaction: Transaction
  ) -> Timestamp {
    let told = decision.markedAt.map(transaction.environment.now.placing(date:))?.instant
    let last = max(told ?? placed.instant, known ?? placed.instant)
    return Timestamp(instant: known == .distantPast ? .distantPast : last, date: placed.date)
  }

  /// Decides how an import may use an entry that it brings, by the changes since the import named the key.
  func decision(
    on restored: RestoredEntry,
    _ index: Int?,
    by import: Int?
  ) -> Imports.Decision {
    guard let `import` else { return Imports.Decision() }
    let candidate = Imports.Candidate(
      text: restored.text,
      info: .absent(restored.key),
      entry: index.map { slots[$0].generation }
    )
    return extensions.imports.decision(on: candidate, by: `import`)
  }

  /// Whether archived data ends the fetch in flight.
  ///
  /// The data must not be stale. The fetch must be deferred until an import, or have begun after this import
  /// had said that it will bring the entry's key: then the fetch is not needed.
  private func endsFetch(
    of index: Int,
    _ restored: RestoredEntry,
    _ date: Double,
    _ decision: Imports.Decision,
    _ transaction: Transaction
  ) -> Bool {
    guard let job = slots[index].job else { return false }
    let isNamed = decision.endsFetchesAfter.map { job.sequence > $0 } ?? false
    guard isNamed || slots[index].machine.isDeferred else { return false }
    let now = transaction.environment.now
    return !slots[index].machine.wouldBeStale(
      updatedAt: now.placing(date: date),
      restored.freshness,
      limit: decision.limit,
      at: now.instant
    )
  }

  private mutating func restore(
    _ error: ErrorBox,
    of restored: RestoredEntry,
    _ index: Int,
    _ transaction: inout Transaction
  ) {
    let date = min(restored.errorUpdatedAt, transaction.environment.now.date)
    let actions = slots[index].machine.failureRestored(
      updatedAt: transaction.environment.now.placing(date: date),
      in: transaction.environment
    )
    guard actions.changed else { return }
    transaction.replace(&slots[index].error, by: error)
    transaction.replace(&slots[index].failureReason, by: error)
    apply(actions, index, &transaction)
  }
}

/// A decoded entry on its way into the cache; see
/// ``QueryClient/restored(_:_:_:_:updatedAt:isInvalidated:isPart:error:)``.
package struct RestoredEntry: Sendable {
  /// The type and the key as text.
  var text: String
  var key: EntryKey
  var query: StoredQuery
  /// How long the data counts as fresh.
  var freshness: Freshness
  var box: ValueBox
  /// The date of the data, in seconds since the reference date.
  var updatedAt: Double
  var isInvalidated: Bool
  /// Whether the data is a part of a streamed value.
  var isPart: Bool
  var error: ErrorBox?
  var errorUpdatedAt: Double
}

/// A run of a mutation from an archive or an earlier process, on its way into the cache.
package struct RestoredRun: Sendable {
  /// The types and the key as text, for reports.
  var text = ""
  var identity: RunIdentity
  /// The number of changes of the run's input.
  var revision: UInt64
  /// The run's number among the runs of the client, if a store had the run.
  var serial: UInt64 = 0
  package var mutation: StoredMutation
  var input: ValueBox
  var layers: [LayerPlan]
  /// The date of the start, in seconds since the reference date.
  var submittedAt: Double
}

/// An entry or a run of an archive that the cache omits.
package struct ImportRefusal: Sendable {
  /// The reason.
  package enum Reason: Sendable {
    case shutDown
    case superseded
    case notNewer
    case known
  }

  /// The type and the key as text.
  package var text: String
  package var reason: Reason
  /// The identity of a run's request; `nil` for an entry.
  package var request: RunIdentity?

  package var isMutation: Bool { request != nil }
}
