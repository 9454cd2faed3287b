import Testing

@testable import StreamQuerySharedTesting

/// The judge of a network: for each promise histories that keep it, and others that break it by a millisecond.
struct NetworkJudgeTests {
  typealias Broken = [NetworkReport.Promise: Int]

  var judge = NetworkJudge(
    nodes: 3,
    keys: 2,
    bounds: NetworkJudge.Bounds(
      stale: .seconds(10),
      trust: .seconds(5),
      flight: .seconds(3),
      hearing: .seconds(1),
      period: .seconds(20),
      alone: .seconds(4),
      answerTimeout: .seconds(8)
    )
  )

  /// A call of the first node for the first key that takes no time.
  mutating func call(at time: Int, sees version: Int?, on node: Int = 0) {
    let now = Duration.milliseconds(time)
    let call = judge.began(0, on: node, at: now)
    judge.ended(call, with: version, at: now)
  }

  mutating func ask(at time: Int, by node: Int = 0, key: Int = 0) {
    judge.asked(key, by: node, at: .milliseconds(time))
  }

  @discardableResult
  mutating func change(at time: Int) -> Int { judge.changed(0, at: .milliseconds(time)) }

  mutating func invalidate(at time: Int) { judge.invalidated(0, at: .milliseconds(time)) }

  mutating func disturb(_ nodes: Range<Int>, until time: Int) {
    judge.disturbed(nodes, until: .milliseconds(time))
  }

  // MARK: One request

  @Test(arguments: zip([21_000, 20_999], [[:], [.oneRequest: 1]] as [Broken]))
  mutating func upstreamIsAskedOnceInAPeriod(_ time: Int, _ broken: Broken) {
    ask(at: 1_000)
    ask(at: time, by: 1)
    #expect(judge.faults == broken)
  }

  @Test mutating func eachKeyHasItsRequest() {
    ask(at: 1_000)
    ask(at: 1_000, key: 1)
    #expect(judge.faults == [:])
  }

  @Test(arguments: zip([4_000, 2_000, 1_999], [[:], [:], [.oneRequest: 1]] as [Broken]))
  mutating func anInvalidationAllowsAnotherRequest(_ told: Int, _ broken: Broken) {
    // The second may have been told before the first one's lease ended.
    invalidate(at: told)
    ask(at: 3_000)
    ask(at: 5_000, by: 1)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([5_000, 4_999], [[:], [.oneRequest: 1]] as [Broken]))
  mutating func whoIsDisturbedMayAskAgain(_ end: Int, _ broken: Broken) {
    disturb(1..<2, until: end)
    ask(at: 3_000)
    ask(at: 5_000, by: 1)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([3_000, 2_999], [[:], [.oneRequest: 1]] as [Broken]))
  mutating func othersMayAskAfterWhoWasDisturbed(_ end: Int, _ broken: Broken) {
    disturb(0..<1, until: end)
    ask(at: 3_000)
    ask(at: 5_000, by: 1)
    #expect(judge.faults == broken)
  }

  @Test mutating func aRequestIsJudgedUnlessAFaultExcusesIt() {
    let judged = [(3, 0), (4, 1), (30, 0), (31, 1), (41, 0), (61, 0)].map { time, node in
      judge.asked(0, by: node, at: .seconds(time))
    }
    // The second one breaks the promise.
    #expect(judged == [true, true, true, true, true, true])
    #expect(judge.faults == [.oneRequest: 3])
    disturb(0..<1, until: 80_000)
    let later = [(70, 1), (80, 0), (80, 1), (81, 1)].map { time, node in
      judge.asked(0, by: node, at: .seconds(time))
    }
    #expect(later == [false, false, false, true])
    #expect(judge.faults == [.oneRequest: 4])
  }

  @Test mutating func aRequestBeforeAFaultMayBeLost() {
    ask(at: 3_000)
    disturb(0..<1, until: 4_000)
    ask(at: 5_000, by: 1)
    #expect(judge.faults == [:])
  }

  // MARK: Stale time

  @Test(arguments: zip([15_000, 15_001], [[:], [.staleTime: 1]] as [Broken]))
  mutating func dataMayBeOldForTheStaleTime(_ time: Int, _ broken: Broken) {
    change(at: 5_000)
    call(at: time, sees: 0)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([1, 2, 0], [[:], [:], [.staleTime: 1]] as [Broken]))
  mutating func theAgeIsThatOfTheNextVersion(_ version: Int, _ broken: Broken) {
    change(at: 5_000)
    change(at: 14_000)
    call(at: 16_000, sees: version)
    #expect(judge.faults == broken)
  }

