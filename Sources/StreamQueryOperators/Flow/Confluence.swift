internal import StreamQuery
internal import Synchronization

/// Several upstreams, a timer and one consumer: the shell that performs what a `FlowMachine`
/// decides, shared by every operator that needs a task.
///
/// Every input takes one turn: lock, ask the machine, translate its actions into effects, unlock,
/// perform the effects. Under the lock no continuation is resumed, no task is created or
/// cancelled, no clock is read and no user's value is released; what a turn drops leaves the lock
/// in its effects. Effects of two turns may overlap: none depends on the order, since whatever
/// must be in order (pulls, answers, stops) is written down under the lock.
///
/// Tasks hold the confluence, the consumer's iterator holds a `Handle`. So an iterator that goes
/// away ends the tasks.
final class Confluence<Machine: FlowMachine, Output: Sendable, Failure: Error>: Sendable {
  /// Iterates one upstream and reports to the confluence; the body of that upstream's task.
  typealias Source = @Sendable (_ confluence: Confluence, _ id: UpstreamID) async -> Void

  /// What the consumer is told: an element, the end, or a failure.
  typealias Answer = Result<Output?, Failure>

  let state: Mutex<ConfluenceState<Machine, Output, Failure>>
  let scheduling: Scheduling
  let time: OperatorTime?

  init(_ plan: FlowPlan<Machine, Output, Failure>, scheduling: Scheduling) {
    state = Mutex(
      ConfluenceState(
        machine: plan.machine,
        sources: plan.sources,
        timeOutFailure: plan.timeOutFailure
      )
    )
    self.scheduling = scheduling
    switch plan.timing {
    case .none: time = nil
    case .onClock(let clock): time = OperatorTime(clock)
    case .onCurrentClock: time = OperatorTime(scheduling.clock)
    }
  }

  // MARK: The consumer

  /// Waits for the next element.
  ///
  /// The caller's isolation is kept all the way: a consumer on the main actor does not leave it
  /// when an element is ready.
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Output? {
    if Task.isCancelled {
      cancel()
      return nil
    }
    turn { state, now in state.machine.demanded(at: now) }
    if let answer = state.withLock({ $0.takeAnswer() }) { return try answer.get() }
    let answer = await withTaskCancellationHandler {
      // Captured, or the closure would lose the isolation and pay a hop for every wait.
      _ = isolation
      return await withCheckedContinuation(isolation: isolation) { consumer in
        let answer = state.withLock { state -> Answer? in
          if let answer = state.takeAnswer() { return answer }
          state.consumer = .parked(consumer)
          return nil
        }
        if let answer { consumer.resume(returning: answer) }
      }
    } onCancel: {
      cancel()
    }
    return try answer.get()
  }

  /// The consumer's task was cancelled, or its iterator dropped.
  func cancel() {
    turn { state, _ in state.machine.cancelled() }
  }

  // MARK: The upstreams

  /// Waits until the machine wants an element of this upstream; `false` if it wants none any more.
  func isPulled(_ id: UpstreamID) async -> Bool {
    if let pulled = state.withLock({ $0.takePull(id) }) { return pulled }
    return await withCheckedContinuation { waiter in
      let pulled = state.withLock { state -> Bool? in
        if let pulled = state.takePull(id) { return pulled }
        state.upstreams[id]?.waiter = waiter
        return nil
      }
      if let pulled { waiter.resume(returning: pulled) }
    }
  }

  func subscribed(_ id: UpstreamID) {
    turn { state, _ in state.machine.subscribed(id) }
  }

  func arrived(_ element: Output, from id: UpstreamID) {
    turn { state, now in
      let arrival = state.store(.success(element))
      return state.machine.arrived(arrival, from: id, at: now)
    }
  }

  func opened(_ source: @escaping Source, from id: UpstreamID) {
    turn { state, _ in
      let inner = state.add(source)
      return state.machine.opened(inner, from: id)
    }
  }

  func finished(_ id: UpstreamID) {
    turn { state, now in
      state.ended(id)
      return state.machine.finished(id, at: now)
    }
  }

  func failed(_ id: UpstreamID, with failure: Failure) {
    turn { state, now in
      state.ended(id)
      let arrival = state.store(.failure(failure))
      return state.machine.failed(id, with: arrival, at: now)
    }
  }

  // MARK: Turns

  /// The one door: every input passes here.
  private func turn(
    notBefore earliest: Duration = .zero,
    _ input: (inout ConfluenceState<Machine, Output, Failure>, Duration) -> [FlowAction]
  ) {
    // Read before the lock is taken: a clock is code of the user's.
    let present = time?.now() ?? .zero
    let effects = state.withLock { state in
      let now = state.monotonic(max(present, earliest))
      state.perform(input(&state, now))
      return state.takeEffects()
    }
    guard let effects else { return }
    for start in effects.starts {
      run(start)
    }
    if let timer = effects.timer {
      run(timer)
    }
    for task in effects.cancellations {
      task.cancel()
    }
    for (waiter, isPulled) in effects.pulls {
      waiter.resume(returning: isPulled)
    }
    if let (consumer, answer) = effects.answer {
      consumer.resume(returning: answer)
    }
  }

  private func run(_ start: ConfluenceEffects<Machine, Output, Failure>.Start) {
    let task = Task(executorPreference: scheduling.executor) {
      await start.source(self, start.id)
    }
    start.slot.attach(task)
  }

  private func run(_ timer: ConfluenceEffects<Machine, Output, Failure>.Timer) {
    guard let time else { return }
    let task = Task(executorPreference: scheduling.executor) {
      // A clock that fails for its own reasons counts as one that rang: waiting for ever would
      // be worse.
      do { try await time.sleep(timer.end) } catch { if Task.isCancelled { return } }
      self.turn(notBefore: timer.end) { state, now in
        guard state.timerReported(timer.slot) else { return [] }
        return state.machine.timerFired(at: now)
      }
    }
    timer.slot.attach(task)
  }
}

extension Confluence {
  /// Ends the confluence when the iterator that holds it goes away.
  final class Handle: Sendable {
    let confluence: Confluence

    init(_ confluence: Confluence) {
      self.confluence = confluence
    }

    deinit {
      confluence.cancel()
    }
  }
}
