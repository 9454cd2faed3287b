import Testing

@testable import StreamQueryRedis

struct CommandQueueTests {
  let start = ContinuousClock.now

  private func arrive(
    _ queue: inout CommandQueue,
    _ text: String,
    after seconds: Int = 1,
    leaving: LateReply = .ignored
  ) -> CommandID {
    let id = queue.nextID()
    queue.arrived(
      .init(
        id: id,
        command: RedisCommand(text),
        deadline: start + .seconds(seconds),
        leaving: leaving
      )
    )
    return id
  }

  @Test func repliesGoToTheCommandsInOrder() {
    var queue = CommandQueue()
    let ids = ["a", "b", "c"].map { arrive(&queue, $0) }
    let first = queue.take(upTo: 1)
    let rest = queue.take(upTo: 1_000)
    #expect(first.map(\.command) == [RedisCommand("a")])
    #expect(rest.map(\.command) == [RedisCommand("b"), RedisCommand("c")])
    let deliveries = (1...4).map { queue.replied(.integer($0)) }
    #expect(deliveries == ids.map { .reply(to: $0) } + [.unexpected])
    #expect(queue.isIdle)
  }

  @Test func whoLeavesBeforeSendingSendsNothing() {
    var queue = CommandQueue()
    let first = arrive(&queue, "a")
    let second = arrive(&queue, "b")
    queue.left(first)
    let taken = queue.take(upTo: 1_000)
    #expect(taken.map(\.command) == [RedisCommand("b")])
    let delivery = queue.replied(.null)
    #expect(delivery == .reply(to: second))
  }

  @Test func theReplyOfWhoLeftGoesToNobodyElse() {
    var queue = CommandQueue()
    let first = arrive(&queue, "a")
    let second = arrive(&queue, "b")
    _ = queue.take(upTo: 1_000)
    queue.left(first)
    queue.left(first)
    let deliveries = (1...2).map { queue.replied(.integer($0)) }
    #expect(deliveries == [.nobody(then: nil), .reply(to: second)])
  }

