import Synchronization

extension QueryClient {
  /// Runs an attempt of a fetch in a task of its own, which keeps the client alive while it runs.
  nonisolated func start(_ job: FetchJob, attempt: Int) {
    let executor = configuration.executor
    guard
      job.tasks.needsTask(
        on: executor,
        for: { { await self.run(job, attempt: attempt) } }
      )
    else { return }
    let task = Inheritance.without {
      Task(executorPreference: executor) { await self.run(job, attempt: attempt) }
    }
    job.tasks.attach(task, on: executor)
  }

  private nonisolated func run(_ job: FetchJob, attempt: Int) async {
    let context = FetchContext(
      key: job.key.key,
      cause: job.cause,
      attempt: attempt,
      meta: job.plan.meta ?? QueryMeta(),
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
        turn { state, turn in
          guard let index = state.find(job.entry) else { return }
          state.apply(
            state.slots[index].machine.attemptCancelled(job.id, in: turn.world),
            index,
            &turn
          )
        }
      } else if error is NotModified {
        keep(job)
      } else {
        fail(job, attempt: attempt, error)
      }
    }
  }

  /// A value arrived: it is joined with the cached one if the fetch or the query says how, keeps what did
  /// not change, and lands.
  private nonisolated func land(_ fetched: ValueBox, of job: FetchJob) {
    let join = job.joining.withLock { $0 }
    // What a join makes is made of the cached value, and shares with it as it is.
    let merge = join == nil ? job.plan.share(for: job.key.key) : job.plan.plan.merge
    let asks = join != nil || merge != nil
    // A merge is a matter of looks and gives in; a join keeps an update, and does not.
    let rounds = join == nil ? 3 : Int.max
    func ask(_: Int) -> Asked<(present: ValueBox?, box: ValueBox), Void> {
      // User code: asked before the turn, which holds only if it was about the present data. Boxes
      // are never changed, so the same box is the same data.
      let present = asks ? cache.read { $0.box(job.entry) } : nil
      var box = join?(present) ?? fetched
      if let present, let merge {
        if join == nil {
          box = merge(present, box)
        } else {
          // Asked until it lands, so it must not move what it waits for.
          UpdateChain.run(job.key, of: self) { box = merge(present, box) }
        }
      }
      return .answer((present, box))
    }
    commit(rounds: rounds, asking: ask) { answer, isLast, state, turn -> Void? in
      guard let index = state.find(job.entry) else { return () }
      if asks, !isLast, state.box(job.entry) !== answer.present { return nil }
      let effects = state.slots[index].machine.attemptSucceeded(job.id, in: turn.world)
      guard effects != .none else { return () }
      // Not ended: the answer is outdated, and the fetch was begun anew.
      if effects.ended == .succeeded { state.slots[index].store(answer.box, &turn) }
      state.apply(effects, index, &turn)
      return ()
    }
  }

  /// Shows a part of the value of a fetch that goes on.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - make: Makes the value of what was fetched or written; asked outside the lock, until its
  ///     answer is about the present data, so that an update which was written meanwhile is not lost.
  /// - Returns: Whether the fetch is still the current one; if not, nothing is shown.
  nonisolated func progress(
    _ job: FetchJob,
    _ make: (_ present: ValueBox?) -> ValueBox
  ) -> Bool {
    func ask(_: Int) -> Asked<(present: ValueBox?, box: ValueBox), Bool> {
      let (present, isBegin) = cache.read { ($0.box(job.entry), $0.isAsItBegan(job.entry)) }
      var made: ValueBox?
      // Initial data is what the entry began with, and no part of what is fetched.
      UpdateChain.run(job.key, of: self) { made = make(isBegin ? nil : present) }
      return made.map { .answer((present, $0)) } ?? .over(false)
    }
    return commit(asking: ask) { answer, _, state, turn -> Bool? in
      guard let index = state.find(job.entry) else { return false }
      guard state.box(job.entry) === answer.present else { return nil }
      let effects = state.slots[index].machine.attemptProgressed(job.id, in: turn.world)
      guard effects.changed else { return false }
      // The part is outdated, and the fetch was begun anew.
      guard effects.cancelled == nil else {
        state.apply(effects, index, &turn)
        return false
      }
      state.slots[index].store(answer.box, &turn)
      state.apply(effects, index, &turn)
      return true
    }
  }

  /// The data is still good, if there is any.
  private nonisolated func keep(_ job: FetchJob) {
    let missing = ErrorBox(QueryError.notModifiedWithoutData(key: job.key.key.description))
    turn { state, turn in
      guard let index = state.find(job.entry) else { return }
      let effects = state.slots[index].machine.attemptKept(job.id, in: turn.world)
      if effects.ended == .failed {
        turn.drop(state.slots[index].failureReason)
        state.slots[index].failureReason = missing
      }
      state.apply(effects, index, &turn)
    }
  }

  private nonisolated func fail(_ job: FetchJob, attempt: Int, _ error: any Error) {
    let box = ErrorBox(error)
    var delay = job.retry.delay(failures: attempt, error: error, jitter: nextJitter())
    // Asked again, it would find the same.
    if case .notModifiedWithoutData? = error as? QueryError { delay = nil }
    turn { state, turn in
      guard let index = state.find(job.entry) else { return }
      let effects = state.slots[index].machine.attemptFailed(
        job.id,
        retryAfter: delay,
        in: turn.world
      )
      guard effects.changed else { return }
      // The failure is outdated, and the fetch was begun anew.
      guard effects.cancelled == nil else { return state.apply(effects, index, &turn) }
      turn.drop(state.slots[index].failureReason)
      state.slots[index].failureReason = box
      if effects.ended == nil, let delay {
        let count = state.slots[index].machine.failureCount
        state.emit(
          .attemptFailed(error, count: count, retryAfter: delay.duration),
          index,
          turn,
          job: job
        )
      }
      state.apply(effects, index, &turn)
      // The timer will start the next attempt, but its context is this task's.
      if effects.ended == nil { turn.standBy(job.tasks) }
    }
  }

  /// A number in 0..<1 from the client's generator.
  nonisolated func nextJitter() -> Double {
    Double(configuration.randomness() >> 11) * 0x1p-53
  }

  // MARK: Time

  nonisolated func arm(_ moment: Moment) {
    openSignals()
    timer.arm(moment, at: cache.clock.now(), executor: configuration.executor) {
      WakeTimer.Work(
        sleep: cache.clock.sleep,
        onWake: { [weak self] in self?.signals.send(.time) },
        onFailure: { [weak self] error, isNews in self?.clockFailed(error, isNews: isNews) }
      )
    }
  }

  /// Nobody sleeps for the earliest deadline: the next turn, whatever it is for, arms it again.
  private nonisolated func clockFailed(_ error: any Error, isNews: Bool) {
    cache.record { $0.armed = nil }
    if isNews { report(.clockFailed(error: "\(error)")) }
  }

  /// Handles what is due, at most a thousand entries in a turn: the lock stays short.
  nonisolated func timeReached() {
    var isDone = false
    while !isDone {
      isDone = turn { state, turn in
        state.armed = nil
        var left = 1_000
        while let first = state.deadlines.first, first.deadline <= turn.world.now.moment {
          guard left > 0 else { return false }
          left -= 1
          guard first.owner >= 0 else {
            state.timeReached(mutation: Int(~first.owner), &turn)
            continue
          }
          let index = Int(first.owner)
          guard !state.slots[index].machine.isExpired(at: turn.world.now.moment) else {
            state.drop(index, reason: .expired, &turn)
            continue
          }
          state.electObserver(of: index, .interval, &turn)
          state.apply(state.slots[index].machine.timeReached(in: turn.world), index, &turn)
        }
        return true
      }
    }
  }
}
