/// What turns asked for and nobody has performed yet, and who performs it.
///
/// One thread at a time performs errands, outside the lock: the *drainer*. A call that finds nobody at
/// it performs as many errands as its own turn added, and ``share`` more. What is left then goes to a
/// caller that waits for room, or else to the *sweeper*, a task of the client that performs ``share``
/// and hands over likewise. So no call works for others without bound, and
///
/// - errands are performed in the order in which turns added them, each once;
/// - while there are some, somebody drains, or a sweeper is on its way.
///
/// A turn that leaves more than ``room`` behind while another thread drains waits until its errands
/// have been taken: memory stays bounded, since who adds faster than errands are performed is slowed
/// down. The drainer's own thread never waits: turns that errands make only append.
///
/// Each method is one visit under the lock, and its answer says what the thread does next. Waiting
/// and asking for the sweeper are the shell's: see `QueryCache.carryOut`.
///
/// ## Why it is built like this
///
/// A turn decides under the lock and must not run anything there: not a continuation, not a task's start, not an
/// event handler. It could perform its own errands after the lock is open, but then two threads could perform
/// theirs in another order than their turns had, and a consumer would see an old state after a new one. A queue
/// of the executor would keep the order, and cost each write a task. So errands go into one list, and one thread
/// at a time performs it. Whoever comes while that thread is at work leaves its errands there and returns.
///
/// That alone is unfair: the thread at work would perform for everybody, as long as others write. Hence the share.
/// After it the thread hands the list over: to a caller that is waiting anyway, which costs nothing, or else to
/// the sweeper. The order stays, for a batch that was taken and not performed comes before all that was added
/// since.
///
/// And it is unbounded: errands could be added faster than they are performed. Errands of which one is enough
/// replace each other in place: the wake-up of a consumer, the sleep for a deadline, a recount. What is left, such
/// as events, cannot be dropped, so whoever adds them waits. Only threads that nobody waits for may wait: never
/// the one that performs errands, or the list would never become shorter.
struct Outbox<Item: Sendable>: Sendable {
  /// How many errands a call performs beyond as many as its turn added.
  let share: Int
  /// How many errands may lie in the outbox before those who add more have to wait.
  let room: Int

  /// In the order of turns.
  private var pending: [Item] = []
  /// What a drainer took and did not perform: older than all of `pending`, from `leftStart` on.
  private var left: [Item] = []
  private var leftStart = 0
  /// An empty array whose storage serves the next batch.
  private var spare: [Item] = []
  /// Where errands of which one is enough lie in `pending`; -1 for nowhere.
  private var places = Places()
  private var drainer: ThreadIdentity?
  /// How many errands there were when the present turn began.
  private var turnStart = 0
  /// Whether a sweeper was asked for and has not come yet.
  private var isSweeperDue = false
  /// Who asked for it last, until the asking is over: an executor may run the sweeper at once.
  private var asker: ThreadIdentity?
  /// Those who wait for room, in order; only while somebody drains and there are errands in `pending`.
  private var waiting: [Waiting] = []
  /// Those who wait no more, and have not been told yet.
  private var released: [ThreadIdentity] = []

  init(share: Int = 256, room: Int = 4_096) {
    self.share = share
    self.room = room
    // Most turns ask for one or two errands: room that does not have to grow at first.
    pending.reserveCapacity(8)
    spare.reserveCapacity(8)
  }

  /// How many errands were added since a drainer took some last.
  @inline(__always)
  var count: Int { pending.count }

  private var isEmpty: Bool { pending.isEmpty && left.isEmpty }

  // MARK: Adding

  /// The errand that was added last, unless it was taken.
  var last: Item? { pending.last }

  @inline(__always)
  mutating func append(_ item: Item) {
    pending.append(item)
  }

  /// Takes the errand out that was added last, for one that says more to take its place.
  ///
  /// Never one that was added instead of an earlier one: of these the place is known.
  mutating func removeLast() {
    _ = pending.popLast()
  }

  /// Errands of which the newest is enough, however many turns ask for one.
  enum Single: Sendable {
    /// To sleep until an earlier deadline.
    case arm
    /// To say that the number of fetching entries may have changed.
    case recount
  }

  /// Adds an errand, or puts it in the place of an earlier one of its kind that nobody took yet.
  mutating func append(_ item: Item, insteadOf kind: Single) {
    let place = kind == .arm ? places.arm : places.recount
    if place >= 0 {
      pending[place] = item
      return
    }
    switch kind {
    case .arm: places.arm = pending.count
    case .recount: places.recount = pending.count
    }
    pending.append(item)
  }

  // MARK: Turns

  /// A turn begins.
  ///
  /// - Returns: The ``count`` before it.
  @inline(__always)
  mutating func turnBegan() -> Int {
    turnStart = pending.count
    return turnStart
  }

  /// Whether somebody else than the thread of the present turn may perform what it adds: who drains
  /// already, or who takes what was there before.
  var othersPerform: Bool {
    drainer != nil || turnStart > 0 || !left.isEmpty
  }

  // MARK: Performing

  /// What a thread takes out of the outbox, and how much it may perform.
  struct Batch: Sendable {
    /// Emptied, outside the lock, once all are performed.
    var items: [Item] = []
    /// The first that has not been performed.
    var start = 0
    /// How many more errands the thread performs.
    var budget = 0
    /// Whether there were errands before those of the thread's own turn, so that others may perform these.
    var hadBacklog = false

    /// The end of what the thread performs of the batch.
    var end: Int { min(items.count, start + budget) }

