nonisolated extension QueryClient {
  func perform(_ action: MutationAction) {
    switch action {
    case .prepare(let job): work(on: job) { await self.prepare(job) }
    case .perform(let job, let attempt):
      adviseAtStart()
      work(on: job) { await self.runAttempt(job, attempt: attempt) }
    case .settle(let job, let outcome):
      // The task of a cancelled run is cancelled, so its callbacks run in a new task.
      job.tasks?.renew()
      work(on: job) { await self.performCallbacks(job, outcome) }
    case .cancel(let job): job.tasks?.cancel()
    case .keep(let job): TaskLocals.none { self.keep(job) }
    case .kept(let job, let progress): durableRuns?.changed(job, progress)
    case .over(let job, let ending, wasDurable: let wasDurable):
      TaskLocals.none { self.durableRuns?.ended(job, ending, wasDurable: wasDurable) }
    case .discarded(let job, by: let newer, changesOthers: let changesOthers):
      discarded(job, by: newer, changesOthers: changesOthers)
    case .news(let news):
      var topics: Set<MutationTopic> = []
      for item in news { item.addTopics(to: &topics) }
      mutationNews.send((), about: Array(topics))
    // These refetches were delayed until a run had ended, but they are not part of that run.
    case .refetchWilling(let causes): TaskLocals.none { self.refetchWilling(causes) }
    }
  }

  /// Runs a stage of a run in its own task, in the context of the run's caller.
  ///
  /// The task retains the client.
  ///
  /// - Returns: Whether there is a task; `false` if the run is over.
  @discardableResult
  private func work(
    on job: MutationJob,
    _ body: @escaping @Sendable () async -> Void
  ) -> Bool {
    guard let tasks = job.tasks else { return false }
    let work: PreparedTask.Work = {
      await MutationJob.$current.withValue(job) {
        await TaskChain.$inherited.withValue(tasks) {
          await Scheduling.$current.withValue(self.scheduling) {
            tasks.lifecycle.taskBegan()
            defer { tasks.lifecycle.taskEnded() }
            await body()
          }
        }
      }
    }
    let executor = configuration.executor
    var isGiven = false
    let needed = tasks.needsTask(on: executor) {
      isGiven = true
      return work
    }
    guard let number = needed else { return isGiven }
    let task = TaskLocals.without { Task<Void, any Error>(on: executor) { await work() } }
    tasks.attach(task, number, on: executor)
    return true
  }

  // MARK: Stages

  private func prepare(_ job: MutationJob) async {
    await job.passGate()
    let facts = MutationCallbacks.Facts(client: self, job: job)
    guard let callbacks = job.mutation?.resolved.callbacks else { return }
    // A run that was stopped during its preparation is prepared again, without the values from before.
    withExtendedLifetime(job.forgetSaved()) {}
    do {
      for prepare in callbacks.onMutate {
        try Task.checkCancellation()
        showSaved(of: job)
        job.save(try await prepare(facts))
      }
      step(job) { $0.prepared(in: $1) }
      if job.mutation?.isNewestOnly == true {
        transaction { state, transaction in state.cancelOlder(before: job.id, &transaction) }
      }
    } catch {
      // Whether this is a cancellation depends on the task: work that throws `CancellationError` by
      // itself has failed.
      let isCancellation = Task.isCancelled
      fail(job, error) { $0.preparationFailed(isCancellation: isCancellation, in: $1) }
    }
  }

  private func runAttempt(_ job: MutationJob, attempt: Int) async {
    await job.passGate()
    let durable = job.isDurable ? durableRuns : nil
    if let durable, !durable.attemptBegan(job) { return }
    let mutation = job.mutation?.resolved
    let limit = mutation.flatMap { self.limit(of: job, $0.timeout, attempt: attempt, durable) }
    let outcome: Result<ValueBox, any Error>
    do {
      outcome = .success(try await output(of: job, mutation?.perform, attempt: attempt))
    } catch {
      outcome = .failure(error)
    }
    limit?.stop()
    // An attempt that exceeded its timeout has failed already.
    guard limit?.tryEnd() ?? true else { return }
    await attemptEnded(job, attempt: attempt, outcome, durable)
  }

  /// The context of an attempt, for the work and for the decision about its error.
  package func context(of job: MutationJob, attempt: Int) -> MutationContext {
    MutationContext(
      key: job.key.key,
      attempt: attempt,
      idempotencyKey: job.requestIdentity.uuid,
      meta: job.meta,
      carriedClient: self,
      saved: job.saved
    )
  }

  /// Calls the work of a mutation.
  private func output(
    of job: MutationJob,
    _ perform: MutationDefinition.Perform?,
    attempt: Int
  ) async throws -> ValueBox {
    guard let perform else {
      throw QueryError.missingPerform(key: job.key.key.description)
    }
    let context = context(of: job, attempt: attempt)
    guard !mutationCompanions.isEmpty else {
      return try await perform(job.input, context)
    }
    let input = job.input
    return try await accompanied(context) { try await perform(input, context) }()
  }

  /// Starts the timeout of an attempt; `nil` if there is none.
  private func limit(
    of job: MutationJob,
    _ span: TimeSpan,
    attempt: Int,
    _ durable: (any DurableRuns)?
  ) -> AttemptLimit? {
    guard !span.isInfinite, let tasks = job.tasks else { return nil }
    // The task of the next attempt is made now, in the context of the run, because the timeout
    // fires elsewhere.
    if let prepared = cache.record({ _ in tasks.prepareTask() }) {
      TaskLocals.without { prepared.startTask(on: configuration.executor) }
    }
    let limit = AttemptLimit()
    limit.start(span, deadlines) {
      guard limit.tryEnd() else { return }
      // The task is cancelled before the next attempt can begin: that attempt must not be cancelled.
      tasks.cancelPresent()
      let key = job.key.key.description
      let error = QueryError.mutationTimedOut(key: key, limit: span.duration)
      let isHeard = self.work(on: job) {
        await self.attemptEnded(job, attempt: attempt, .failure(error), durable)
      }
      if !isHeard { durable?.attemptEnded(job) }
    }
    return limit
  }

  /// Applies the outcome of an attempt; called in a task of the run.
  private func attemptEnded(
    _ job: MutationJob,
    attempt: Int,
    _ outcome: Result<ValueBox, any Error>,
    _ durable: (any DurableRuns)?
  ) async {
    defer { durable?.attemptEnded(job) }
    switch outcome {
    case .success(let box):
      if job.isDurable { durableRuns?.worked(job, box) }
      let isHeard = transaction { state, transaction in
        guard let index = state.mutations.find(job.id) else { return false }
        state.mutations.slots[index].output = box
        state.input(run: job.id, &transaction) { $0.attemptSucceeded(in: $1) }
        return true
      }
      if !isHeard, job.isDurable { durableRuns?.answerDropped(job) }
    case .failure(let error):
      // Whether this is a cancellation depends on the task, not on the error: URLSession throws -999 when its
      // task is cancelled, and a `CancellationError` that comes from elsewhere is a failure.
      let isCancellation = Task.isCancelled
      // A durable run without work stops until it has work; any other run ends.
      var answer = job.isDurable ? RunAnswer.stop : .fail
      if !isCancellation, let mutation = job.mutation?.resolved, mutation.perform != nil {
        let delay = mutation.retry.delay(failures: attempt, error: error, jitter: nextJitter())
        if let delay {
          answer = .retry(after: delay)
        } else if job.isDurable, let durableRuns {
          answer = await durableRuns.answer(job, to: error, attempt: attempt)
        } else {
          answer = .fail
        }
      }
      attemptFailed(job, error, answer, isCancellation: isCancellation || Task.isCancelled)
    }
  }

  private func attemptFailed(
    _ job: MutationJob,
    _ error: any Error,
    _ answer: RunAnswer,
    isCancellation: Bool
  ) {
    switch answer {
    case .retry(let delay):
      fail(job, error, retryAfter: delay) {
        $0.attemptFailed(retryAfter: delay, isCancellation: isCancellation, in: $1)
      }
    case .fail, .stop:
      let stops = if case .stop = answer { true } else { false }
      fail(job, error) {
        $0.attemptFailed(retryAfter: nil, isCancellation: isCancellation, stops: stops, in: $1)
      }
    case .rebase(let input, let layers, let delay):
      guard !isCancellation else {
        return attemptFailed(job, error, .fail, isCancellation: isCancellation)
      }
      transaction { state, transaction in
        guard let index = state.mutations.find(job.id) else { return }
        let count = state.mutations.slots[index].machine.failureCount + 1
        let wait = delay.duration
        state.emit(.attemptFailed(error, count: count, retryAfter: wait), job, transaction)
        _ = state.rebase(job.id, input, layers, &transaction) {
          $0.attemptRebased(retryAfter: delay, in: $1)
        }
        state.yieldToNewer(job.id, &transaction)
      }
    }
  }

  /// Calls the callbacks for the end of a run.
  private func performCallbacks(_ job: MutationJob, _ outcome: WaitOutcome) async {
    guard let callbacks = job.mutation?.resolved.callbacks else { return }
    if case .value = outcome {
      await call("onSuccess", callbacks.onSuccess, of: job, outcome)
    } else {
      await call("onError", callbacks.onError, of: job, outcome)
    }
    // Refetches that were delayed for this run may begin now: they bring the run's changes.
    if cache.read({ !$0.mutations.delayedRefetches.isEmpty }) {
      transaction { state, _ in state.release(job.id) }
    }
    await call("onSettled", callbacks.onSettled, of: job, outcome)
    step(job) { $0.callbacksEnded(in: $1) }
  }

  /// Calls callbacks; an error that a callback throws is reported and changes nothing.
  ///
  /// If the client is cleared, the remaining callbacks are not called. Nothing else cancels them.
  private func call(
    _ name: String,
    _ callbacks: [MutationCallbacks.Conclude],
    of job: MutationJob,
    _ outcome: WaitOutcome
  ) async {
    let facts = MutationCallbacks.Facts(client: self, job: job)
    for callback in callbacks where !Task.isCancelled {
      do {
        try await callback(outcome.result, facts)
      } catch {
        // If the run was cleared meanwhile, its task is cancelled.
        if Task.isCancelled { return }
        report(
          .callbackFailed(
            key: job.key.key.description,
            callback: name,
            error: String(describing: error)
          )
        )
        transaction { state, transaction in
          state.emit(.callbackFailed(error, callback: name), job, transaction)
        }
      }
    }
  }

  // MARK: Transactions

  private func step(
    _ job: MutationJob,
    _ input: (inout MutationMachine, Environment) -> MutationActions
  ) {
    transaction { $0.input(run: job.id, &$1, input) }
  }

  private func fail(
    _ job: MutationJob,
    _ error: any Error,
    retryAfter delay: TimeSpan? = nil,
    _ input: (inout MutationMachine, Environment) -> MutationActions
  ) {
    let box = ErrorBox(error)
    transaction { state, transaction in
      guard let index = state.mutations.find(job.id) else { return }
      let actions = input(&state.mutations.slots[index].machine, transaction.environment)
      switch actions.concluded {
      case .failed: state.mutations.slots[index].error = box
      case .cancelled, .succeeded: break
      case nil:
        guard actions.changed, actions.step == .stop || delay != nil else { break }
        transaction.replace(&state.mutations.slots[index].failureReason, by: box)
        guard let delay else {
          state.emit(.stopped(error), job, transaction)
          break
        }
        let count = state.mutations.slots[index].machine.failureCount
        let wait = delay.duration
        state.emit(.attemptFailed(error, count: count, retryAfter: wait), job, transaction)
      }
      state.apply(actions, to: job.id, &transaction)
      state.yieldToNewer(job.id, &transaction)
    }
  }

  /// Lets observers see the return value of one `onMutate` before the next one is called.
  ///
  /// The return value of the last one shows with the next step.
  private func showSaved(of job: MutationJob) {
    guard !job.saved.values.isEmpty else { return }
    transaction { state, transaction in
      var actions = MutationActions()
      actions.changed = true
      state.apply(actions, to: job.id, &transaction)
    }
  }
}

extension WaitOutcome {
  /// The result for callbacks.
  fileprivate var result: Result<ValueBox, any Error> {
    switch self {
    case .value(let box): .success(box)
    case .failure(let error): .failure(error)
    case .cancelled, .settled: .failure(CancellationError())
    }
  }
}
