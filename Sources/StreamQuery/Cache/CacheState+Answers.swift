extension CacheState {
  /// Applies the answer of an attempt to the entry of its fetch.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - job: The fetch.
  ///   - transaction: The transaction.
  /// - Returns: Whether the answer landed: it was no failure, and became the entry's data or confirmed the
  ///   data.
  @discardableResult
  mutating func answered(
    _ answer: AttemptAnswer,
    by job: FetchJob,
    _ transaction: inout Transaction
  ) -> Bool {
    guard let index = find(job.entry) else { return false }
    let environment = transaction.environment
    let said = job.saidAnswer
    let isAwaited = slots[index].machine.isFollowed && awaitsSuccessor(index, &transaction)
    let outcome =
      switch answer {
      case .value:
        slots[index].machine.attemptSucceeded(
          job.id,
          said?.age,
          isAwaited: isAwaited,
          in: environment
        )
      case .part:
        slots[index].machine.attemptProgressed(
          job.id,
          said?.age,
          isAwaited: isAwaited,
          in: environment
        )
      case .notModified:
        slots[index].machine.attemptKept(job.id, said?.age, isAwaited: isAwaited, in: environment)
      case .failure(_, let delay):
        slots[index].machine.attemptFailed(
          job.id,
          retryAfter: delay,
          keepsPart: delay != nil && job.keepsPart,
          in: environment
        )
      case .cancelled: slots[index].machine.attemptCancelled(job.id, in: environment)
      case .nothing: foundNothing(index, by: job, &transaction)
      }
    switch outcome {
    case .late: return false
    case .restarted, .cancelled: break
    case .landed:
      // This withdraws the copy that is read without the lock. It comes first, because a reader that learns
      // about the answer must not find older data.
      announce(.landing(index), &transaction)
      // `saidAnswer` is read again, because another task of the fetch may have changed it meanwhile.
      job.saidAnswer?.answerLanded(isEndless: job.query.fetchOptions.delivery == .endless)
      if let box = answer.box { slots[index].store(box, &transaction) }
    case .retrying, .failed:
      transaction.replace(&slots[index].failureReason, by: answer.error)
    }
    announce(.attemptEnded(index), &transaction)
    if case .retrying(_, let delay) = outcome, let error = answer.error?.error {
      let count = slots[index].machine.failureCount
      emit(
        .attemptFailed(error, count: count, retryAfter: delay.duration),
        index,
        transaction,
        job: job
      )
      attemptRests(index)
      // The timer starts the next attempt later, but its task is made now, in the context of this
      // task.
      transaction.prepareTask(job.tasks)
    }
    apply(outcome.actions, index, &transaction)
    return if case .landed = outcome { true } else { false }
  }

  /// Ends an attempt that found nothing to fetch, and lets the callers that joined its fetch wait for the
  /// next fetch.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - job: The fetch.
  ///   - transaction: The transaction.
  /// - Returns: The outcome of the attempt.
  private mutating func foundNothing(
    _ index: Int,
    by job: FetchJob,
    _ transaction: inout Transaction
  ) -> AttemptOutcome {
    guard slots[index].machine.running(job.id) != nil else { return .late }
    for waiter in slots[index].waiters where waiter.role == .leasing {
      waiter.waitsForSuccessor = true
    }
    let isAwaited = awaitsSuccessor(index, &transaction)
    return slots[index].machine.attemptFoundNothing(
      job.id,
      isAwaited: isAwaited,
      in: transaction.environment
    )
  }

  /// The instant when the attempt of a running fetch showed its first part; `nil` if it has shown
  /// none.
  func deliveringSince(_ job: FetchJob) -> Instant? {
    find(job.entry).flatMap { slots[$0].machine.running(job.id)?.attempt.deliveringSince }
  }

  /// Whether the entry of a fetch has an enabled observer.
  func isActive(_ job: FetchJob) -> Bool {
    find(job.entry).map { slots[$0].machine.isActive } ?? false
  }

  /// Sets the number of failed attempts of a fetch to zero, so that it may be retried as often as a new one.
  mutating func retriesCountAnew(of job: FetchJob) {
    if let index = find(job.entry) { slots[index].machine.retriesCountAnew(job.id) }
  }

  /// Whether the elements of a fetch replace the present data instead of being added to it.
  ///
  /// The elements replace it unless a caller has written the data since the fetch began. They also replace it
  /// if the data was invalidated after that write and before the present attempt.
  func isNoBase(_ job: FetchJob) -> Bool {
    guard let index = find(job.entry), let current = slots[index].machine.running(job.id) else {
      return false
    }
    if current.writer != .caller { return true }
    return slots[index].machine.isKnownToHaveChanged
      && (!current.predatesMark || current.baseWasMarked && !current.attempt.wasWritten)
  }

  /// Whether the data of an entry is known to have changed on the server.
  func isKnownToHaveChanged(_ entry: EntryID) -> Bool {
    find(entry).map { slots[$0].machine.isKnownToHaveChanged } ?? false
  }

  /// Whether a caller waits for the fetch that follows the one in flight.
  ///
  /// If so, this marks the transaction as imperative: the next fetch retries like one that a caller asks for.
  @inline(never)
  private func awaitsSuccessor(_ index: Int, _ transaction: inout Transaction) -> Bool {
    guard isSuccessorAwaited(index) else { return false }
    transaction.isImperative = true
    return true
  }

  /// Whether a caller waits for the fetch that follows the one in flight.
  func isSuccessorAwaited(_ index: Int) -> Bool {
    slots[index].waiters.contains {
      $0.role == .leasing && $0.waitsForSuccessor && !$0.isResolved
    }
  }

  /// Applies an answer that was computed outside the lock from the entry's data, unless that data
  /// has changed.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - present: The data from which the answer was made. Boxes are never changed: the same box is
  ///     the same data.
  ///   - job: The fetch.
  ///   - transaction: The transaction.
  /// - Returns: Whether the answer landed; `nil` if the data has changed, and the answer has to be
  ///   made again.
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
