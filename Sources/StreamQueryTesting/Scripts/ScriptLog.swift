internal import Synchronization

/// The shared part of a scripted fetch: its position, its log, and who waits at a gate.
final class ScriptLog<Value: Sendable>: Sendable {
  typealias Fetch = ScriptedFetch<Value>
  private typealias Waiter = UnsafeContinuation<Value, any Error>

  private struct Gate {
    let id: Int
    let isReleasable: Bool
    let waiter: Waiter
  }

  private struct State {
    var calls: [Fetch.Call] = []
    var gates: [Gate] = []
    /// Calls that were cancelled before they reached their gate.
    var cancelledEarly: Set<Int> = []
    var elapsed: (@Sendable () -> Duration)?
  }

  private let steps: [Fetch.Step]
  private let state = Mutex(State())

  init(steps: [Fetch.Step]) {
    self.steps = steps
  }

  var calls: [Fetch.Call] { state.withLock { $0.calls } }
  var suspendedCount: Int { state.withLock { $0.gates.count { $0.isReleasable } } }

  func begin(at time: Duration) -> (id: Int, step: Fetch.Step) {
    let id = state.withLock { state in
      state.calls.append(Fetch.Call(start: time, end: nil, outcome: nil))
      return state.calls.count - 1
    }
    return (id, steps.isEmpty ? .never : steps[min(id, steps.count - 1)])
  }

  func end(_ id: Int, at time: Duration, _ outcome: Fetch.Call.Outcome) {
    state.withLock { state in
      state.calls[id].end = time
      state.calls[id].outcome = outcome
      state.cancelledEarly.remove(id)
    }
  }

  func wait(_ id: Int, isReleasable: Bool, ignoresCancellation: Bool) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (waiter: Waiter) in
        let isParked = state.withLock { state in
          if state.cancelledEarly.contains(id) { return false }
          state.gates.append(Gate(id: id, isReleasable: isReleasable, waiter: waiter))
          return true
        }
        if !isParked { waiter.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      if !ignoresCancellation { cancel(id) }
    }
  }

  func release(_ result: Result<Value, any Error>) -> Bool {
    let gate = state.withLock { state in
      state.gates.firstIndex { $0.isReleasable }.map { state.gates.remove(at: $0) }
    }
    gate?.waiter.resume(with: result)
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
    gate?.waiter.resume(throwing: CancellationError())
  }

  /// Virtual time, or the time since the first call on a clock without a known zero.
  func time(on clock: any Clock<Duration>) -> Duration {
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
