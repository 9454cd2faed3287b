import Synchronization

extension QueryClient {
  /// Runs an attempt of a fetch in its own task, which keeps the client alive while it runs.
  nonisolated func start(_ job: FetchJob, attempt: Int) {
    let executor = configuration.executor
    guard
      job.tasks.needsTask(
        on: executor,
        for: { { await self.run(job, attempt: attempt) } }
      )
    else { return }
    let task = TaskLocals.without {
      Task(executorPreference: executor) { await self.run(job, attempt: attempt) }
    }
    job.tasks.attach(task, on: executor)
  }

  private nonisolated func run(_ job: FetchJob, attempt: Int) async {
    let context = FetchContext(
      key: job.key.key,
      cause: job.cause,
      attempt: attempt,
      meta: job.query.meta ?? QueryMeta(),
      carriedClient: self,
      job: job
    )
    do {
      let box = try await TaskChain.$inherited.withValue(job.tasks) {
        try await Scheduling.$current.withValue(scheduling) {
          job.tasks.life.taskBegan()
          defer { job.tasks.life.taskEnded() }
          return try await job.fetch(context)
        }
      }
      land(box, of: job)
    } catch {
      // Ask the task, not the error: URLSession throws -999 when its task is cancelled.
      if Task.isCancelled || error is CancellationError {
        transaction { state, transaction in
          guard let index = state.find(job.entry) else { return }
          state.apply(
            state.slots[index].machine.attemptCancelled(job.id, in: transaction.environment),
            index,
            &transaction
          )
        }
      } else if error is NotModified {
        keep(job)
      } else {
        fail(job, attempt: attempt, error)
      }
    }
  }

  /// Lands a fetched value: joins it with the cached one if the fetch or the query says how, and
  /// keeps unchanged parts.
  private nonisolated func land(_ fetched: ValueBox, of job: FetchJob) {
    let join = job.joining.withLock { $0 }
    // A join builds on the cached value, so its result already shares with it.
    let merge = join == nil ? job.query.share(for: job.key.key) : job.query.definition.merge
    let asks = join != nil || merge != nil
    // A merge is only about sharing and may give up after three rounds; a join keeps an update, and
    // never gives up.
    let rounds = join == nil ? 3 : Int.max
    func ask(_: Int) -> CommitAnswer<(present: ValueBox?, box: ValueBox), Void> {
      // User code runs before the transaction, which accepts its answer only if it was about the
      // present data. Boxes are never changed, so the same box means the same data.
      let present = asks ? cache.read { $0.box(job.entry) } : nil
      var box = join?(present) ?? fetched
      if let present, let merge {
        if join == nil {
          box = merge(present, box)
        } else {
          // Repeated until it lands, so it must not change the data that it waits for.
          UpdateChain.run(job.key, of: self) { box = merge(present, box) }
        }
      }
      return .answer((present, box))
    }
    commit(rounds: rounds, asking: ask) { answer, isLast, state, transaction -> Void? in
      guard let index = state.find(job.entry) else { return () }
      if asks, !isLast, state.box(job.entry) !== answer.present { return nil }
      let actions = state.slots[index].machine.attemptSucceeded(job.id, in: transaction.environment)
      guard actions != .none else { return () }
      // If it has not ended, the answer is outdated and the fetch was restarted.
      if actions.ended == .succeeded { state.slots[index].store(answer.box, &transaction) }
      state.apply(actions, index, &transaction)
      return ()
    }
  }

  /// Shows a part of the value of a fetch that continues.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - make: Makes the value from what was fetched or written. It runs outside the lock, and
  ///     again until its answer is about the present data, so that no concurrent update is lost.
  /// - Returns: Whether the fetch is still the current one; if not, nothing is shown.
  nonisolated func progress(
    _ job: FetchJob,
    _ make: (_ present: ValueBox?) -> ValueBox
  ) -> Bool {
    func ask(_: Int) -> CommitAnswer<(present: ValueBox?, box: ValueBox), Bool> {
      let (present, isBegin) = cache.read { ($0.box(job.entry), $0.isAsItBegan(job.entry)) }
      var made: ValueBox?
      // Initial data was there before the fetch, and is not part of the fetched value.
      UpdateChain.run(job.key, of: self) { made = make(isBegin ? nil : present) }
      return made.map { .answer((present, $0)) } ?? .over(false)
    }
    return commit(asking: ask) { answer, _, state, transaction -> Bool? in
      guard let index = state.find(job.entry) else { return false }
      guard state.box(job.entry) === answer.present else { return nil }
      let actions = state.slots[index].machine.attemptProgressed(
        job.id,
        in: transaction.environment
      )
      guard actions.changed else { return false }
      // The part is outdated, and the fetch was restarted.
      guard actions.cancelled == nil else {
        state.apply(actions, index, &transaction)
        return false
      }
      state.slots[index].store(answer.box, &transaction)
      state.apply(actions, index, &transaction)
      return true
    }
  }

