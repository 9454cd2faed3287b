/// What a turn asks the shell to do about runs of mutations.
enum MutationErrand: Sendable {
  /// Call what is called before the first attempt.
  case prepare(MutationJob)
  case perform(MutationJob, attempt: Int)
  /// Call what is called before the end.
  case settle(MutationJob, WaitOutcome)
  case cancel(MutationJob)
  /// Some runs changed, came or went.
  case news([MutationNews])
  /// Refetch what the edges ask for that waited for mutations.
  case sweep([FetchCause])
}

extension CacheState {
  /// Tells of a step of a run, if anybody listens.
  mutating func emit(
    _ step: QueryEvent.MutationStep,
    _ job: MutationJob,
    _ turn: Turn
  ) {
    guard emitsEvents else { return }
    var event = makeEvent(.mutation(step), job.key.key, turn, since: job.submittedAt)
    event.meta = job.meta
    errands.append(.emit(event))
  }

  mutating func setDeadline(_ deadline: Moment?, mutation index: Int) {
    let position = mutations.slots[index].heapPosition
    guard deadline != nil || position >= 0 else { return }
    // Below zero, so that they are told from entries.
    setDeadline(deadline, owner: ~Int32(truncatingIfNeeded: index), at: position)
  }
}
