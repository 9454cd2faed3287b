internal import StreamQuery
internal import Synchronization

/// Runs the tasks of an operator: the upstreams, the timer and the waiting consumer.
///
/// Every input is one transaction: lock, ask the machine, collect the effects of its actions, unlock, perform
/// the effects. Under the lock no task is resumed, created or cancelled, no clock is read and no user's value
/// is released. Values that a transaction drops are stored in its effects, and so are released after the
/// unlock. The effects of two transactions may be performed at the same time. This is safe, because whatever
/// depends on order (requests to upstreams, answers to the consumer, the stop) is recorded under the lock.
///
/// The tasks retain the storage, and the consumer's iterator retains a `Handle`. So the release of the
/// iterator ends the tasks.
final class OperatorStorage<Machine: OperatorMachine, Output: Sendable, Failure: Error>: Sendable {
  typealias State = OperatorState<Machine, Output, Failure>

  /// The body of an upstream's task: iterates the upstream, and reports to the storage.
  typealias Source = @Sendable (_ storage: OperatorStorage, _ id: UpstreamID) async -> Void

  /// The answer to the consumer: an element, the end, or a failure.
  typealias Answer = Result<Output?, Failure>

  private let state: Mutex<State>
  private let scheduling: Scheduling
  private let time: OperatorTime?

  init(_ definition: OperatorDefinition<Machine, Output, Failure>, scheduling: Scheduling) {
    state = Mutex(State(definition))
    self.scheduling = scheduling
    time = Machine.isTimed ? OperatorTime(definition.clock ?? scheduling.clock) : nil
  }

  // MARK: The consumer

  /// Waits for the next element.
  ///
  /// The method stays on the caller's actor: a consumer on the main actor does not leave it if an element is
  /// ready.
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Output? {
    if Task.isCancelled {
      cancel()
      return nil
    }
    transaction { _ in .demanded }
    if let answer = state.withLock({ $0.takeAnswer() }) { return try answer.get() }
    let answer = await withTaskCancellationHandler {
      // The closure captures the isolation; otherwise every wait would switch executors.
      _ = isolation
      return await SuspendedTask.suspend(isolation: isolation) { consumer in
        state.withLock { state in
          if let answer = state.takeAnswer() { return answer }
          state.consumer = .parked(consumer)
          return nil
        }
      }
    } onCancel: {
      cancel()
    }
    return try answer.get()
  }

  /// Stops the operator, because the consumer's task was cancelled or its iterator was released.
  func cancel() {
    transaction { _ in .cancelled }
  }

  // MARK: The upstreams

  /// Waits until the machine wants an element of this upstream; returns `false` if the upstream was stopped.
  func isPulled(_ id: UpstreamID) async -> Bool {
    if let pulled = state.withLock({ $0.takePull(id) }) { return pulled }
    return await SuspendedTask.suspend { waiter in
      state.withLock { state in
        if let pulled = state.takePull(id) { return pulled }
        state.upstreams[id]?.waiter = waiter
        return nil
      }
    }
  }

  func subscribed(_ id: UpstreamID) {
    transaction { _ in .subscribed(id) }
  }

  func arrived(_ element: Output, from id: UpstreamID) {
    transaction { .arrived($0.store(.success(element)), from: id) }
  }

  func opened(_ source: @escaping Source, from id: UpstreamID) {
    transaction { .opened($0.add(source), from: id) }
  }

  /// Reports that the task of an upstream is about to return.
  func ended(_ id: UpstreamID, with failure: Failure?) {
    transaction { state in
      state.upstreams[id] = nil
      guard let failure else { return .finished(id) }
      return .failed(id, with: state.store(.failure(failure)))
    }
  }

  // MARK: Transactions

  /// Gives an input to the machine, and performs the actions that it returns; each event of the operator is
  /// an input.
  private func transaction(
    notBefore earliest: Duration = .zero,
    _ input: (inout State) -> OperatorInput?
  ) {
    // The time is read before the lock is taken, because a clock is user code.
    let present = max(time?.now() ?? .zero, earliest)
    let effects = state.withLock { state in
      if let input = input(&state) { state.receive(input, at: present) }
      return state.takeEffects()
    }
    for (id, source, slot) in effects.starts {
      let task = Task(executorPreference: scheduling.executor) { await source(self, id) }
      slot.attach(task)
    }
    if let (end, slot) = effects.timer { startTimer(until: end, slot) }
    for slot in effects.cancellations { slot.cancel() }
    for (waiter, isPulled) in effects.pulls { waiter.resume(returning: isPulled) }
    if let (consumer, answer) = effects.answer { consumer.resume(returning: answer) }
  }

  private func startTimer(until end: Duration, _ slot: TaskSlot) {
    guard let time else { return }
    let task = Task(executorPreference: scheduling.executor) {
      // If the clock throws an error of its own, the wait counts as over: otherwise the operator would wait
      // for ever.
      do { try await time.sleep(end) } catch { if Task.isCancelled { return } }
      self.transaction(notBefore: end) { $0.timerReported(slot) ? .timerFired : nil }
    }
    slot.attach(task)
  }
}

extension OperatorStorage {
  /// Ends the operator when the iterator that retains this handle is released.
  final class Handle: Sendable {
    let storage: OperatorStorage

    init(_ storage: OperatorStorage) {
      self.storage = storage
    }

    deinit {
      storage.cancel()
    }
  }
}
