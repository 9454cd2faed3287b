import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Dispatch)
@preconcurrency internal import Dispatch
#endif

/// The only access to the state: every change goes through one lock, one transaction at a time.
///
/// A transaction decides under the lock, changes the state and leaves its actions in the ``ActionQueue``. One
/// drainer at a time performs the actions in order, outside the lock. A transaction that comes meanwhile,
/// even from an action, only appends. So observers and callers see transactions in the order in which they
/// were decided.
final class QueryCache: Sendable {
  private static let lastID = Atomic<UInt64>(0)

  private let state: ContendedMutex<CacheState>
  private let roomWaits = RoomWaits()
  let clock: ErasedClock
  // The configuration's wall clock; it is user code, so call it outside the lock.
  let wallClock: @Sendable () -> Date
  /// Whether every transaction needs a date from the wall clock.
  ///
  /// This is the same as ``CacheState/emitsEvents``, but can be read without the lock.
  private let datesAll: Atomic<Bool>
  /// Whether each lookup is an event; the same as in ``CacheState/reports``.
  private let tellsEveryLookup: Atomic<Bool>
  /// Counts the snapshots of all entries.
  ///
  /// If the count has not changed since an observer last read its entry, the observer need not take the lock.
  let news = Atomic<UInt64>(0)
  /// Copies of data that threads can read without the lock; `nil` unless many threads read.
  let shards: ReadShards?

  init(
    clock: ErasedClock,
    wallClock: @escaping @Sendable () -> Date,
    events needs: EventNeeds,
    defaults: StoredDefaults,
    shards: ReadShards? = nil
  ) {
    self.clock = clock
    self.shards = shards
    self.wallClock = wallClock
    datesAll = Atomic(needs >= .events)
    tellsEveryLookup = Atomic(needs == .everyLookup)
    let date = wallClock().timeIntervalSinceReferenceDate
    let id = Self.lastID.add(1, ordering: .relaxed).newValue
    state = ContendedMutex(CacheState(id: id, defaults: defaults, date: date, needs: needs))
    if let shards { record { $0.offerEntries(to: shards) } }
  }

  /// Whether a receiver of events gets each lookup, so that even lookups of fresh data take the lock.
  var isHeard: Bool {
    @inline(__always) get { tellsEveryLookup.load(ordering: .relaxed) }
  }

  /// Turns events on or off.
  ///
  /// - Parameter needs: The needs of the listeners; called under the lock.
  func emitsEvents(_ needs: () -> EventNeeds) {
    record { state in
      let needs = needs()
      state.reports.needs = needs
      datesAll.store(needs >= .events, ordering: .relaxed)
      tellsEveryLookup.store(needs == .everyLookup, ordering: .relaxed)
    }
  }

  /// Reads the state, without a change and without reading a clock.
  @inline(__always)
  func read<Result: Sendable>(_ body: (borrowing CacheState) -> Result) -> Result {
    state.withLock { body($0) }
  }