  @Test mutating func ageCountsFromTheBeginningOfTheCall() {
    change(at: 5_000)
    let slow = judge.began(0, on: 0, at: .seconds(14))
    judge.ended(slow, with: 0, at: .seconds(18))
    #expect(judge.faults == [:])
  }

  // MARK: Invalidation

  @Test(arguments: zip([7_000, 7_001], [[:], [.invalidation: 1]] as [Broken]))
  mutating func anInvalidationIsSeenByWhoHears(_ time: Int, _ broken: Broken) {
    change(at: 5_000)
    invalidate(at: 6_000)
    call(at: time, sees: 0)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([11_000, 11_001], [[:], [.invalidation: 1]] as [Broken]))
  mutating func whoIsDeafSeesItWhenItsTrustIsOver(_ time: Int, _ broken: Broken) {
    disturb(0..<1, until: 60_000)
    change(at: 5_000)
    invalidate(at: 6_000)
    call(at: time, sees: 0)
    #expect(judge.faults == broken)
  }

  mutating func land(_ version: Int, at time: Int, on node: Int = 0) {
    judge.landed(version, of: 0, node: node, at: .milliseconds(time))
  }

  @Test(arguments: zip([13_000, 13_001], [[:], [.invalidation: 1]] as [Broken]))
  mutating func whoIsDeafTrustsFromWhatLandedAfterAnInvalidation(_ time: Int, _ broken: Broken) {
    disturb(0..<1, until: 60_000)
    change(at: 5_000)
    invalidate(at: 6_000)
    land(0, at: 8_000)
    call(at: time, sees: 0)
    #expect(judge.faults == broken)
  }

  @Test(
    arguments: [(0, 5_500, 0), (1, 8_000, 0), (0, 8_000, 1)],
    zip([11_000, 11_001], [[:], [.invalidation: 1]] as [Broken]).map { ($0, $1) }
  )
  mutating func anotherLandingAddsNoTrust(
    _ landing: (version: Int, time: Int, node: Int),
    _ call: (time: Int, broken: Broken)
  ) {
    disturb(0..<1, until: 60_000)
    change(at: 5_000)
    invalidate(at: 6_000)
    land(landing.version, at: landing.time, on: landing.node)
    self.call(at: call.time, sees: 0)
    #expect(judge.faults == call.broken)
  }

  @Test mutating func whoHearsTrustsNothingThatLandedAfterAnInvalidation() {
    change(at: 5_000)
    invalidate(at: 6_000)
    land(0, at: 8_000)
    call(at: 8_000, sees: 0)
    #expect(judge.faults == [.invalidation: 1])
  }

  @Test(arguments: zip([9_000, 9_001], [[:], [.invalidation: 1]] as [Broken]))
  mutating func anOutdatedAnswerLandsIfItWasUnderWay(_ time: Int, _ broken: Broken) {
    change(at: 5_000)
    invalidate(at: 6_000)
    land(0, at: time)
    land(1, at: 60_000)
    #expect(judge.faults == broken)
  }

  @Test mutating func whoBecomesDeafDuringACallCountsAsDeaf() {
    change(at: 5_000)
    invalidate(at: 6_000)
    let call = judge.began(0, on: 0, at: .seconds(8))
    disturb(0..<1, until: 60_000)
    judge.ended(call, with: 0, at: .seconds(9))
    #expect(judge.faults == [:])
  }

  @Test mutating func whoHearsAgainDuringACallCountsAsDeaf() {
    disturb(0..<1, until: 60_000)
    change(at: 5_000)
    invalidate(at: 6_000)
    let call = judge.began(0, on: 0, at: .seconds(8))
    judge.healed(0..<1, until: .milliseconds(7_900))
    judge.ended(call, with: 0, at: .seconds(9))
    #expect(judge.faults == [:])
  }

  @Test(arguments: zip([8_000, 7_999], [[:], [.invalidation: 1]] as [Broken]))
  mutating func healingEndsTheExcuse(_ end: Int, _ broken: Broken) {
    disturb(0..<1, until: 60_000)
    judge.healed(0..<1, until: .milliseconds(end))
    change(at: 5_000)
    invalidate(at: 6_000)
    call(at: 8_000, sees: 0)
    #expect(judge.faults == broken)
  }

