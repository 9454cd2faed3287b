/// The actions that transactions requested and nobody has performed yet, and the threads that
/// perform them.
///
/// One thread at a time performs actions, outside the lock: the *drainer*. A call that finds no
/// drainer performs as many actions as its own transaction added, and ``share`` more. It hands the
/// rest to a caller that waits for room or, without one, to the *drain task*, a task of the client
/// that performs ``share`` actions and hands over in the same way. So no call does an unbounded
/// amount of work for others, and
///
/// - actions are performed in the order in which transactions added them, each once;
/// - while there are actions, somebody drains, or a drain task is on its way.
///
/// A transaction that leaves more than ``room`` actions behind while another thread drains waits
/// until its actions have been taken. This bounds memory, because it slows down callers that add
/// actions faster than they are performed. The drainer's own thread never waits: transactions made
/// by actions only append.
///
/// Each method is one visit under the lock, and its answer says what the thread does next. The
/// caller then waits or requests the drain task: see `QueryCache.carryOut`.
///
/// ## Why it is built like this
///
/// A transaction decides under the lock and must not run anything there: not a continuation, not a
/// task's start, not an event handler. It could perform its own actions after releasing the lock,
/// but then two threads could perform theirs in a different order than their transactions had, and
/// an observer would see an old state after a new one. A queue on the executor would keep the
/// order, but would cost each write a task. So actions go into one list, and one thread at a time
/// performs it. A caller that comes while that thread is at work leaves its actions there and
/// returns.
///
/// That alone is unfair: the working thread would perform actions for everybody as long as others
/// write. So a thread performs only its share, and then hands the list over: to a caller that is
/// waiting anyway, which costs nothing, or to the drain task. The order stays, because a batch that
/// was taken but not performed comes before everything added since.
///
/// The list is also unbounded: actions could be added faster than they are performed. If only the
/// newest action of a kind matters, it replaces the earlier one in place: the wake-up of an
/// observer, the sleep for a deadline, a recount. The rest, such as events, cannot be dropped, so a
/// caller that adds them waits. The thread that performs actions must never wait: the list would not become
/// shorter.
struct ActionQueue<Item: Sendable>: Sendable {
  /// The number of actions that a call performs in addition to those of its own transaction.
  let share: Int
  /// The number of actions in the queue above which callers that add more have to wait.
  let room: Int

  /// The actions that nobody has taken, in the order of transactions.
  private var pending: [Item] = []
  /// The actions that a drainer took but did not perform, from `leftStart` on; they are older than
  /// all of `pending`.
  private var left: [Item] = []
  private var leftStart = 0
  /// An empty array with storage for the next batch.
  private var spare: [Item] = []
  /// The position in `pending` of the action of each ``Single`` kind; -1 if there is none.
  private var positions = Positions()
  private var drainer: ThreadIdentity?
  /// The number of actions when the current transaction began.
  private var transactionStart = 0
  /// Whether a drain task was requested and has not come yet.
  private var isDrainTaskDue = false
  /// The thread that is requesting a drain task now.
  ///
  /// An executor may run the task at once, within the request. The thread must then not make another request.
  private var asker: ThreadIdentity?
  /// The threads that wait for room, in the order in which they came.
  ///
  /// The list is empty unless somebody drains and `pending` has actions.
  private var waiting: [Waiting] = []
  /// The threads that may stop waiting and are still to be signalled.
  private var released: [ThreadIdentity] = []

  init(share: Int = 256, room: Int = 4_096) {
    self.share = share
    self.room = room
    // Most transactions request one or two actions, so the queue seldom has to grow.
    pending.reserveCapacity(8)
    spare.reserveCapacity(8)
  }

  /// The number of actions that nobody has taken.
  @inline(__always)
  var count: Int { pending.count }

  private var isEmpty: Bool { pending.isEmpty && left.isEmpty }

  // MARK: Adding

  /// The action that was added last, unless it was taken.
  var last: Item? { pending.last }

  @inline(__always)
  mutating func enqueue(_ item: Item) {
    pending.append(item)
  }

  /// Removes the action that was added last, so that a more complete action can take its place.
  ///
  /// Do not call this for an action of a ``Single`` kind, because its position is recorded.
  mutating func removeLast() {
    _ = pending.popLast()
  }

