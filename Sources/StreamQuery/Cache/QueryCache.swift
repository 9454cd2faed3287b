import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The only way in: every change goes through one lock, one turn at a time.
///
/// A turn decides and publishes under the lock and leaves its errands in the ``Outbox``. One
/// drainer at a time performs them in order, outside the lock. A turn made in the meantime, even by
/// an errand, only appends. So the outside sees turns in the order in which they were decided.
final class QueryCache: Sendable {
  private static let lastID = Atomic<UInt64>(0)

  private let state: Mutex<CacheState>
  private let roomWaits = RoomWaits()
  let clock: ErasedClock
  let wallClock: @Sendable () -> Date
  /// Whether every turn needs a date; the same as ``CacheState/emitsEvents``, but read without the
  /// lock.
  private let datesAll: Atomic<Bool>
  /// Increases whenever a turn makes a frame: a consumer that has seen this value need not look.
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
    let id = Self.lastID.add(1, ordering: .relaxed).newValue
    state = Mutex(CacheState(id: id, defaults: defaults, date: date, emitsEvents: emitsEvents))
  }

  /// Turns events on or off.
  ///
  /// - Parameter isNeeded: Whether there are listeners; called under the lock.
  func emitsEvents(_ isNeeded: () -> Bool) {
    record { state in
      state.emitsEvents = isNeeded()
      datesAll.store(state.emitsEvents, ordering: .relaxed)
    }
  }

  /// Looks without changing anything; reads no clock.
  @inline(__always)
  func read<Result: Sendable>(_ body: (borrowing CacheState) -> Result) -> Result {
    state.withLock { body($0) }
  }

  /// Records what somebody has seen or waits for: decides nothing, wakes nobody and reads no clock.
  ///
  /// Everything else that changes the state is a turn.
  @inline(__always)
  func record<Result: Sendable>(_ body: (inout CacheState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// The current time; may run user code, so never call it under the lock.
  ///
  /// - Parameter isDated: Whether anybody will see the date. If not, the wall clock is not read,
  ///   and the date is as far from that of the latest turn as the moment is.
  /// - Returns: The time, in the form that the next turn takes.
  func now(isDated: Bool = true) -> Now {
    let isDated = isDated || datesAll.load(ordering: .relaxed)
    return Now(
      moment: clock.now(),
      date: isDated ? wallClock().timeIntervalSinceReferenceDate : nil
    )
  }

  /// Makes a turn and performs its errands.
  ///
  /// - Parameters:
  ///   - shell: Performs the errands.
  ///   - now: The time of the turn.
  ///   - startsFetches: Whether the turn may start a fetch or wait for one: such turns look up the
  ///     work that their caller belongs to.
  ///   - body: The turn; runs under the lock.
  /// - Returns: What the turn returns.
  @discardableResult
  func turn<Result: Sendable>(
    _ shell: some ErrandRunner,
    at now: Now,
    startsFetches: Bool = true,
    _ body: (inout CacheState, inout Turn) -> Result
  ) -> Result {
    var turn = Turn(caller: startsFetches ? TaskChain.current : nil)
    var end: TurnEnd?
    let result = state.withLock { state -> Result in
      turn.world = state.world(at: now)
      let serial = state.frameSerial
      let before = state.errands.turnBegan()
      let result = body(&state, &turn)
      if state.mayShrink { state.shrink(&turn) }
      if state.frameSerial != serial { news.store(state.frameSerial, ordering: .releasing) }
      state.rearm()
      if state.errands.count > before { end = Self.ended(&state, since: before, shell) }
      return result
    }
    // This comes first: somebody may be about to start the work that waits for it.
    if let duty = turn.duty { shell.fulfil(duty) }
    // The references that the turn collected are released here, outside the lock.
    _ = consume turn
    if end != nil { carryOut(&end, shell) }
    return result
  }

  /// What the thread of a turn that left errands does next.
  private struct TurnEnd {
    var step: Outbox<Errand>.Step
    var batch: Outbox<Errand>.Batch
  }

  // Separate, so that turns without errands do not pay for it.
  @inline(never)
  private static func ended(
    _ state: inout CacheState,
    since count: Int,
    _ shell: some ErrandRunner
  ) -> TurnEnd? {
    var batch = Outbox<Errand>.Batch()
    let step = state.errands.turnEnded(
      since: count,
      on: .current,
      isLow: shell.isOfLowPriority,
      into: &batch
    )
    return step == .leave ? nil : TurnEnd(step: step, batch: batch)
  }

  /// Takes over what others left in the outbox, unless somebody is draining.
  ///
  /// - Parameter shell: Performs the errands.
  func sweep(_ shell: some ErrandRunner) {
    var batch = Outbox<Errand>.Batch()
    let step = state.withLock { $0.errands.sweeperCame(on: .current, into: &batch) }
    var end = Optional(TurnEnd(step: step, batch: batch))
    carryOut(&end, shell)
  }

  /// Follows the outbox's instructions until it releases the thread.
  @inline(never)
  private func carryOut(_ end: inout TurnEnd?, _ shell: some ErrandRunner) {
    // Taken out, so that the batch's storage is reused and not copied.
    guard var step = end?.step, var batch = end.take()?.batch else { return }
    let thread = ThreadIdentity.current
    while true {
      switch step {
      case .leave: return
      case .perform, .releaseAndPerform:
        if step == .releaseAndPerform {
          for waiting in state.withLock({ $0.errands.takeReleased() }) { roomWaits.tell(waiting) }
        }
        let end = batch.end
        for place in batch.start..<end { shell.perform(batch.items[place]) }
        batch.wasPerformed(to: end)
        step = state.withLock { $0.errands.performed(&batch, on: thread) }
      case .ask:
        shell.sweep()
        step = state.withLock { $0.errands.asked(on: thread) }
      case .appoint(let waiting):
        roomWaits.tell(waiting)
        return
      case .prepareToWait:
        roomWaits.prepare(thread)
        let isLow = shell.isOfLowPriority
        step = state.withLock { $0.errands.wait(on: thread, isLow: isLow, into: &batch) }
        guard case .wait = step else {
          roomWaits.forget(thread)
          continue
        }
      case .wait(let crowds):
        roomWaits.wait(thread, crowds: crowds)
        roomWaits.forget(thread)
        step = state.withLock { $0.errands.waited(on: thread, into: &batch) }
      }
    }
  }
}

extension CacheState {
  /// Whether a thread other than the current turn's may perform its errands; a caller of low
  /// priority leaves them to the client's own task.
  var othersPerform: Bool {
    @inline(__always) get { errands.othersPerform || WorkPriority.current.isLow }
  }

  /// Asks for an earlier wake-up if a deadline lies before the armed one.
  mutating func rearm() {
    guard let first = deadlines.first?.deadline else { return }
    if let armed, armed <= first { return }
    armed = first
    errands.append(.arm(first), insteadOf: .arm)
  }
}
