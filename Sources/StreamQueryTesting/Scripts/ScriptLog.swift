internal import StreamQuery
internal import Synchronization

/// The state that all copies of a scripted fetch share: its position, its log, and its suspended calls.
///
/// The class is not generic: a lookup of the value's type at run time would take longer than its other work.
final class ScriptLog: Sendable {
  private typealias Waiter = SuspendedTask<Result<ValueBox, any Error>>

  enum Outcome: Sendable {
    case value
    case failure
    case cancelled
  }

  struct Call: Sendable {
    let start: Duration
    var end: Duration?
    var outcome: Outcome?
  }

  private struct Gate {
    let id: Int
    let isReleasable: Bool
    let waiter: Waiter
  }

  private struct State {
    var calls: [Call] = []
    var gates: [Gate] = []
    /// The calls that were cancelled before they were suspended.
    var cancelledEarly: Set<Int> = []
    var elapsed: (@Sendable () -> Duration)?
  }

  private let steps: [ScriptStep]
  private let state = Mutex(State())

  init(steps: [ScriptStep]) {
    self.steps = steps
  }

  var calls: [Call] { state.withLock { $0.calls } }
  var suspendedCount: Int { state.withLock { $0.gates.count { $0.isReleasable } } }

  /// Makes a call, which follows its own step of the script.
  func play() async throws -> ValueBox {
    let clock = Scheduling.current.clock
    let (id, step) = begin(at: time(on: clock))
    do {
      let value = try await play(step, id: id, clock: clock)
      end(id, at: time(on: clock), .value)
      return value
    } catch {
      let isCancelled = Task.isCancelled && error is CancellationError
      end(id, at: time(on: clock), isCancelled ? .cancelled : .failure)
      throw error
    }
  }

  private func play(
    _ step: ScriptStep,
    id: Int,
    clock: any Clock<Duration>
  ) async throws -> ValueBox {
    if !step.ignoresCancellation { try Task.checkCancellation() }
    switch step.action {
    case .value(let value, let delay):
      try await pause(delay, step, clock)
      return value
    case .failure(let error, let delay):
      try await pause(delay, step, clock)
      throw error
    case .wait(let isReleasable):
      return try await wait(
        id,
        clock,
        isReleasable: isReleasable,
        ignoresCancellation: step.ignoresCancellation
      )
    }
  }

  private func pause(
    _ delay: Duration,
    _ step: ScriptStep,
    _ clock: any Clock<Duration>
  ) async throws {
    guard delay > .zero else { return }
    guard step.ignoresCancellation else { return try await clock.sleep(for: delay) }
    // An unstructured task is not cancelled with its caller, so the wait goes on.
    let wait = Task(executorPreference: Scheduling.current.executor) {
      try? await clock.sleep(for: delay)
    }
    await wait.value
  }

  private func begin(at time: Duration) -> (id: Int, step: ScriptStep) {
    let id = state.withLock { state in
      state.calls.append(Call(start: time, end: nil, outcome: nil))
      return state.calls.count - 1
    }
    return (id, steps.isEmpty ? .never : steps[min(id, steps.count - 1)])
  }

  private func end(_ id: Int, at time: Duration, _ outcome: Outcome) {
    state.withLock { state in
      state.calls[id].end = time
      state.calls[id].outcome = outcome
      state.cancelledEarly.remove(id)
    }
  }

  private func wait(
    _ id: Int,
    _ clock: any Clock<Duration>,
    isReleasable: Bool,
    ignoresCancellation: Bool
  ) async throws -> ValueBox {
    let waits = (clock as? SimulationClock)?.core.waits
    waits?.callSuspended(isReleasable: isReleasable)
    defer { waits?.callWentOn(isReleasable: isReleasable) }
    return try await withTaskCancellationHandler {
      try await Waiter.suspend { waiter in
        state.withLock { state in
          if state.cancelledEarly.contains(id) { return .failure(CancellationError()) }
          state.gates.append(Gate(id: id, isReleasable: isReleasable, waiter: waiter))
          return nil
        }
      }
      .get()
    } onCancel: {
      if !ignoresCancellation { cancel(id) }
    }
  }

  func release(_ result: Result<ValueBox, any Error>) -> Bool {
    let gate = state.withLock { state in
      state.gates.firstIndex { $0.isReleasable }.map { state.gates.remove(at: $0) }
    }
    gate?.waiter.resume(returning: result)
    return gate != nil
  }

  private func cancel(_ id: Int) {
    let gate = state.withLock { state -> Gate? in
      if let index = state.gates.firstIndex(where: { $0.id == id }) {
        return state.gates.remove(at: index)
      }
      if state.calls[id].end == nil { state.cancelledEarly.insert(id) }
      return nil
    }
    gate?.waiter.resume(returning: .failure(CancellationError()))
  }

  /// Returns the virtual time, or on another clock the time since the first call.
  private func time(on clock: any Clock<Duration>) -> Duration {
    if let clock = clock as? SimulationClock { return clock.now.offset }
    if let elapsed = state.withLock({ $0.elapsed }) { return elapsed() }
    let elapsed = Self.stopwatch(clock)
    state.withLock { $0.elapsed = elapsed }
    return elapsed()
  }

  private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