  @Test mutating func healingDisturbsNobody() {
    judge.healed(0..<3, until: .seconds(60))
    change(at: 5_000)
    invalidate(at: 6_000)
    call(at: 8_000, sees: 0)
    #expect(judge.faults == [.invalidation: 1])
  }

  @Test mutating func aShorterDisturbanceEndsNoLongerOne() {
    disturb(0..<1, until: 60_000)
    disturb(0..<1, until: 3_000)
    change(at: 5_000)
    invalidate(at: 6_000)
    call(at: 8_000, sees: 0)
    #expect(judge.faults == [:])
  }

  @Test mutating func anInvalidationEndsAllVersionsBefore() {
    change(at: 5_000)
    change(at: 6_000)
    invalidate(at: 7_000)
    call(at: 9_000, sees: 0)
    call(at: 9_000, sees: 1, on: 1)
    call(at: 9_000, sees: 2, on: 2)
    #expect(judge.faults == [.invalidation: 2])
  }

  @Test mutating func theFirstInvalidationOfAVersionCounts() {
    change(at: 5_000)
    invalidate(at: 6_000)
    change(at: 8_000)
    invalidate(at: 9_000)
    call(at: 8_500, sees: 0)
    call(at: 9_500, sees: 1, on: 1)
    #expect(judge.faults == [.invalidation: 1])
  }

  @Test(arguments: zip([6_000, 6_001], [[:], [.invalidation: 1]] as [Broken]))
  mutating func whatTheStoreForgotIsNotPromised(_ since: Int, _ broken: Broken) {
    change(at: 5_000)
    invalidate(at: 6_000)
    judge.forgot(since: .milliseconds(since))
    call(at: 8_000, sees: 0)
    #expect(judge.faults == broken)
  }

  // MARK: Never back

  @Test mutating func aNodeNeverGoesBack() {
    change(at: 5_000)
    call(at: 5_100, sees: 1)
    call(at: 5_200, sees: 1)
    #expect(judge.faults == [:])
    call(at: 5_300, sees: 0)
    #expect(judge.faults == [.neverBack: 1])
  }

  @Test mutating func callsAtTheSameTimeMayEndInAnyOrder() {
    change(at: 5_000)
    let early = judge.began(0, on: 0, at: .milliseconds(5_100))
    call(at: 5_200, sees: 1)
    judge.ended(early, with: 0, at: .milliseconds(5_300))
    #expect(judge.faults == [:])
    // Even then the higher one is what the node knows.
    call(at: 5_400, sees: 0)
    #expect(judge.faults == [.neverBack: 1])
  }

  @Test mutating func nodesAndKeysKnowNothingOfEachOther() {
    change(at: 5_000)
    call(at: 5_100, sees: 1)
    call(at: 5_200, sees: 0, on: 1)
    let other = judge.began(1, on: 0, at: .milliseconds(5_300))
    judge.ended(other, with: 0, at: .milliseconds(5_300))
    #expect(judge.faults == [:])
  }

  @Test mutating func aNodeKnowsWhatItChanged() {
    let version = change(at: 5_000)
    judge.knows(version, of: 0, node: 0)
    call(at: 5_100, sees: 0)
    #expect(judge.faults == [.neverBack: 1])
  }

  // MARK: Answers in time

  @Test(
    arguments: [0, nil],
    zip([9_000, 9_001], [[:], [.answersInTime: 1]] as [Broken]).map { ($0, $1) }
  )
  mutating func aCallEndsInTime(_ version: Int?, _ end: (time: Int, broken: Broken)) {
    let call = judge.began(0, on: 0, at: .seconds(1))
    judge.ended(call, with: version, at: .milliseconds(end.time))
    #expect(judge.faults == end.broken)
  }

  // MARK: Converges

  @Test(arguments: zip([1, 0, nil], [[:], [.converges: 1], [.converges: 1]] as [Broken]))
  mutating func inTheEndAllHaveTheLastVersion(_ version: Int?, _ broken: Broken) {
    change(at: 5_000)
    judge.converged(0, on: 2, with: version)
    #expect(judge.faults == broken)
  }

  // MARK: No herd