    /// Notes that all up to `end` are performed.
    ///
    /// Releases them if nothing is left, so never under the lock.
    mutating func wasPerformed(to end: Int) {
      budget -= end - start
      start = end
      guard end == items.count else { return }
      items.removeAll(keepingCapacity: true)
      start = 0
    }
  }

  /// What a thread does next.
  enum Step: Hashable, Sendable {
    /// Nothing more.
    case leave
    /// Performs its batch, and then says so: ``performed(_:on:)``.
    case perform
    /// The same, but first tells those who wait no more: ``takeReleased()``.
    case releaseAndPerform
    /// Asks for a sweeper, and then says so: ``asked(on:)``.
    case ask
    /// Tells a waiting thread that it drains now.
    case appoint(ThreadIdentity)
    /// Gets ready to wait, and then says so: ``wait(on:isLow:into:)``.
    case prepareToWait
    /// Waits to be told, and then says so: ``waited(on:into:)``; longer, the more lies in the outbox.
    case wait(crowds: Int)
  }

  /// A turn ended.
  ///
  /// - Parameters:
  ///   - count: The ``count`` before the turn.
  ///   - thread: The thread of the turn.
  ///   - isLow: Whether it runs at a low priority, so that nobody should have to wait for it.
  ///   - batch: What it is to perform.
  /// - Returns: What the thread does next.
  mutating func turnEnded(
    since count: Int,
    on thread: ThreadIdentity,
    isLow: @autoclosure () -> Bool,
    into batch: inout Batch
  ) -> Step {
    let added = pending.count - count
    guard added > 0 else { return .leave }
    batch.budget = added + share
    if let drainer { return drainer != thread && pending.count > room ? .prepareToWait : .leave }
    batch.hadBacklog = count > 0 || !left.isEmpty
    // Others would wait for it. But too much is too much: then it works as everybody else.
    if pending.count <= room, isLow() { return ask(thread) }
    return take(&batch, thread)
  }

  /// A drainer performed what it could of its batch.
  mutating func performed(_ batch: inout Batch, on thread: ThreadIdentity) -> Step {
    guard batch.items.isEmpty else {
      swap(&left, &batch.items)
      leftStart = batch.start
      return handOver(thread)
    }
    guard !isEmpty, batch.budget > 0 else {
      // Kept for the next drainer, unless it is a crowd's.
      if batch.items.capacity <= 256 { swap(&spare, &batch.items) }
      return handOver(thread)
    }
    return take(&batch, thread)
  }

  /// Takes what is oldest.
  private mutating func take(_ batch: inout Batch, _ thread: ThreadIdentity) -> Step {
    drainer = thread
    guard left.isEmpty else {
      swap(&left, &batch.items)
      batch.start = leftStart
      return .perform
    }
    if batch.items.capacity == 0 { swap(&spare, &batch.items) }
    swap(&pending, &batch.items)
    batch.start = 0
    places = Places()
    guard !waiting.isEmpty else { return .perform }
    released += waiting.map(\.thread)
    waiting.removeAll()
    return .releaseAndPerform
  }

  /// The drainer is done, or has done its part.
  private mutating func handOver(_ thread: ThreadIdentity) -> Step {
    drainer = nil
    guard !isEmpty else { return .leave }
    // It stands still anyway. Who is held up itself comes last.
    if !waiting.isEmpty {
      let place = waiting.firstIndex { !$0.isLow } ?? 0
      let next = waiting.remove(at: place).thread
      drainer = next
      return .appoint(next)
    }
    return ask(thread)
  }

  // MARK: Sweeping

  private mutating func ask(_ thread: ThreadIdentity) -> Step {
    // Who is being asked right now on this thread, by an executor that runs the sweeper at once, asks
    // again when it is back: else each asking would lie on top of the one before.
    guard !isSweeperDue, asker != thread else { return .leave }
    isSweeperDue = true
    asker = thread
    return .ask
  }

  /// The asking for a sweeper is over.
  mutating func asked(on thread: ThreadIdentity) -> Step {
    guard asker == thread else { return .leave }
    guard drainer == nil, !isSweeperDue, !isEmpty else {
      asker = nil
      return .leave
    }
    isSweeperDue = true
    return .ask
  }

  /// The sweeper came.
  mutating func sweeperCame(on thread: ThreadIdentity, into batch: inout Batch) -> Step {
    isSweeperDue = false
    guard drainer == nil, !isEmpty else { return .leave }
    batch.budget = share
    return take(&batch, thread)
  }

  // MARK: Waiting for room

  /// A thread is ready to wait.
  mutating func wait(on thread: ThreadIdentity, isLow: Bool, into batch: inout Batch) -> Step {
    guard pending.count > room else { return .leave }
    guard drainer != nil else { return take(&batch, thread) }
    waiting.append(Waiting(thread: thread, isLow: isLow))
    return .wait(crowds: pending.count / room)
  }

  /// A thread was told, or waited long enough.
  mutating func waited(on thread: ThreadIdentity, into batch: inout Batch) -> Step {
    if drainer == thread { return take(&batch, thread) }
    waiting.removeAll { $0.thread == thread }
    return .leave
  }

  /// Those who wait no more.
  mutating func takeReleased() -> [ThreadIdentity] {
    defer { released = [] }
    return released
  }

  private struct Places: Hashable, Sendable {
    var arm = -1
    var recount = -1
  }

  private struct Waiting: Hashable, Sendable {
    var thread: ThreadIdentity
    var isLow: Bool
  }
}

// Small worlds remember where they have been.
extension Outbox: Equatable where Item: Equatable {}
extension Outbox: Hashable where Item: Hashable {}
extension Outbox.Batch: Equatable where Item: Equatable {}
extension Outbox.Batch: Hashable where Item: Hashable {}
