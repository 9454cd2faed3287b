import Testing

@testable import StreamQueryShared

/// What a fetch does next.
struct SharedRoundsTests {
  private let history = SharedHistory("h")
  private let value = SharedValue([], form: "f")

  private func version(_ number: UInt64) -> SharedVersion {
    SharedVersion(milliseconds: number, sequence: 0)
  }

  private func entry(_ number: UInt64, _ age: Duration) -> SharedEntry {
    SharedEntry(value: value, version: version(number), age: age)
  }

  private func rounds(
    maxAge: Duration? = .seconds(60),
    outdated: SharedVersion? = nil,
    rounds: Int = 2
  ) -> SharedRounds {
    SharedRounds(
      at: .zero,
      maxAge: maxAge,
      outdated: outdated,
      answerTimeout: .seconds(20),
      rounds: rounds,
      slack: .seconds(1)
    )
  }

  private func follows(_ number: UInt64, _ remaining: Duration) -> SharedBeginning {
    let position = SharedPosition(history: history, version: version(number))
    return .follows(position: position, remaining: remaining, entry: nil)
  }

  @Test func anEntryIsTakenThatIsYoungEnoughInAll() {
    let rounds = rounds()
    #expect(rounds.first == .begin(maxAge: .seconds(60)))
    #expect(rounds.accepts(entry(1, .seconds(60)), olderBy: .zero))
    #expect(!rounds.accepts(entry(1, .seconds(60)), olderBy: .nanoseconds(1)))
    #expect(!self.rounds(maxAge: nil).accepts(entry(1, .zero), olderBy: .zero))
  }

  @Test func anEntryIsNoNewsThatIsHereAlready() {
    let rounds = rounds(outdated: version(5))
    #expect(!rounds.accepts(entry(5, .zero), olderBy: .zero))
    #expect(rounds.accepts(entry(6, .zero), olderBy: .zero))
  }

  @Test func whoAsksUpstreamDoesNotTakeWhatWasAskedForBefore() {
    var rounds = rounds(maxAge: nil)
    _ = rounds.began(follows(5, .seconds(3)), at: .seconds(1))
    check(rounds.received(.silence, at: .seconds(4)), is: .begin(maxAge: nil))
    _ = rounds.began(follows(5, .seconds(3)), at: .seconds(4))
    check(rounds.received(.failed(.init("boom")), at: .seconds(5)), is: .begin(maxAge: nil))
    #expect(!rounds.accepts(entry(6, .zero), olderBy: .zero))
    // This lease was taken after it began.
    _ = rounds.began(follows(7, .seconds(3)), at: .seconds(5))
    check(rounds.received(.arrived, at: .seconds(6)), is: .begin(maxAge: .seconds(7)))
    #expect(rounds.accepts(entry(8, .zero), olderBy: .zero))
    #expect(!rounds.accepts(entry(7, .zero), olderBy: .zero))
  }

  /// The client was told of a change of which the store knows nothing.
  @Test func whatWasAskedForBeforeTheClientsInvalidationNeverWillDo() {
    var rounds = SharedRounds(
      at: .seconds(50),
      maxAge: .seconds(60),
      outdated: nil,
      leastRequest: .seconds(40),
      answerTimeout: .seconds(20),
      rounds: 2,
      slack: .seconds(1)
    )
    func accepts(
      _ number: UInt64,
      requestAge: Duration?,
      fetchedIn duration: Duration = .zero
    ) -> Bool {
      var entry = self.entry(number, .seconds(8))
      entry.requestAge = requestAge
      return rounds.accepts(entry, olderBy: .zero, fetchedIn: duration, askedAt: .seconds(50))
    }
    func expectBound() {
      #expect(accepts(6, requestAge: .seconds(10)))
      #expect(!accepts(6, requestAge: .seconds(10) + .nanoseconds(1)))
      // As late as it may have been stored.
      #expect(accepts(6, requestAge: nil, fetchedIn: .seconds(1)))
      #expect(!accepts(6, requestAge: nil, fetchedIn: .seconds(1) + .nanoseconds(1)))
    }
    expectBound()
    // Also if it was stored while it waits, and after a round was lost.
    _ = rounds.began(follows(5, .seconds(3)), at: .seconds(50))
    _ = rounds.received(.arrived, at: .seconds(50))
    expectBound()
    _ = rounds.lost(at: .seconds(50))
    expectBound()
  }