  // Two keys.
  @Test(arguments: zip([15, 16], [[:], [.noHerd: 1]] as [Broken]))
  mutating func aReturnCostsARequestForEachKeyAndChangeMore(_ requests: Int, _ broken: Broken) {
    let second = NetworkJudge.Second(shared: requests, alone: 0, changes: 3)
    judge.returned(second, usual: 10, haveNoticed: true)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([false, true], [[:], [.noHerd: 1]] as [Broken]))
  mutating func nobodyAsksAloneWhoHasNoticedTheReturn(_ haveNoticed: Bool, _ broken: Broken) {
    let second = NetworkJudge.Second(shared: 0, alone: 1, changes: 0)
    judge.returned(second, usual: 10, haveNoticed: haveNoticed)
    #expect(judge.faults == broken)
  }

  mutating func askAlone(at time: Int, by node: Int = 0, key: Int = 0) {
    judge.askedAlone(key, by: node, at: .milliseconds(time))
  }

  @Test(arguments: zip([7_000, 6_999], [[:], [.noHerd: 1]] as [Broken]))
  mutating func whoAsksAloneAsksOnceForItsTrust(_ time: Int, _ broken: Broken) {
    askAlone(at: 3_000)
    askAlone(at: 3_500, by: 1)
    askAlone(at: 3_500, key: 1)
    askAlone(at: time)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([3_000, 2_999], [[:], [.noHerd: 1]] as [Broken]))
  mutating func whoHasChangedWhatItGotMayAskAgain(_ change: Int, _ broken: Broken) {
    for (key, node, time) in [(0, 0, change), (0, 1, 3_500), (1, 0, 3_500)] {
      judge.changes(key, by: node)
      judge.tried(key, by: node, at: .milliseconds(time))
    }
    askAlone(at: 3_000)
    askAlone(at: 4_000)
    #expect(judge.faults == broken)
  }

  @Test mutating func whoChangesWhatItGotMayAskAgainUntilTheLastChangeIsOver() {
    for _ in 0..<2 { judge.changes(0, by: 0) }
    askAlone(at: 3_000)
    askAlone(at: 3_500)
    judge.tried(0, by: 0, at: .milliseconds(3_600))
    askAlone(at: 3_700)
    askAlone(at: 3_800)
    #expect(judge.faults == [:])
    judge.tried(0, by: 0, at: .milliseconds(3_900))
    askAlone(at: 4_000)
    #expect(judge.faults == [:])
    askAlone(at: 4_100)
    #expect(judge.faults == [.noHerd: 1])
  }

  @Test(arguments: zip([3_000, 2_999], [[:], [.noHerd: 1]] as [Broken]))
  mutating func whoHasReachedTheStoreMayAskAgain(_ time: Int, _ broken: Broken) {
    judge.reached(by: 0, at: .milliseconds(time))
    judge.reached(by: 1, at: .milliseconds(3_500))
    askAlone(at: 3_000)
    askAlone(at: 4_000)
    #expect(judge.faults == broken)
  }

  @Test(arguments: zip([3_000, 3_001], [[:], [.noHerd: 1]] as [Broken]))
  mutating func whoAskedAloneForNothingMayAskAgain(_ asked: Int, _ broken: Broken) {
    askAlone(at: 3_000)
    judge.gotNothing(0, by: 0, askedAt: .milliseconds(asked))
    askAlone(at: 4_000)
    #expect(judge.faults == broken)
  }

  // MARK: Upstream fails, and observers

  @Test(arguments: zip([3_000, 3_001], [[:], [.oneRequest: 1]] as [Broken]))
  mutating func aRequestThatBroughtNothingMayBeRepeated(_ asked: Int, _ broken: Broken) {
    ask(at: 3_000)
    judge.gotNothing(0, by: 0, askedAt: .milliseconds(asked))
    ask(at: 4_000, by: 1)
    #expect(judge.faults == broken)
  }

  @Test mutating func anObserverNeverGoesBack() {
    for (version, former) in [(1, nil), (1, 1), (2, 1)] as [(Int, Int?)] {
      judge.observed(version, after: former, of: 0, node: 0)
    }
    #expect(judge.faults == [:])
    judge.observed(0, after: 1, of: 0, node: 0)
    #expect(judge.faults == [.neverBack: 1])
  }

  // MARK: What it says

  @Test mutating func everyFaultIsCountedAndTheFirstTwentyAreTold() {
    for _ in 0..<25 { judge.converged(0, on: 1, with: nil) }
    #expect(judge.faults == [.converges: 25])
    let text = "converges: key 0 on 1 was no version of 0 in the end"
    #expect(judge.examples == Array(repeating: text, count: 20))
  }
}