  /// The kinds of actions that replace each other, because only the newest one counts.
  enum Single: Sendable {
    /// To sleep until an earlier deadline.
    case arm
    /// To report that the number of fetching entries may have changed.
    case recount
  }

  /// Adds an action, or replaces an earlier action of the same kind that nobody has taken yet.
  mutating func enqueue(_ item: Item, insteadOf kind: Single) {
    let position = kind == .arm ? positions.arm : positions.recount
    if position >= 0 {
      pending[position] = item
      return
    }
    switch kind {
    case .arm: positions.arm = pending.count
    case .recount: positions.recount = pending.count
    }
    pending.append(item)
  }

  // MARK: Transactions

  /// Remembers how many actions there are before a transaction.
  ///
  /// - Returns: The ``count`` before the transaction.
  @inline(__always)
  mutating func transactionBegan() -> Int {
    transactionStart = pending.count
    return transactionStart
  }

  /// Whether another thread may perform the actions of the current transaction: a drainer that is
  /// already at work, or a thread that takes the earlier actions.
  var othersPerform: Bool {
    drainer != nil || transactionStart > 0 || !left.isEmpty
  }

  // MARK: Performing

  /// The actions that a thread takes from the queue, with the number that it may perform.
  struct Batch: Sendable {
    /// The actions.
    ///
    /// When all of them are performed, they are removed outside the lock.
    var items: [Item] = []
    /// The position of the first action that has not been performed.
    var start = 0
    /// The number of actions that the thread may still perform.
    var budget = 0

    /// The end of the part of the batch that the thread performs.
    var end: Int { min(items.count, start + budget) }

    /// Takes the action out of a batch that has only one, as nearly all have.
    ///
    /// Actions of larger batches are copied instead.
    mutating func takeOnly() -> Item? {
      guard items.count == 1, start == 0, budget > 0 else { return nil }
      budget -= 1
      return items.removeLast()
    }

    /// Records that all actions up to `end` are performed.
    ///
    /// If nothing is left, this releases the actions, so do not call it under the lock.
    mutating func wasPerformed(to end: Int) {
      budget -= end - start
      start = end
      guard end == items.count else { return }
      if items.count > 4 {
        items.removeAll(keepingCapacity: true)
      } else {
        // Nearly every batch has one or two actions, for which this is faster than removing a
        // range.
        while !items.isEmpty { items.removeLast() }
      }
      start = 0
    }
  }

  /// The next step of a thread.
  enum Step: Hashable, Sendable {
    /// Does nothing more.
    case leave
    /// Performs the thread's batch, and then calls ``performed(_:on:)``.
    case perform
    /// Signals the threads that may stop waiting, see ``takeReleased()``, and then does the same as
    /// ``perform``.
    case releaseAndPerform
    /// Requests a drain task, and then calls ``asked(on:)``.
    case ask
    /// Tells a waiting thread that it is now the drainer.
    case appoint(ThreadIdentity)
    /// Gets ready to wait, and then calls ``threadWaits(on:isLow:into:)``.
    case prepareToWait
    /// Waits for a signal, and then calls ``waited(on:into:)``. The wait may be longer if `crowds` is larger:
    /// the number of actions as a multiple of ``ActionQueue/room``.
    case wait(crowds: Int)
  }

  /// Decides the next step of a thread after its transaction.
  ///
  /// - Parameters:
  ///   - count: The ``count`` before the transaction.
  ///   - thread: The thread of the transaction.
  ///   - isLow: Whether the thread runs at a low priority, so that nobody should have to wait for it.
  ///   - batch: The batch for the thread to perform.
  /// - Returns: The next step of the thread.
  mutating func transactionEnded(
    since count: Int,
    on thread: ThreadIdentity,
    isLow: @autoclosure () -> Bool,
    into batch: inout Batch
  ) -> Step {
    let added = pending.count - count
    guard added > 0 else { return .leave }
    batch.budget = added + share
    if let drainer { return drainer != thread && pending.count > room ? .prepareToWait : .leave }
    // A thread of low priority leaves its actions to the drain task, because others would have to
    // wait for the thread. If there are too many actions, the thread performs them itself.
    if pending.count <= room, isLow() { return requestDrainTask(thread) }
    return takeOldest(&batch, thread)
  }

