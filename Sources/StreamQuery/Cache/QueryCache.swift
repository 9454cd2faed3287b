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
  /// Whether every turn needs a date; what ``CacheState/emitsEvents`` says, without the lock.
  private let datesAll: Atomic<Bool>
  /// Grows whenever a turn made a frame: a consumer that saw all of this needs no look.
  let news = Atomic<UInt64>(0)

  init(
    clock: ErasedClock,
    wallClock: @escaping @Sendable () -> Date,
    emitsEvents: Bool,
    defaults: DefaultsTable
  ) {
    self.clock = clock
    self.wallClock = wallClock
    datesAll = Atomic(emitsEvents)
    let date = wallClock().timeIntervalSinceReferenceDate
    state = Mutex(CacheState(defaults: defaults, date: date, emitsEvents: emitsEvents))
  }

  /// Turns events on or off.
  ///
  /// - Parameter isNeeded: Says whether anybody listens; asked under the lock.
  func emitsEvents(_ isNeeded: () -> Bool) {
    read { state in
      state.emitsEvents = isNeeded()
      datesAll.store(state.emitsEvents, ordering: .relaxed)
    }
  }

  /// Looks without changing; reads no clock.
  @inline(__always)
  func read<Result: Sendable>(_ body: (inout CacheState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// The present time; user code may run, so never under the lock.
  ///
  /// - Parameter isDated: Whether anybody will see the date. Without, the wall clock is left alone,
  ///   and the date is as long after that of the latest turn as the moment is.
  /// - Returns: The time, as the next turn takes it.
  func now(isDated: Bool = true) -> Now {
    let isDated = isDated || datesAll.load(ordering: .relaxed)
    return Now(
      moment: clock.now(),
      date: isDated ? wallClock().timeIntervalSinceReferenceDate : nil
    )
  }

  /// Makes a turn and performs what it asks for.
  ///
  /// - Parameters:
  ///   - shell: Performs the errands.
  ///   - now: The time of the turn.
  ///   - startsFetches: Whether the turn may start a fetch or wait for one: such turns ask which
  ///     fetch their caller belongs to.
  ///   - body: The turn; runs under the lock.
  /// - Returns: What the turn returns.
  @discardableResult
  func turn<Result: Sendable>(
    _ shell: some ErrandRunner,
    at now: Now,
    startsFetches: Bool = true,
    _ body: (inout CacheState, inout Turn) -> Result
  ) -> Result {
    var turn = Turn()
    if startsFetches, let caller = RunningFetch.current, caller.cache == ObjectIdentifier(self) {
      turn.caller = caller
    }
    var mustDrain = false
    let result = state.withLock { state -> Result in
      turn.world = state.world(at: now)
      let serial = state.frameSerial
      let result = body(&state, &turn)
      if state.frameSerial != serial { news.store(state.frameSerial, ordering: .releasing) }
      state.rearm()
      if !state.errands.isEmpty, !state.isRunningErrands {
        state.isRunningErrands = true
        mustDrain = true
      }
      return result
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
          // Kept for the next drainer, unless it is a crowd's.
          if batch.capacity <= 256 { swap(&state.spareErrands, &batch) }
          return true
        }
        if batch.capacity == 0 { swap(&state.spareErrands, &batch) }
        swap(&state.errands, &batch)
        return false
      }
      if isDone { return }
      for errand in batch { shell.perform(errand) }
      batch.removeAll(keepingCapacity: true)
    }
  }
}

/// The time as it was read outside the lock.
struct Now: Sendable {
  var moment: Moment
  /// Seconds since the reference date; `nil` if the wall clock was not asked.
  var date: Double?
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
