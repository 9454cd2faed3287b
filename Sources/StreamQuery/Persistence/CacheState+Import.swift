/// A decoded entry on its way into the cache.
struct RestoredEntry: Sendable {
  var text: String
  var key: EntryKey
  var plan: ResolvedPlan
  var box: ValueBox
  /// Seconds since the reference date.
  var updatedAt: Double
  var isInvalidated: Bool
  var error: ErrorBox?
  var errorUpdatedAt: Double
}

/// A decoded run of a mutation on its way into the cache.
struct RestoredRun: Sendable {
  var text: String
  var plan: ResolvedMutation
  var input: ValueBox
  var layers: [PlannedLayer]
  /// Seconds since the reference date.
  var submittedAt: Double
}

/// What tells the runs of a client apart that it had in an earlier life.
private struct RunStamp: Hashable {
  var key: EntryKey
  var submittedAt: Double
}

extension CacheState {
  /// Takes the content of an archive over.
  ///
  /// - Returns: What was left out.
  mutating func restore(
    _ entries: [RestoredEntry],
    _ runs: [RestoredRun],
    resuming: Bool,
    _ turn: inout Turn
  ) -> [ArchiveImport.Skipped] {
    var refused: [ArchiveImport.Skipped] = []
    for entry in entries {
      guard let reason = fill(entry, &turn) else { continue }
      refused.append(
        ArchiveImport.Skipped(key: entry.text, isMutation: false, reason: reason)
      )
    }
    var known: [RunStamp: Int] = [:]
    for run in runs {
      let stamp = RunStamp(key: run.plan.key, submittedAt: run.submittedAt)
      if known[stamp] == nil { known[stamp] = count(stamp) }
    }
    var line: Turnstile?
    for run in runs {
      let stamp = RunStamp(key: run.plan.key, submittedAt: run.submittedAt)
      let isKnown = known[stamp, default: 0] > 0
      if isKnown { known[stamp, default: 0] -= 1 }
      guard !isKnown, !isShutDown else {
        let reason = isShutDown ? ArchiveImport.Reason.shutDown : .known
        refused.append(
          ArchiveImport.Skipped(key: run.text, isMutation: true, reason: reason)
        )
        continue
      }
      let id = begin(
        run.plan,
        input: run.input,
        waiter: nil,
        layers: run.layers,
        submittedAt: turn.world.now.placing(date: run.submittedAt),
        isHeld: !resuming,
        &turn
      )
      line = lineUp(id, behind: line)
    }
    return refused
  }

  private func count(_ stamp: RunStamp) -> Int {
    (mutations.runs[stamp.key]?.runs ?? []).count { id in
      mutations.find(id).flatMap { mutations.slots[$0].job }?.submittedAt.date == stamp.submittedAt
    }
  }

  /// Fills an entry; says why if it does not.
  private mutating func fill(
    _ restored: RestoredEntry,
    _ turn: inout Turn
  ) -> ArchiveImport.Reason? {
    guard !isShutDown else { return .shutDown }
    // A clock that was ahead must not make data that nothing newer can ever replace.
    let now = turn.world.now.date
    let date = min(restored.updatedAt, now)
    if let index = find(restored.key), slots[index].machine.hasData,
      min(slots[index].machine.dataUpdatedAt.date, now) >= date
    {
      return .notNewer
    }
    let known = find(restored.key)
    if let known { plan(known, with: restored.plan, &turn) }
    let index = known ?? entry(restored.key, restored.plan, &turn)
    write(restored.box, index, updatedAt: date, fencing: false, &turn)
    if let error = restored.error { restore(error, of: restored, index, &turn) }
    if restored.isInvalidated {
      apply(slots[index].machine.invalidated(in: turn.world), index, &turn)
    }
    return nil
  }

  private mutating func restore(
    _ error: ErrorBox,
    of restored: RestoredEntry,
    _ index: Int,
    _ turn: inout Turn
  ) {
    let date = min(restored.errorUpdatedAt, turn.world.now.date)
    let effects = slots[index].machine.failureRestored(
      updatedAt: turn.world.now.placing(date: date),
      in: turn.world
    )
    guard effects.changed else { return }
    turn.drop(slots[index].error)
    turn.drop(slots[index].failureReason)
    slots[index].error = error
    slots[index].failureReason = error
    apply(effects, index, &turn)
  }
}