  /// Decides the next step of a drainer that performed its part of the batch.
  mutating func performed(_ batch: inout Batch, on thread: ThreadIdentity) -> Step {
    guard batch.items.isEmpty else {
      swap(&left, &batch.items)
      leftStart = batch.start
      return handOver(thread)
    }
    guard !isEmpty, batch.budget > 0 else {
      // The storage is kept for the next drainer, unless it is very large.
      if batch.items.capacity <= 256 { swap(&spare, &batch.items) }
      return handOver(thread)
    }
    return takeOldest(&batch, thread)
  }

  /// Gives the oldest actions to a thread, and makes it the drainer.
  private mutating func takeOldest(_ batch: inout Batch, _ thread: ThreadIdentity) -> Step {
    drainer = thread
    guard left.isEmpty else {
      swap(&left, &batch.items)
      batch.start = leftStart
      return .perform
    }
    if batch.items.capacity == 0 { swap(&spare, &batch.items) }
    swap(&pending, &batch.items)
    batch.start = 0
    positions = Positions()
    guard !waiting.isEmpty else { return .perform }
    released += waiting.map(\.thread)
    waiting.removeAll()
    return .releaseAndPerform
  }

  /// Lets a drainer stop, because no action is left or the drainer has done its share.
  private mutating func handOver(_ thread: ThreadIdentity) -> Step {
    drainer = nil
    guard !isEmpty else { return .leave }
    // A thread that waits anyway takes over; one of low priority only if there is no other.
    if !waiting.isEmpty {
      let position = waiting.firstIndex { !$0.isLow } ?? 0
      let next = waiting.remove(at: position).thread
      drainer = next
      return .appoint(next)
    }
    return requestDrainTask(thread)
  }

  // MARK: The drain task

  private mutating func requestDrainTask(_ thread: ThreadIdentity) -> Step {
    // If an executor runs the drain task at once, within the request, this thread requests the next
    // drain task after that request returns. Otherwise each request would be nested in the one before.
    guard !isDrainTaskDue, asker != thread else { return .leave }
    isDrainTaskDue = true
    asker = thread
    return .ask
  }

  /// Decides the next step of a thread after its request for a drain task returned.
  mutating func asked(on thread: ThreadIdentity) -> Step {
    guard asker == thread else { return .leave }
    guard drainer == nil, !isDrainTaskDue, !isEmpty else {
      asker = nil
      return .leave
    }
    isDrainTaskDue = true
    return .ask
  }

  /// Gives actions to the drain task, because it has begun to run.
  mutating func drainTaskCame(on thread: ThreadIdentity, into batch: inout Batch) -> Step {
    isDrainTaskDue = false
    guard drainer == nil, !isEmpty else { return .leave }
    batch.budget = share
    return takeOldest(&batch, thread)
  }

  // MARK: Waiting for room

  /// Lets a thread wait for room, if the queue is still full.
  mutating func threadWaits(on thread: ThreadIdentity, isLow: Bool, into batch: inout Batch) -> Step
  {
    guard pending.count > room else { return .leave }
    guard drainer != nil else { return takeOldest(&batch, thread) }
    waiting.append(Waiting(thread: thread, isLow: isLow))
    return .wait(crowds: pending.count / room)
  }

  /// Decides the next step of a thread after its wait ended, by a signal or a timeout.
  mutating func waited(on thread: ThreadIdentity, into batch: inout Batch) -> Step {
    if drainer == thread { return takeOldest(&batch, thread) }
    waiting.removeAll { $0.thread == thread }
    return .leave
  }

  /// Takes the threads that may stop waiting.
  mutating func takeReleased() -> [ThreadIdentity] {
    defer { released = [] }
    return released
  }

  private struct Positions: Hashable, Sendable {
    var arm = -1
    var recount = -1
  }

  private struct Waiting: Hashable, Sendable {
    var thread: ThreadIdentity
    var isLow: Bool
  }
}

// The tests that walk through all orders of events compare visited states.
extension ActionQueue: Equatable where Item: Equatable {}
extension ActionQueue: Hashable where Item: Hashable {}
extension ActionQueue.Batch: Equatable where Item: Equatable {}
extension ActionQueue.Batch: Hashable where Item: Hashable {}