  @Test func whatWasTakenForSomebodyWhoLeftIsGivenBack() {
    var queue = CommandQueue()
    let leaving = LateReply.givenBack(if: "leads", by: RedisCommand("give"))
    let ids = (0..<3).map { _ in arrive(&queue, "take", leaving: leaving) }
    _ = queue.take(upTo: 1_000)
    for id in ids { queue.left(id) }
    let replies: [RedisReply] = [
      .array([.bytes(Array("leads".utf8)), .bytes(Array("7".utf8))]),
      .array([.bytes(Array("follows".utf8)), .bytes(Array("7".utf8))]),
      .error("ERR"),
    ]
    let deliveries = replies.map { queue.replied($0) }
    #expect(
      deliveries
        == [.nobody(then: RedisCommand("give", "7")), .nobody(then: nil), .nobody(then: nil)]
    )
  }

  @Test func aBreakFailsThoseWhoAreStillThereInOrder() {
    var queue = CommandQueue()
    let ids = ["a", "b", "c", "d"].map { arrive(&queue, $0) }
    _ = queue.take(upTo: 30)
    queue.left(ids[0])
    queue.left(ids[2])
    let failed = queue.broke()
    #expect(failed == [ids[1], ids[3]])
    #expect(queue.isIdle)
    let late = queue.replied(.null)
    #expect(late == .unexpected)
  }

  @Test func whatWasNotSentWaitsForTheNextConnection() {
    var queue = CommandQueue()
    let ids = ["a", "b", "c", "d"].map { arrive(&queue, $0) }
    _ = queue.take(upTo: 100)
    queue.left(ids[0])
    let failed = queue.changedOver()
    #expect(failed == [ids[1]])
    #expect(queue.take(upTo: 1_000).map(\.id) == [ids[2], ids[3]])
    let late = (0..<3).map { queue.replied(.integer($0)) }
    #expect(late == [.reply(to: ids[2]), .reply(to: ids[3]), .unexpected])
  }

  @Test func theServersTimeIsForTheConnectionAndInItsPlace() {
    var queue = CommandQueue()
    let first = arrive(&queue, "a")
    _ = queue.take(upTo: 1_000)
    queue.askedForTime(until: start + .seconds(9))
    let second = arrive(&queue, "b")
    _ = queue.take(upTo: 1_000)
    let deliveries = (1...3).map { queue.replied(.integer($0)) }
    #expect(deliveries == [.reply(to: first), .time, .reply(to: second)])
    queue.askedForTime(until: start + .seconds(9))
    #expect(queue.deadline == start + .seconds(9))
    #expect(queue.broke() == [])
  }

  @Test func theDeadlineIsThatOfTheOldestCommand() {
    var queue = CommandQueue()
    #expect(queue.deadline == nil)
    _ = arrive(&queue, "a", after: 5)
    #expect(queue.deadline == start + .seconds(5))
    _ = queue.take(upTo: 1_000)
    _ = arrive(&queue, "b", after: 3)
    #expect(queue.deadline == start + .seconds(3))
    _ = queue.replied(.null)
    _ = queue.take(upTo: 1_000)
    #expect(queue.deadline == start + .seconds(3))
    _ = queue.replied(.null)
    #expect(queue.deadline == nil)
  }

  @Test func nothingIsLostHoweverManyThereAre() {
    var queue = CommandQueue()
    var expected: [CommandID] = []
    var answered: [CommandQueue.Delivery] = []
    for number in 0..<1_000 {
      expected.append(arrive(&queue, String(number)))
      if number.isMultiple(of: 3) { _ = queue.take(upTo: 40) }
      if queue.awaitsReplies, number.isMultiple(of: 4) { answered.append(queue.replied(.null)) }
    }
    while queue.hasWaiting { _ = queue.take(upTo: 1_000) }
    while queue.awaitsReplies { answered.append(queue.replied(.null)) }
    #expect(answered == expected.map { .reply(to: $0) })
  }

  /// Where each looks for its place it takes minutes.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func allMayLeaveInTheOrderInWhichTheyCame(areSent: Bool) {
    var queue = CommandQueue()
    let ids = (0..<60_000).map { _ in arrive(&queue, "a") }
    let last = arrive(&queue, "b")
    while areSent, queue.hasWaiting { _ = queue.take(upTo: 1 << 16) }
    for id in ids { queue.left(id) }
    if areSent {
      for _ in ids where queue.replied(.null) != .nobody(then: nil) { Issue.record("awaited") }
    } else {
      #expect(queue.take(upTo: 1 << 16).map(\.id) == [last])
    }
    #expect(queue.replied(.null) == .reply(to: last))
    #expect(queue.isIdle)
  }

  @Test func whoLeavesBetweenOthersSendsNothing() {
    var queue = CommandQueue()
    let ids = ["a", "b", "c", "d", "e"].map { arrive(&queue, $0) }
    queue.left(ids[1])
    queue.left(ids[2])
    #expect(queue.take(upTo: 1).map(\.id) == [ids[0]])
    #expect(queue.take(upTo: 1_000).map(\.id) == [ids[3], ids[4]])
    let next = arrive(&queue, "f", after: 9)
    queue.left(next)
    #expect(!queue.hasWaiting)
    #expect(queue.changedOver() == [ids[0], ids[3], ids[4]])
    #expect(queue.deadline == nil)
  }

  @Test func whoNeverSubmittedLeavesNothingBehind() async {
    let mailbox = RedisMailbox()
    let id = mailbox.nextID()
    mailbox.cancel(id)
    let result = await withCheckedContinuation { waiter in
      mailbox.submit(
        .init(id: id, command: RedisCommand("a"), deadline: start, leaving: .ignored),
        for: waiter
      )
      #expect(mailbox.take(upTo: 1_000).map(\.id) == [id])
      _ = mailbox.deliver([.integer(7)], deadline: start)
    }
    #expect(result == .success(.integer(7)))
  }

  @Test func aWaitIsRoundedUpToMilliseconds() {
    let waits = [.zero, .nanoseconds(1), .milliseconds(1), .milliseconds(-5), .seconds(9)]
      .map { (wait: Duration) in RedisConnectionLoop.milliseconds(from: start, to: start + wait) }
    #expect(waits == [0, 1, 1, 0, 9_000])
    let long = RedisConnectionLoop.milliseconds(from: start, to: start + .seconds(1 << 40))
    #expect(long == 3_600_000)
  }

  /// Where the system gave no pipe, nothing tells the thread of a new command.
  @Test func aThreadThatNothingWakesWaitsForAMomentOnly() {
    let deadlines: [ContinuousClock.Instant?] = [
      nil, start + .milliseconds(5), start + .seconds(2),
    ]
    func waits(_ descriptor: Int32) -> [Int32] {
      deadlines.map { RedisConnectionLoop.timeout(from: start, to: $0, wokenThrough: descriptor) }
    }
    #expect(waits(7) == [-1, 5, 2_000])
    #expect(waits(-1) == [20, 5, 20])
  }
}
