import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The door: every change goes through one lock, one turn at a time.
///
/// A turn decides and publishes under the lock and leaves its errands in the outbox. One drainer at
/// a time performs them in order outside of it; a turn made meanwhile, also by an errand, only
/// appends. So the world learns of turns in the order in which they were decided.
final class QueryCache: Sendable {
  private let state: Mutex<CacheState>
  let clock: ErasedClock
  let wallClock: @Sendable () -> Date

  init(clock: ErasedClock, wallClock: @escaping @Sendable () -> Date, emitsEvents: Bool) {
    self.clock = clock
    self.wallClock = wallClock
    var state = CacheState()
    state.emitsEvents = emitsEvents
    self.state = Mutex(state)
  }

  /// Looks without changing; reads no clock.
  @inline(__always)
  func read<Result: Sendable>(_ body: (inout CacheState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// The present time; user code may run, so never under the lock.
  func now() -> Timestamp {
    Timestamp(moment: clock.now(), date: wallClock().timeIntervalSinceReferenceDate)
  }

  /// Makes a turn and performs what it asks for.
  ///
  /// - Parameters:
  ///   - shell: Performs the errands.
  ///   - body: The turn; runs under the lock.
  /// - Returns: What the turn returns.
  @discardableResult
  func turn<Result: Sendable>(
    _ shell: some ErrandRunner,
    _ body: (inout CacheState, inout Turn) -> Result
  ) -> Result {
    let now = now()
    let caller = RunningFetch.current
    let (result, turn, mustDrain) = state.withLock { state -> (Result, Turn, Bool) in
      var turn = Turn(world: state.world(at: now))
      turn.caller = caller
      let result = body(&state, &turn)
      state.rearm()
      guard !state.errands.isEmpty, !state.isRunningErrands else { return (result, turn, false) }
      state.isRunningErrands = true
      return (result, turn, true)
    }
    // Here, outside the lock, goes what the turn let go of.
    _ = consume turn
    if mustDrain { drain(shell) }
    return result
  }

  private func drain(_ shell: some ErrandRunner) {
    var batch: [Errand] = []
    while true {
      let isDone = state.withLock { state in
        guard !state.errands.isEmpty else {
          state.isRunningErrands = false
          return true
        }
        swap(&state.errands, &batch)
        return false
      }
      if isDone { return }
      for errand in batch { shell.perform(errand) }
      batch.removeAll(keepingCapacity: true)
    }
  }
}

/// Performs errands, outside the lock.
protocol ErrandRunner {
  func perform(_ errand: Errand)
}

extension CacheState {
  /// Asks for an earlier wake-up if a deadline lies before the armed one.
  mutating func rearm() {
    guard let first = deadlines.first?.deadline else { return }
    if let armed, armed <= first { return }
    armed = first
    errands.append(.arm(first))
  }
}
