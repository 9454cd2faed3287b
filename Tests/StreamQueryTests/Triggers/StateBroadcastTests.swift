import Testing

@testable import StreamQuery

/// N01, X28, T80, T81: who hears which state, decided without waiting for anything.
@Suite struct StateBroadcastTests {
  private typealias Action = StateBroadcast.Action
  private typealias RunID = StateBroadcast.RunID

  private let firstRun = RunID(rawValue: 0)
  private let secondRun = RunID(rawValue: 1)

  @Test func theFirstSubscriberStartsTheSourceAndTheLastStopsIt() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed()
    let grace = broadcast.subscribed()
    #expect(ada.actions == [.start(firstRun)])
    #expect(grace.actions == [])
    #expect(broadcast.left(ada.id) == [])
    #expect(broadcast.left(grace.id) == [.stop(firstRun)])
    #expect(broadcast.subscribed().actions == [.start(secondRun)])
  }

  @Test func nobodyHearsAnythingBeforeTheFirstReport() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let wait = waiting(&broadcast, ada)
    #expect(broadcast.reported(false, by: firstRun) == [.resume(wait, false)])
  }

  @Test func whoComesLaterHearsThePresentStateFirst() {
    var broadcast = StateBroadcast()
    _ = broadcast.subscribed()
    _ = broadcast.reported(true, by: firstRun)
    _ = broadcast.reported(false, by: firstRun)
    let late = broadcast.subscribed().id
    #expect(broadcast.asked(by: late) == .state(false))
    expectNothingNew(&broadcast, late)
  }

  @Test func equalStatesInARowAreHeardOnce() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    _ = broadcast.reported(true, by: firstRun)
    #expect(broadcast.asked(by: ada) == .state(true))
    let wait = waiting(&broadcast, ada)
    #expect(broadcast.reported(true, by: firstRun) == [])
    #expect(broadcast.reported(false, by: firstRun) == [.resume(wait, false)])
  }

  @Test func everySubscriberIsResumedInTheOrderOfArrival() {
    var broadcast = StateBroadcast()
    let waits = (0..<5).map { _ in waiting(&broadcast, broadcast.subscribed().id) }
    #expect(broadcast.reported(true, by: firstRun) == waits.map { Action.resume($0, true) })
  }

  @Test func aReturnBetweenTwoReadsIsNotLost() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    _ = broadcast.reported(true, by: firstRun)
    #expect(broadcast.asked(by: ada) == .state(true))
    for _ in 0..<3 {
      _ = broadcast.reported(false, by: firstRun)
      _ = broadcast.reported(true, by: firstRun)
    }
    #expect(broadcast.asked(by: ada) == .state(false))
    #expect(broadcast.asked(by: ada) == .state(true))
    expectNothingNew(&broadcast, ada)
  }

  @Test func aReturnBeforeTheFirstReadIsNotLost() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    for state in [true, false, true, false, true] {
      _ = broadcast.reported(state, by: firstRun)
    }
    #expect(broadcast.asked(by: ada) == .state(true))
    #expect(broadcast.asked(by: ada) == .state(false))
    #expect(broadcast.asked(by: ada) == .state(true))
    expectNothingNew(&broadcast, ada)
  }

  /// Walks every run of eight states and every place to read in it.
  @Test func aSlowReaderHearsAlternatingStatesThatEndWithThePresentOne() {
    for pattern in 0..<256 {
      for readAfter in 0...8 {
        var broadcast = StateBroadcast()
        let ada = broadcast.subscribed().id
        let states = (0..<8).map { pattern >> $0 & 1 == 1 }
        var heard: [Bool] = []
        for (index, state) in states.enumerated() {
          if index == readAfter { heard += drained(&broadcast, ada) }
          _ = broadcast.reported(state, by: firstRun)
        }
        let rest = drained(&broadcast, ada)
        heard += rest
        let trace = "states \(states), read after \(readAfter), heard \(heard)"
        #expect(rest.count <= 3, "\(trace)")
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 }, "\(trace)")
        #expect(heard.first == states.first, "\(trace)")
        #expect(heard.last == states.last, "\(trace)")
        // No fall or return is lost where there was one.
        #expect(heard.contains(true) == states.contains(true), "\(trace)")
        #expect(heard.contains(false) == states.contains(false), "\(trace)")
      }
    }
  }

  @Test func aReportOfAnEarlierRunChangesNothing() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    _ = broadcast.left(ada)
    let grace = broadcast.subscribed().id
    let before = broadcast
    #expect(broadcast.reported(false, by: firstRun) == [])
    #expect(broadcast == before)
    expectNothingNew(&broadcast, grace)
  }

  @Test func aStateIsForgottenWhenNobodyListens() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    _ = broadcast.reported(false, by: firstRun)
    _ = broadcast.left(ada)
    let grace = broadcast.subscribed().id
    expectNothingNew(&broadcast, grace)
    _ = broadcast.reported(true, by: secondRun)
    #expect(broadcast.asked(by: grace) == .state(true))
  }

  @Test func leavingEndsEveryWait() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let first = waiting(&broadcast, ada)
    let second = waiting(&broadcast, ada)
    #expect(
      broadcast.left(ada) == [.resume(first, nil), .resume(second, nil), .stop(firstRun)]
    )
    #expect(broadcast.asked(by: ada) == .finished)
  }

  @Test func leavingTwiceIsLeavingOnce() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let grace = broadcast.subscribed().id
    #expect(broadcast.left(ada) == [])
    #expect(broadcast.left(ada) == [])
    #expect(broadcast.subscriberCount == 1)
    #expect(broadcast.left(grace) == [.stop(firstRun)])
    #expect(broadcast.left(grace) == [])
  }

  @Test func aReportBetweenTheQuestionAndTheWaitEndsTheWait() throws {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let wait = try #require(asked(&broadcast, ada))
    #expect(broadcast.reported(true, by: firstRun) == [])
    #expect(broadcast.waited(wait, by: ada) == [.resume(wait, true)])
  }

  @Test func leavingBetweenTheQuestionAndTheWaitEndsTheWait() throws {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let wait = try #require(asked(&broadcast, ada))
    #expect(broadcast.left(ada) == [.stop(firstRun)])
    #expect(broadcast.waited(wait, by: ada) == [.resume(wait, nil)])
  }

  @Test func twoWaitsOfOneSubscriberShareTheStates() {
    var broadcast = StateBroadcast()
    let ada = broadcast.subscribed().id
    let first = waiting(&broadcast, ada)
    let second = waiting(&broadcast, ada)
    #expect(broadcast.reported(true, by: firstRun) == [.resume(first, true)])
    #expect(broadcast.reported(false, by: firstRun) == [.resume(second, false)])
  }

  private func asked(
    _ broadcast: inout StateBroadcast,
    _ id: StateBroadcast.SubscriberID
  ) -> StateBroadcast.WaitID? {
    guard case .wait(let wait) = broadcast.asked(by: id) else { return nil }
    return wait
  }

  /// Asks and waits, where nothing is there to read yet.
  private func waiting(
    _ broadcast: inout StateBroadcast,
    _ id: StateBroadcast.SubscriberID,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> StateBroadcast.WaitID {
    guard let wait = asked(&broadcast, id) else {
      Issue.record("there was something to read", sourceLocation: sourceLocation)
      return StateBroadcast.WaitID(rawValue: -1)
    }
    #expect(broadcast.waited(wait, by: id) == [], sourceLocation: sourceLocation)
    return wait
  }

  private func expectNothingNew(
    _ broadcast: inout StateBroadcast,
    _ id: StateBroadcast.SubscriberID,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(asked(&broadcast, id) != nil, sourceLocation: sourceLocation)
  }

  private func drained(
    _ broadcast: inout StateBroadcast,
    _ id: StateBroadcast.SubscriberID
  ) -> [Bool] {
    var states: [Bool] = []
    while case .state(let state) = broadcast.asked(by: id) { states.append(state) }
    return states
  }
}
