import Synchronization

nonisolated extension QueryClient {
  /// Runs an attempt of a fetch in a task of its own; the task keeps the client alive while it runs.
  func start(_ job: FetchJob, attempt: Int) {
    adviseAtStart()
    let executor = configuration.executor
    guard
      let number = job.tasks.needsTask(
        on: executor,
        for: { { await self.run(job, attempt: attempt) } }
      )
    else { return }
    let task = TaskLocals.without {
      Task<Void, any Error>(on: executor) { await self.run(job, attempt: attempt) }
    }
    job.tasks.attach(task, number, on: executor)
  }

  private func run(_ job: FetchJob, attempt: Int) async {
    if mayAwaitImports, attempt == 0, defersToImport(job) { return }
    if attempt > 0 { job.answer.began(attempt, keepsPart: job.keepsPart) }
    // The context is made before the timeout may end the attempt, because it has the attempt's ordinal.
    let context = context(of: job, attempt: attempt)
    let limit = job.query.serving == nil ? nil : limit(of: job, context)
    defer { limit?.stop() }
    do {
      // The companions are added here: in the closure, a reference to the client would cost a
      // further switch of executors.
      let fetch = try isAccompanied ? accompanied(job.fetch) : job.fetch
      let box = try await TaskChain.$inherited.withValue(job.tasks) {
        try await Scheduling.$current.withValue(scheduling) {
          job.tasks.lifecycle.taskBegan()
          defer { job.tasks.lifecycle.taskEnded() }
          return try await fetch(context)
        }
      }
      if limit?.tryEnd() ?? true { land(box, of: job) }
    } catch  where limit?.tryEnd() ?? true {
      failed(job, context, error, isCancelled: Task.isCancelled)
    } catch {
      // The attempt has failed already, by its timeout.
    }
  }

  @inline(__always)
  private func context(of job: FetchJob, attempt: Int) -> FetchContext {
    FetchContext(
      key: job.key.key,
      cause: job.cause,
      ordinal: job.presentAttempt,
      attempt: attempt,
      meta: job.query.meta ?? QueryMeta(),
      carriedClient: self,
      job: job
    )
  }

  /// Calls the handlers of a fetch that has ended.
  func settled(_ job: FetchJob, _ result: Result<ValueBox, any Error>) {
    let attempt = job.saidAnswer?.attempt ?? 0
    job.query.resolved.definition.onSettled?(result, context(of: job, attempt: attempt))
  }

  /// Whether an import may be running.
  ///
  /// Most clients never have one, so this is checked first.
  var mayAwaitImports: Bool {
    @inline(__always) get { awaitsImports.load(ordering: .acquiring) }
  }

  /// Defers a fetch if an import may bring the data, and returns whether it did.
  ///
  /// If the import does not bring the data, the attempt is started again.
  ///
  /// This is not inlined, because the task of each fetch would reserve stack space for it.
  @inline(never)
  private func defersToImport(_ job: FetchJob) -> Bool {
    // The text is made by user code, outside of locks. A key without a text cannot be in an archive.
    guard let text = try? job.key.canonicalText() else { return false }
    return transaction { state, transaction in state.deferFetch(job, text, &transaction) }
  }

  /// Starts the timeout of an attempt; `nil` if there is none.
  @inline(never)
  private func limit(of job: FetchJob, _ context: FetchContext) -> AttemptLimit? {
    guard let span = job.query.serving?.timeout, !span.isInfinite else { return nil }
    if job.retry.mayRetry, let prepared = cache.record({ _ in job.tasks.prepareTask() }) {
      // The task of the next attempt is made now, in the context of this one, because the timeout
      // fires elsewhere.
      TaskLocals.without { prepared.startTask(on: configuration.executor) }
    }
    let limit = AttemptLimit()
    limit.start(span, deadlines) {
      // The timeout does not end a fetch that has shown a part: the attempt counts as answered, and keeps its
      // connection.
      guard self.cache.read({ $0.deliveringSince(job) }) == nil, limit.tryEnd() else { return }
      job.answer.tookTooLong(context.attempt)
      job.refuse(context.ordinal)
      // The task is cancelled before the next attempt can begin: that attempt must not be cancelled.
      job.tasks.cancelPresent()
      let error = QueryError.timedOut(key: job.key.key.description, limit: span.duration)
      self.failed(job, context, error, isCancelled: false)
    }
    return limit
  }

  /// Ends an attempt that threw.
  ///
  /// It is not inlined, because the task of each fetch would reserve stack space for it.
  @inline(never)
  private func failed(
    _ job: FetchJob,
    _ context: FetchContext,
    _ error: any Error,
    isCancelled: Bool
  ) {
    job.refuse(context.ordinal)
    let isAnew = retriesCountAnew(of: job)
    let answer = AttemptAnswer(
      error,
      isCancelled: isCancelled,
      after: isAnew ? 0 : context.attempt,
      of: job.key.key,
      retry: retry(of: job),
      jitter: nextJitter()
    )
    guard let terms = job.query.serving, let failure = answer.lastError else {
      transaction { state, transaction in
        if isAnew { state.retriesCountAnew(of: job) }
        state.answered(answer, by: job, &transaction)
      }
      return
    }
    let caching = terms.cachesFailures ? job.query.resolved.failureCaching(for: job.key.key) : nil
    let span = caching?.span(of: failure.error)
    let chance = refreshChance(of: job)
    transaction { state, transaction in
      if isAnew { state.retriesCountAnew(of: job) }
      let mayLast = state.mayFailureLast(of: job)
      if state.answered(answer, by: job, &transaction) {
        if let chance { state.answerLanded(job, chance: chance, transaction) }
      } else if caching != nil, mayLast {
        state.failed(job, failure, lastingFor: span, &transaction)
      }
    }
  }

  /// Stores a fetched value as data: joins it with the cached value if the fetch or the query says
  /// how, and keeps unchanged parts of the cached value.
  @inline(never)
  private func land(_ fetched: ValueBox, of job: FetchJob) {
    let landing = Landing(
      fetched: fetched,
      join: job.joining,
      query: job.query.resolved,
      key: job.key.key
    )
    var asksObservers = false
    var answers: (revision: UInt32, answers: [DynamicOptions.Answer])?
    func ask(_: Int) -> CommitAnswer<(present: ValueBox?, box: ValueBox), Bool> {
      let made = answer(landing, of: job)
      if asksObservers {
        answers = transaction { $0.optionsAfterAnswer(job, made.box, $1) }?.answered
      }
      return .answer(made)
    }
    let chance = refreshChance(of: job)
    commit(rounds: landing.rounds, asking: ask) { answer, isLast, state, transaction -> Bool? in
      // Whether another fetch follows depends on the observers that are enabled after this answer,
      // so their options are evaluated first.
      if !asksObservers, !isLast, state.asksBeforeFollowing(job) {
        asksObservers = true
        return nil
      }
      if let answers { state.judgeFollowing(job, answers.answers, asOf: answers.revision) }
      let hasLanded =
        landing.usesData && !isLast
        ? state.answered(.value(answer.box), madeFrom: answer.present, by: job, &transaction)
        : state.answered(.value(answer.box), by: job, &transaction)
      if let chance, hasLanded == true { state.answerLanded(job, chance: chance, transaction) }
      return hasLanded
    }
  }

  /// The value to store, and the data that it was made from, if any.
  private func answer(
    _ landing: Landing,
    of job: FetchJob
  ) -> (present: ValueBox?, box: ValueBox) {
    guard landing.usesData else { return (nil, landing.fetched) }
    let present = cache.read { $0.box(job.entry) }
    guard landing.isEndless else { return (present, landing.value(over: present)) }
    return (present, UpdateChain.run(job.key, of: self) { landing.value(over: present) })
  }

  /// A number in 0..<1 that decides when the answer is refetched ahead of time; `nil` if it is not.
  ///
  /// It is random if the query spreads these refetches.
  private func refreshChance(of job: FetchJob) -> Double? {
    guard let refresh = job.query.serving?.refreshAhead, !refresh.isOff else { return nil }
    return refresh.isRandom ? nextJitter() : 0.5
  }

  /// Shows a part of the value of a fetch that continues.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - attempt: The attempt, as ``FetchContext/ordinal`` numbers it.
  ///   - make: Makes the value from the present data; the flag says that the elements replace that data. It
  ///     runs outside the lock, and again if the data changes meanwhile, so that no concurrent update is
  ///     lost.
  /// - Returns: Whether the fetch is still the current one, and the attempt its present one; if not, nothing
  ///   is shown.
  func progress(
    _ job: FetchJob,
    by attempt: UInt32,
    _ make: (_ present: ValueBox?, _ isNoBase: Bool) -> ValueBox
  ) -> Bool {
    var asksObservers = false
    var answers: (revision: UInt32, answers: [DynamicOptions.Answer])?
    func ask(_: Int) -> CommitAnswer<(present: ValueBox?, box: ValueBox), Bool> {
      let (present, isBegin, isNoBase) = cache.read {
        ($0.box(job.entry), $0.isUntouched(job.entry), $0.isNoBase(job))
      }
      // Initial data is not a part of the fetched value, because it was there before the fetch.
      let made = UpdateChain.run(job.key, of: self) { make(isBegin ? nil : present, isNoBase) }
      if asksObservers {
        answers = transaction { $0.optionsAfterAnswer(job, made, isPart: true, $1) }?.answered
      }
      return .answer((present, made))
    }
    let isAnew = retriesCountAnew(of: job)
    return commit(asking: ask) { answer, _, state, transaction in
      guard !job.refuses(attempt) else { return false }
      // As in `land`, the options of observers are evaluated first, because they decide whether a newer fetch
      // follows an element of an endless stream.
      let isAnswer = job.query.fetchOptions.delivery == .endless
      if isAnswer, !asksObservers, state.asksBeforeFollowing(job) {
        asksObservers = true
        return nil
      }
      if let answers { state.judgeFollowing(job, answers.answers, asOf: answers.revision) }
      if isAnew { state.retriesCountAnew(of: job) }
      return state.answered(.part(answer.box), madeFrom: answer.present, by: job, &transaction)
    }
  }

  /// The retry policy of a fetch.
  ///
  /// If an endless stream is observed, it retries by the policy for observers, even if a caller started it.
  private func retry(of job: FetchJob) -> RetryPolicy {
    guard job.isImperative, job.query.fetchOptions.delivery == .endless,
      cache.read({ $0.isActive(job) })
    else { return job.retry }
    return (job.retryQuery ?? job.query).resolved.retry
  }

  /// Whether the retries start again at zero, because the endless stream has delivered for longer
  /// than any wait for a retry.
  private func retriesCountAnew(of job: FetchJob) -> Bool {
    guard job.query.fetchOptions.delivery == .endless,
      let since = cache.read({ $0.deliveringSince(job) })
    else { return false }
    return (since + job.retry.longestWait).map { cache.clock.now() > $0 } ?? false
  }

  /// A number in 0..<1 from the client's generator.
  func nextJitter() -> Double {
    Double(configuration.randomness() >> 11) * 0x1p-53
  }

  // MARK: Time

  func arm(_ instant: Instant) {
    openSignals()
    timer.arm(instant, at: cache.clock.now(), executor: configuration.executor) {
      WakeTimer.Work(
        sleep: cache.clock.sleep,
        onWake: { [weak self] in self?.signals.send(.time) },
        onFailure: { [weak self] error, isNews in self?.clockFailed(error, isNews: isNews) }
      )
    }
  }

  /// Reports that the clock has failed, so that the timer no longer sleeps.
  ///
  /// The next transaction starts the timer again.
  private func clockFailed(_ error: any Error, isNews: Bool) {
    cache.record { $0.deadlines.timerWoke() }
    if isNews { report(.clockFailed(error: "\(error)")) }
  }

  /// Handles due deadlines, at most a thousand in a transaction.
  func timeReached() {
    while !transaction({ $0.timeReached(limit: 1_000, &$1) }) {}
  }
}

