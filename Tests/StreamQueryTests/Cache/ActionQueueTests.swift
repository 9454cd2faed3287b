import Testing

@testable import StreamQuery

/// Who performs what, without threads: a thread is a number.
struct ActionQueueTests {
  typealias Box = ActionQueue<Int>

  let one = ThreadIdentity(number: 1)
  let two = ThreadIdentity(number: 2)
  let three = ThreadIdentity(number: 3)

  /// Makes a transaction that adds some actions.
  func transaction(
    _ box: inout Box,
    _ items: some Sequence<Int>,
    on thread: ThreadIdentity,
    isLow: Bool = false,
    into batch: inout Box.Batch
  ) -> Box.Step {
    let before = box.count
    for item in items { box.enqueue(item) }
    return box.transactionEnded(since: before, on: thread, isLow: isLow, into: &batch)
  }

  /// Performs what a batch allows.
  func perform(_ batch: inout Box.Batch) -> [Int] {
    let end = batch.end
    defer { batch.wasPerformed(to: end) }
    return Array(batch.items[batch.start..<end])
  }

  @Test func aTransactionWithoutActionsLeavesThemToWhoeverDrains() {
    var box = Box()
    var batch = Box.Batch()
    expectEqual(transaction(&box, [], on: one, into: &batch), .leave)
  }

  @Test func aCallPerformsWhatItsTransactionAddedAndIsDone() {
    var box = Box()
    var batch = Box.Batch()
    expectEqual(transaction(&box, 0..<1_000, on: one, into: &batch), .perform)
    expectEqual(perform(&batch), Array(0..<1_000))
    expectEqual(box.performed(&batch, on: one), .leave)
    expectEqual(transaction(&box, [1_000], on: two, into: &batch), .perform)
    expectEqual(perform(&batch), [1_000])
  }

  @Test func whatComesMeanwhileIsPerformedUpToTheShareAndTheRestHandedOver() {
    var box = Box(share: 3, room: 100)
    var batch = Box.Batch()
    var other = Box.Batch()
    expectEqual(transaction(&box, 0..<2, on: one, into: &batch), .perform)
    expectEqual(perform(&batch), [0, 1])
    expectEqual(transaction(&box, 2..<10, on: two, into: &other), .leave)
    expectEqual(box.performed(&batch, on: one), .perform)
    expectEqual(perform(&batch), [2, 3, 4])
    expectEqual(box.performed(&batch, on: one), .ask)
    expectEqual(box.asked(on: one), .leave)
    expectEqual(box.drainTaskCame(on: three, into: &other), .perform)
    expectEqual(perform(&other), [5, 6, 7])
    expectEqual(box.performed(&other, on: three), .ask)
  }

  @Test func theShareMayEndWithABatch() {
    var box = Box(share: 2, room: 100)
    var batch = Box.Batch()
    var other = Box.Batch()
    expectEqual(transaction(&box, [0], on: one, into: &batch), .perform)
    expectEqual(perform(&batch), [0])
    expectEqual(transaction(&box, [1, 2], on: two, into: &other), .leave)
    expectEqual(box.performed(&batch, on: one), .perform)
    expectEqual(perform(&batch), [1, 2])
    expectEqual(transaction(&box, [3], on: two, into: &other), .leave)
    expectEqual(box.performed(&batch, on: one), .ask)
    // And it may end with the last action of all.
    expectEqual(box.drainTaskCame(on: two, into: &other), .perform)
    expectEqual(perform(&other), [3])
    expectEqual(box.performed(&other, on: two), .leave)
  }

  @Test func whatWasLeftGoesBeforeWhatComes() {
    var box = Box(share: 1, room: 100)
    var batch = Box.Batch()
    var other = Box.Batch()
    expectEqual(transaction(&box, [0], on: one, into: &batch), .perform)
    expectEqual(transaction(&box, 1..<6, on: two, into: &other), .leave)
    expectEqual(perform(&batch), [0])
    expectEqual(box.performed(&batch, on: one), .perform)
    expectEqual(perform(&batch), [1])
    expectEqual(box.performed(&batch, on: one), .ask)
    // As many as its transaction added and one more, the oldest first: its own is not among them.
    other = Box.Batch()
    expectEqual(transaction(&box, [6, 7], on: two, into: &other), .perform)
    expectEqual(perform(&other), [2, 3, 4])
    // A drain task is on its way already.
    expectEqual(box.performed(&other, on: two), .leave)
    other = Box.Batch()
    expectEqual(box.drainTaskCame(on: three, into: &other), .perform)
    expectEqual(perform(&other), [5])
    expectEqual(box.performed(&other, on: three), .ask)
  }

