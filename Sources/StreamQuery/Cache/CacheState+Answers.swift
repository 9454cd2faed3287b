extension CacheState {
  /// An attempt of a fetch has an answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - job: The fetch.
  ///   - transaction: The transaction.
  /// - Returns: Whether it landed.
  @discardableResult
  mutating func answered(
    _ answer: AttemptAnswer,
    by job: FetchJob,
    _ transaction: inout Transaction
  ) -> Bool {
    guard let index = find(job.entry) else { return false }
    let environment = transaction.environment
    let said = job.saidAnswer
    let outcome =
      switch answer {
      case .value:
        slots[index].machine.attemptSucceeded(job.id, said?.age, in: environment)
      case .part: slots[index].machine.attemptProgressed(job.id, in: environment)
      case .notModified:
        slots[index].machine.attemptKept(job.id, said?.age, in: environment)
      case .failure(_, let delay):
        slots[index].machine.attemptFailed(job.id, retryAfter: delay, in: environment)
      case .cancelled: slots[index].machine.attemptCancelled(job.id, in: environment)
      }
    switch outcome {
    case .late: return false
    case .restarted, .cancelled: break
    case .landed:
      // First: whoever learns that it landed must find it.
      if offers != nil { withdraw(index, &transaction) }
      // Looked at again: another task of the fetch may have asked since.
      job.saidAnswer?.landed()
      if let box = answer.box { slots[index].store(box, &transaction) }
    case .retrying, .failed:
      transaction.drop(slots[index].failureReason)
      slots[index].failureReason = answer.error
    }
    leaveRoom(index)
    if case .retrying(_, let delay) = outcome, let error = answer.error?.error {
      let count = slots[index].machine.failureCount
      emit(
        .attemptFailed(error, count: count, retryAfter: delay.duration),
        index,
        transaction,
        job: job
      )
      attemptRests(index)
      // The timer will start the next attempt, but in the context of this task.
      transaction.standBy(job.tasks)
    }
    apply(outcome.actions, index, &transaction)
    return if case .landed = outcome { true } else { false }
  }

  /// An attempt has an answer that was made, outside the lock, from the data of that time.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - present: What it was made from. Boxes are never changed: the same box is the same data.
  ///   - job: The fetch.
  ///   - transaction: The transaction.
  /// - Returns: Whether it landed; `nil` if the data has changed, and the answer has to be made
  ///   again.
  mutating func answered(
    _ answer: AttemptAnswer,
    madeFrom present: ValueBox?,
    by job: FetchJob,
    _ transaction: inout Transaction
  ) -> Bool? {
    guard find(job.entry) == nil || box(job.entry) === present else { return nil }
    return answered(answer, by: job, &transaction)
  }
}