  @Test func whatIsStoredWhileItWaitsWillDo() {
    var rounds = rounds(maxAge: .zero)
    let position = SharedPosition(history: history, version: version(5))
    check(
      rounds.began(follows(5, .seconds(3)), at: .seconds(1)),
      is: .follow(position, until: .seconds(4))
    )
    check(rounds.received(.arrived, at: .seconds(2)), is: .begin(maxAge: .seconds(3)))
    #expect(rounds.accepts(entry(6, .seconds(100)), olderBy: .seconds(100)))
    #expect(!rounds.accepts(entry(5, .seconds(1)), olderBy: .zero))
  }

  @Test func patienceEnds() {
    var rounds = rounds()
    let position = SharedPosition(history: history, version: version(5))
    let step = rounds.began(follows(5, .seconds(1_000)), at: .seconds(19))
    #expect(step == .follow(position, until: .seconds(20)))
    check(rounds.received(.free, at: .seconds(20)), is: .alone(.impatient))
    check(rounds.began(follows(5, .seconds(1)), at: .seconds(20)), is: .alone(.impatient))
  }

  @Test func patienceIsUpToHalfAsLongAgain() {
    for (chance, seconds) in [(0.0, 20.0), (0.5, 25), (0.9999999999, 30)] {
      var rounds = SharedRounds(
        at: .zero,
        maxAge: nil,
        outdated: nil,
        answerTimeout: .seconds(20),
        chance: chance,
        rounds: 2,
        slack: .seconds(1)
      )
      let step = rounds.began(follows(5, .seconds(1_000)), at: .zero)
      guard case .follow(_, let end) = step else { Issue.record("\(step)"); continue }
      #expect(abs(end / .seconds(1) - seconds) < 0.001)
    }
  }

  @Test func aLeaseThatIsOverDoesNotMakeItAskWithoutEnd() {
    var rounds = rounds()
    let position = SharedPosition(history: history, version: version(5))
    let step = rounds.began(follows(5, .seconds(-5)), at: .zero)
    #expect(step == .follow(position, until: .milliseconds(10)))
  }

  @Test func theLeadersFailureIsItsOwn() {
    var rounds = rounds()
    _ = rounds.began(follows(5, .seconds(1)), at: .zero)
    let report = SharedFailure.Report("boom", code: "b")
    check(rounds.received(.failed(report), at: .zero), is: .fail(report))
    check(rounds.received(.unshareable, at: .zero), is: .alone(.unshareable))
    check(rounds.received(.silence, at: .zero), is: .begin(maxAge: .seconds(60)))
    check(rounds.received(.free, at: .zero), is: .begin(maxAge: .seconds(60)))
  }

  @Test func lostRoundsAreBounded() {
    var rounds = rounds()
    check(rounds.lost(at: .seconds(1)), is: .begin(maxAge: .seconds(60)))
    check(rounds.unusable(entry(1, .zero)), is: .begin(maxAge: nil))
    check(rounds.lost(at: .seconds(1)), is: nil)
    check(rounds.lost(at: .seconds(1), taken: version(1)), is: .alone(.outdated))
    check(rounds.unusable(entry(1, .zero)), is: .alone(.outdated))
  }

  @Test func afterAnEntryThatIsNoAnswerOnlyAYoungerOneIsAskedFor() {
    var rounds = rounds()
    let age = Duration.seconds(3) - .microseconds(1)
    check(rounds.unusable(entry(5, .seconds(3))), is: .begin(maxAge: age))
  }

  @Test func anEntryThatWasOutdatedIsNotTakenAgain() {
    var rounds = rounds()
    check(rounds.lost(at: .seconds(1), taken: version(5)), is: .begin(maxAge: .seconds(60)))
    #expect(!rounds.accepts(entry(5, .zero), olderBy: .zero))
    #expect(rounds.accepts(entry(6, .zero), olderBy: .zero))
  }

  @Test func aLeaderThatWasTooLateTakesWhatWasStoredSinceItBegan() {
    var rounds = rounds(maxAge: nil)
    check(rounds.lost(at: .seconds(3)), is: .begin(maxAge: .seconds(3)))
  }
}