  @Test func aTransactionThatAddsNothingDoesNotWorkForOthers() {
    var box = Box(share: 1, room: 100)
    var batch = Box.Batch()
    _ = transaction(&box, [0], on: one, into: &batch)
    var other = Box.Batch()
    _ = transaction(&box, 1..<6, on: two, into: &other)
    _ = perform(&batch)
    expectEqual(box.performed(&batch, on: one), .perform)
    _ = perform(&batch)
    expectEqual(box.performed(&batch, on: one), .ask)
    expectEqual(transaction(&box, [], on: two, into: &other), .leave)
  }

  @Test func aSweeperThatFindsSomebodyDrainingOrNothingToDoEnds() {
    var box = Box(share: 1, room: 100)
    var batch = Box.Batch()
    var drainTask = Box.Batch()
    _ = transaction(&box, [0], on: one, into: &batch)
    expectEqual(box.drainTaskCame(on: two, into: &drainTask), .leave)
    _ = perform(&batch)
    expectEqual(box.performed(&batch, on: one), .leave)
    expectEqual(box.drainTaskCame(on: two, into: &drainTask), .leave)
  }

  // MARK: Low priorities

  @Test func aCallOfLowPriorityLeavesItsActionsToTheSweeper() {
    var box = Box(share: 1, room: 100)
    var batch = Box.Batch()
    expectEqual(transaction(&box, 0..<3, on: one, isLow: true, into: &batch), .ask)
    expectEqual(box.asked(on: one), .leave)
    expectEqual(transaction(&box, 3..<5, on: one, isLow: true, into: &batch), .leave)
    // Somebody else need not wait for it.
    expectEqual(transaction(&box, 5..<10, on: two, into: &batch), .perform)
    expectEqual(perform(&batch), [0, 1, 2, 3, 4, 5])
    expectEqual(box.performed(&batch, on: two), .leave)
  }

  @Test func aCallOfLowPriorityDrainsOnceThereIsTooMuch() {
    var box = Box(share: 1, room: 4)
    var batch = Box.Batch()
    expectEqual(transaction(&box, 0..<4, on: one, isLow: true, into: &batch), .ask)
    expectEqual(transaction(&box, [4], on: one, isLow: true, into: &batch), .perform)
    expectEqual(perform(&batch), [0, 1])
  }

  // MARK: Room

  /// A drainer that stands in its first action, and a transaction that leaves more than there is
  /// room for.
  func crowded(_ body: (inout Box, inout Box.Batch, inout Box.Batch) -> Void) {
    var box = Box(share: 2, room: 4)
    var batch = Box.Batch()
    var other = Box.Batch()
    expectEqual(transaction(&box, [0], on: one, into: &batch), .perform)
    expectEqual(transaction(&box, 1..<5, on: two, into: &other), .leave)
    expectEqual(transaction(&box, [5], on: two, into: &other), .prepareToWait)
    body(&box, &batch, &other)
  }