  /// Keeps the data, which is still good, if there is any.
  private nonisolated func keep(_ job: FetchJob) {
    let missing = ErrorBox(QueryError.notModifiedWithoutData(key: job.key.key.description))
    transaction { state, transaction in
      guard let index = state.find(job.entry) else { return }
      let actions = state.slots[index].machine.attemptKept(job.id, in: transaction.environment)
      if actions.ended == .failed {
        transaction.drop(state.slots[index].failureReason)
        state.slots[index].failureReason = missing
      }
      state.apply(actions, index, &transaction)
    }
  }

  private nonisolated func fail(_ job: FetchJob, attempt: Int, _ error: any Error) {
    let box = ErrorBox(error)
    var delay = job.retry.delay(failures: attempt, error: error, jitter: nextJitter())
    // A retry would find the same.
    if case .notModifiedWithoutData? = error as? QueryError { delay = nil }
    transaction { state, transaction in
      guard let index = state.find(job.entry) else { return }
      let actions = state.slots[index].machine.attemptFailed(
        job.id,
        retryAfter: delay,
        in: transaction.environment
      )
      guard actions.changed else { return }
      // The failure is outdated, and the fetch was restarted.
      guard actions.cancelled == nil else { return state.apply(actions, index, &transaction) }
      transaction.drop(state.slots[index].failureReason)
      state.slots[index].failureReason = box
      if actions.ended == nil, let delay {
        let count = state.slots[index].machine.failureCount
        state.emit(
          .attemptFailed(error, count: count, retryAfter: delay.duration),
          index,
          transaction,
          job: job
        )
      }
      state.apply(actions, index, &transaction)
      // The timer will start the next attempt, but in the context of this task.
      if actions.ended == nil { transaction.standBy(job.tasks) }
    }
  }

  /// A number in 0..<1 from the client's generator.
  nonisolated func nextJitter() -> Double {
    Double(configuration.randomness() >> 11) * 0x1p-53
  }

  // MARK: Time

  nonisolated func arm(_ instant: Instant) {
    openSignals()
    timer.arm(instant, at: cache.clock.now(), executor: configuration.executor) {
      WakeTimer.Work(
        sleep: cache.clock.sleep,
        onWake: { [weak self] in self?.signals.send(.time) },
        onFailure: { [weak self] error, isNews in self?.clockFailed(error, isNews: isNews) }
      )
    }
  }

  /// Forgets the timer, which no longer sleeps for the earliest deadline: any next transaction arms
  /// it again.
  private nonisolated func clockFailed(_ error: any Error, isNews: Bool) {
    cache.record { $0.armed = nil }
    if isNews { report(.clockFailed(error: "\(error)")) }
  }

  /// Handles due deadlines, at most a thousand in a transaction, so that the lock is held briefly.
  nonisolated func timeReached() {
    var isDone = false
    while !isDone {
      isDone = transaction { state, transaction in
        state.armed = nil
        var left = 1_000
        while let first = state.deadlines.first,
          first.deadline <= transaction.environment.now.instant
        {
          guard left > 0 else { return false }
          left -= 1
          guard first.owner >= 0 else {
            state.timeReached(mutation: Int(~first.owner), &transaction)
            continue
          }
          let index = Int(first.owner)
          guard !state.slots[index].machine.isExpired(at: transaction.environment.now.instant)
          else {
            state.drop(index, reason: .expired, &transaction)
            continue
          }
          state.electObserver(of: index, .interval, &transaction)
          state.apply(
            state.slots[index].machine.timeReached(in: transaction.environment),
            index,
            &transaction
          )
        }
        return true
      }
    }
  }
}
