/// What a transaction asks the shell to do about mutation runs.
enum MutationAction: Sendable {
  /// Call the callbacks that come before the first attempt.
  case prepare(MutationJob)
  case perform(MutationJob, attempt: Int)
  /// Call the callbacks that come before the end.
  case settle(MutationJob, WaitOutcome)
  case cancel(MutationJob)
  /// Keep the run beyond the process, or tell when it is known which runs come before it.
  case keep(MutationJob)
  /// A kept run took a step.
  case kept(MutationJob, RunProgress)
  /// A kept run is over.
  case over(MutationJob, MutationMachine.Ending)
  /// A run took the place of another one, which may have been about something else: certainly if it
  /// changed what the newer one leaves alone.
  case discarded(MutationJob, by: MutationJob, changesOthers: Bool)
  /// Some runs were changed, added or removed.
  case news([MutationNews])
  /// Refetch for the transitions that waited for mutations.
  case sweep([FetchCause])
}

extension CacheState {
  /// Reports a step of a run, if there are listeners.
  mutating func emit(
    _ step: QueryEvent.MutationStep,
    _ job: MutationJob,
    _ transaction: Transaction
  ) {
    guard emitsEvents else { return }
    var event = makeEvent(.mutation(step), job.key.key, transaction, since: job.submittedAt)
    event.meta = job.meta
    actionQueue.append(.emit(event))
  }

  mutating func setDeadline(_ deadline: Instant?, mutation index: Int) {
    let position = mutations.slots[index].heapPosition
    guard deadline != nil || position >= 0 else { return }
    // Negative, to distinguish runs from entries.
    setDeadline(deadline, owner: ~Int32(truncatingIfNeeded: index), at: position)
  }
}