  @Test func whoLeavesTooMuchWaitsUntilItIsTaken() {
    crowded { box, batch, other in
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .wait(crowds: 1))
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .releaseAndPerform)
      expectEqual(box.takeReleased(), [two])
      expectEqual(box.takeReleased(), [])
      expectEqual(box.waited(on: two, into: &other), .leave)
      expectEqual(perform(&batch), [1, 2])
      expectEqual(box.performed(&batch, on: one), .ask)
    }
  }

  @Test func whoLeavesFarTooMuchWaitsLonger() {
    crowded { box, _, other in
      expectEqual(transaction(&box, 6..<13, on: three, into: &other), .prepareToWait)
      expectEqual(box.threadWaits(on: three, isLow: false, into: &other), .wait(crowds: 3))
    }
  }

  @Test func theDrainersOwnThreadNeverWaits() {
    crowded { box, _, other in
      expectEqual(transaction(&box, 6..<100, on: one, into: &other), .leave)
    }
  }

  @Test func nobodyWaitsIfThereIsRoomByThen() {
    crowded { box, batch, other in
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .perform)
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .leave)
    }
  }

  @Test func whoWaitsDrainsAfterADrainerThatHasDoneItsPart() {
    crowded { box, batch, other in
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .perform)
      expectEqual(transaction(&box, 6..<12, on: two, into: &other), .prepareToWait)
      var low = Box.Batch()
      expectEqual(transaction(&box, [12], on: three, into: &low), .prepareToWait)
      // Who would be kept from running itself comes last.
      expectEqual(box.threadWaits(on: three, isLow: true, into: &low), .wait(crowds: 1))
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .wait(crowds: 1))
      expectEqual(perform(&batch), [1, 2])
      expectEqual(box.performed(&batch, on: one), .appoint(two))
      // As many as it added and the share.
      expectEqual(box.waited(on: two, into: &other), .perform)
      expectEqual(perform(&other), [3, 4, 5])
      expectEqual(box.performed(&other, on: two), .releaseAndPerform)
      expectEqual(box.takeReleased(), [three])
      expectEqual(perform(&other), [6, 7, 8, 9, 10])
      expectEqual(box.waited(on: three, into: &low), .leave)
      expectEqual(box.performed(&other, on: two), .ask)
    }
  }

  @Test func whoWasAppointedWhileItsPatienceEndedDrains() {
    crowded { box, batch, other in
      batch.budget = 1
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .wait(crowds: 1))
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .appoint(two))
      // Nobody told it yet: the end of its patience finds out.
      expectEqual(box.waited(on: two, into: &other), .perform)
      expectEqual(perform(&other), [1, 2, 3])
    }
  }

  @Test func whoWaitedLongEnoughGoesAndIsNotAppointed() {
    crowded { box, batch, other in
      batch.budget = 1
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .wait(crowds: 1))
      expectEqual(box.waited(on: two, into: &other), .leave)
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .ask)
    }
  }

  @Test func whoIsReadyToWaitDrainsIfNobodyDoesAnyMore() {
    crowded { box, batch, other in
      batch.budget = 1
      _ = perform(&batch)
      expectEqual(box.performed(&batch, on: one), .ask)
      expectEqual(box.threadWaits(on: two, isLow: false, into: &other), .perform)
      expectEqual(perform(&other), [1, 2, 3])
    }
  }

  // MARK: Executors that run the drain task at once

  @Test func aSweeperThatRunsWithinTheAskingLeavesTheNextOneToTheAsker() {
    var box = Box(share: 2, room: 100)
    var batch = Box.Batch()
    var other = Box.Batch()
    _ = transaction(&box, [0], on: one, into: &batch)
    _ = transaction(&box, 1..<6, on: two, into: &other)
    batch.budget = 1
    _ = perform(&batch)
    expectEqual(box.performed(&batch, on: one), .ask)
    // On the same thread, before the asking has returned.
    var drainTask = Box.Batch()
    expectEqual(box.drainTaskCame(on: one, into: &drainTask), .perform)
    expectEqual(perform(&drainTask), [1, 2])
    expectEqual(box.performed(&drainTask, on: one), .leave)
    // Back: not deeper and deeper, but one after the other.
    expectEqual(box.asked(on: one), .ask)
    expectEqual(box.drainTaskCame(on: one, into: &drainTask), .perform)
    expectEqual(perform(&drainTask), [3, 4])
    expectEqual(box.performed(&drainTask, on: one), .leave)
    expectEqual(box.asked(on: one), .ask)
    expectEqual(box.drainTaskCame(on: one, into: &drainTask), .perform)
    expectEqual(perform(&drainTask), [5])
    expectEqual(box.performed(&drainTask, on: one), .leave)
    expectEqual(box.asked(on: one), .leave)
  }

  // MARK: Actions of which one is enough

  @Test func ofActionsOfOneKindTheNewestStandsWhereTheFirstOneStood() {
    var box = Box()
    var batch = Box.Batch()
    box.enqueue(1)
    box.enqueue(2, insteadOf: .arm)
    box.enqueue(3)
    box.enqueue(4, insteadOf: .recount)
    box.enqueue(5, insteadOf: .arm)
    box.enqueue(6, insteadOf: .recount)
    expectEqual(box.count, 4)
    expectEqual(box.transactionEnded(since: 0, on: one, isLow: false, into: &batch), .perform)
    expectEqual(perform(&batch), [1, 5, 3, 6])
    // What was taken is not replaced any more.
    box.enqueue(7, insteadOf: .arm)
    expectEqual(box.count, 1)
  }

  @Test func aTransactionThatOnlyReplacesAnActionAddsNone() {
    var box = Box()
    var batch = Box.Batch()
    box.enqueue(1, insteadOf: .arm)
    expectEqual(box.transactionEnded(since: 0, on: one, isLow: true, into: &batch), .ask)
    let before = box.count
    box.enqueue(2, insteadOf: .arm)
    expectEqual(box.transactionEnded(since: before, on: two, isLow: false, into: &batch), .leave)
  }
}