  /// Changes bookkeeping, such as what a reader has seen or waits for: the change wakes nobody, starts no
  /// fetch and needs no clock.
  ///
  /// Every other change of the state is a transaction.
  @inline(__always)
  func record<Result: Sendable>(_ body: (inout CacheState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// The current time; may run user code, so never call it under the lock.
  ///
  /// - Parameter isDated: Whether anybody will see the date. If not, the wall clock is not read, and the date
  ///   advances with the instant since the latest transaction.
  /// - Returns: The time, in the form that the next transaction takes.
  func now(isDated: Bool = true) -> ClockReading {
    let isDated = isDated || datesAll.load(ordering: .relaxed)
    return ClockReading(
      instant: clock.now(),
      date: isDated ? wallClock().timeIntervalSinceReferenceDate : nil
    )
  }

  /// Makes a transaction and performs its actions.
  ///
  /// - Parameters:
  ///   - shell: Performs the actions.
  ///   - now: The time of the transaction.
  ///   - body: The transaction; runs under the lock.
  /// - Returns: The result of the transaction.
  // Inlined, because there are few callers, and a write costs 8 % less.
  @inline(__always)
  @discardableResult
  func transaction<Result: Sendable>(
    _ shell: some ActionRunner,
    at now: ClockReading,
    _ body: (inout CacheState, inout Transaction) -> Result
  ) -> Result {
    var transaction = Transaction()
    var end: TransactionEnd?
    let result = state.withLock { state -> Result in
      transaction.environment = state.environment(at: now)
      let serial = state.slots.snapshotSerial
      let before = state.actionQueue.transactionBegan()
      let result = body(&state, &transaction)
      state.announce(.ending, &transaction)
      if state.bounds.mayShrink { state.shrink(&transaction) }
      if state.idleWaits.work != nil { state.tellIdle() }
      let newest = state.slots.snapshotSerial
      if newest != serial { news.store(newest, ordering: .releasing) }
      state.rearm()
      if state.actionQueue.count > before {
        end = Self.endTransaction(&state, since: before, shell)
      }
      return result
    }
    // The caller's action comes first, because another thread may be about to start work that needs its task.
    if let callerAction = transaction.callerAction { shell.performInCaller(callerAction) }
    // The references that the transaction collected are released here, outside the lock.
    _ = consume transaction
    if end != nil { carryOut(&end, shell) }
    return result
  }

  /// The next step of a thread whose transaction has left actions, and the actions for the thread to perform.
  private struct TransactionEnd {
    var step: ActionQueue<Action>.Step
    var batch: ActionQueue<Action>.Batch
  }

  // This is a separate function, so that transactions without actions do not pay for it.
  @inline(never)
  private static func endTransaction(
    _ state: inout CacheState,
    since count: Int,
    _ shell: some ActionRunner
  ) -> TransactionEnd? {
    var batch = ActionQueue<Action>.Batch()
    let step = state.actionQueue.transactionEnded(
      since: count,
      on: .current,
      isLow: shell.isOfLowPriority,
      into: &batch
    )
    return step == .leave ? nil : TransactionEnd(step: step, batch: batch)
  }

  /// Performs actions of the queue as the drain task, unless another thread is the drainer.
  ///
  /// - Parameter shell: Performs the actions.
  func drainActions(_ shell: some ActionRunner) {
    var batch = ActionQueue<Action>.Batch()
    let step = state.withLock { $0.actionQueue.drainTaskCame(on: .current, into: &batch) }
    var end = Optional(TransactionEnd(step: step, batch: batch))
    carryOut(&end, shell)
  }

  /// Takes the steps that the action queue gives to the thread, until there is none left.
  @inline(never)
  private func carryOut(_ end: inout TransactionEnd?, _ shell: some ActionRunner) {
    // The batch is taken out, so that its storage is reused and not copied.
    guard var step = end?.step, var batch = end.take()?.batch else { return }
    let thread = ThreadIdentity.current
    while true {
      switch step {
      case .leave: return
      case .perform, .releaseAndPerform:
        if step == .releaseAndPerform {
          for waiting in state.withLock({ $0.actionQueue.takeReleased() }) {
            roomWaits.signal(waiting)
          }
        }
        if let only = batch.takeOnly() {
          shell.perform(only)
        } else {
          let end = batch.end
          for index in batch.start..<end { shell.perform(batch.items[index]) }
          batch.wasPerformed(to: end)
        }
        step = state.withLock { $0.actionQueue.performed(&batch, on: thread) }
      case .ask:
        shell.startDrainTask()
        step = state.withLock { $0.actionQueue.asked(on: thread) }
      case .appoint(let waiting):
        roomWaits.signal(waiting)
        return
      case .prepareToWait:
        roomWaits.prepare(thread)
        let isLow = shell.isOfLowPriority
        step = state.withLock { $0.actionQueue.threadWaits(on: thread, isLow: isLow, into: &batch) }
        guard case .wait = step else {
          roomWaits.forget(thread)
          continue
        }
      case .wait(let crowds):
        roomWaits.suspend(thread, crowds: crowds)
        roomWaits.forget(thread)
        step = state.withLock { $0.actionQueue.waited(on: thread, into: &batch) }
      }
    }
  }
}

/// Threads that wait for room in the action queue, each at its own semaphore.
///
/// A thread that waits here blocks, and so does the task on it: there is no other way to slow down a
/// synchronous call. So the wait is short. It is measured in real time and not by the client's clock, because
/// in virtual time nobody waits here.
final class RoomWaits: Sendable {
  #if canImport(Dispatch)
  private let semaphores = Mutex<[ThreadIdentity: DispatchSemaphore]>([:])

  /// Makes a semaphore for a thread, so that no signal to the thread is lost from now on.
  func prepare(_ thread: ThreadIdentity) {
    let semaphore = DispatchSemaphore(value: 0)
    semaphores.withLock { $0[thread] = semaphore }
  }

  /// Waits for a signal, at most 10 ms for each ``ActionQueue/room`` actions in the queue.
  ///
  /// The wait is limited, because an action may wait for this very thread, and then no signal would come.
  func suspend(_ thread: ThreadIdentity, crowds: Int) {
    guard let semaphore = semaphores.withLock({ $0[thread] }) else { return }
    _ = semaphore.wait(timeout: .now() + .milliseconds(10 * crowds))
  }

  /// Removes the semaphore of a thread that no longer waits.
  func forget(_ thread: ThreadIdentity) {
    semaphores.withLock { _ = $0.removeValue(forKey: thread) }
  }

  func signal(_ thread: ThreadIdentity) {
    // There is no semaphore if the thread has already stopped waiting.
    semaphores.withLock { $0[thread] }?.signal()
  }
  #else
  // Without threads nobody waits.
  func prepare(_ thread: ThreadIdentity) {}
  func suspend(_ thread: ThreadIdentity, crowds: Int) {}
  func forget(_ thread: ThreadIdentity) {}
  func signal(_ thread: ThreadIdentity) {}
  #endif
}