extension DynamicOptions {
  /// The options of all observers; they are user code, so never call this under the lock.
  var answered: (revision: UInt32, answers: [Answer]) {
    (
      revision,
      queries.map { observer, query in
        let options = query.resolved.resolvedOptions { info }
        return Answer(observer: observer, query: query, resolvedOptions: options)
      }
    )
  }
}

/// The timeout of an attempt: it is over when the attempt has an answer, or when the time has
/// passed.
final class AttemptLimit: Sendable {
  private let isOver = Atomic(false)
  private let deadline: Mutex<Deadline?> = Mutex(nil)

  /// Ends the attempt, because it has an answer or its time has passed.
  ///
  /// - Returns: Whether this is the first end; a later one is ignored.
  func tryEnd() -> Bool { !isOver.exchange(true, ordering: .relaxed) }

  /// Starts the timer.
  ///
  /// - Parameters:
  ///   - span: How long the attempt may take.
  ///   - deadlines: Where the end of the time is set.
  ///   - onEnd: Called when the time is over, unless the timer was stopped.
  func start(_ span: TimeSpan, _ deadlines: Deadlines, onEnd: @escaping @Sendable () -> Void) {
    let deadline = deadlines.set(span, onEnd)
    self.deadline.withLock { $0 = deadline }
  }

  /// Stops the timer.
  func stop() {
    deadline.withLock { $0.take() }?.cancel()
  }
}

/// The step that turns a fetched value into data.
///
/// The step may join the value with the data that is cached by then, or take unchanged parts from
/// that data.
struct Landing: Sendable {
  let fetched: ValueBox
  /// How the fetch joins the value with the cached value, so that no update is lost; `nil` if it does not
  /// join them.
  let join: (any FetchProgress)?
  let query: ResolvedQuery
  let key: AnyQueryKey

  /// The function that keeps unchanged parts of the cached value.
  ///
  /// The function is looked up only if there is a cached value.
  var merge: DefinitionExtras.Merge? {
    // A join builds on the cached value, so its result shares parts with the cached value already.
    join == nil ? query.share(for: key) : query.definition.merge
  }

  /// Whether the value is made from the cached value, and has to be made again if that changes.
  var usesData: Bool { join != nil || query.mayShare }

  /// How often the value is made at most, if the cached value changes each time.
  ///
  /// A merge only saves memory, and gives up after three rounds. A join must not lose an update,
  /// and never gives up.
  var rounds: Int { join == nil ? 3 : .max }

  /// Whether user code runs again until its answer is stored.
  ///
  /// Such code must not write the data itself, or it would run for ever.
  var isEndless: Bool { join != nil && query.definition.merge != nil }

  /// The value to store as data.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameter present: The cached value.
  /// - Returns: The value.
  func value(over present: ValueBox?) -> ValueBox {
    let joined = join?.landed(on: present) ?? fetched
    guard let present, let merge else { return joined }
    return merge(present, joined)
  }
}
