import Testing

@testable import StreamQuery

/// What a report about the network or the app amounts to.
@Suite struct EnvironmentTransitionTests {
  private func transition(
    _ old: (online: Bool, active: Bool),
    _ new: (online: Bool, active: Bool)
  ) -> EnvironmentTransition? {
    EnvironmentTransition(
      from: Environment(now: .seconds(0), isOnline: old.online, isActive: old.active),
      to: Environment(now: .seconds(0), isOnline: new.online, isActive: new.active)
    )
  }

  @Test func aReportOfWhatIsKnownIsNoTransition() {
    for state in [(true, true), (true, false), (false, true), (false, false)] {
      #expect(transition(state, state) == nil)
    }
  }

  @Test func theNetworkIsBack() {
    #expect(transition((false, true), (true, true)) == .back(.reconnect))
    #expect(transition((false, false), (true, false)) == .back(.reconnect))
  }

  @Test func theAppIsActiveAgain() {
    #expect(transition((true, false), (true, true)) == .back(.active))
    #expect(transition((false, false), (false, true)) == .back(.active))
  }

  @Test func whatGoesAwayRefetchesNothing() {
    #expect(transition((true, true), (false, true)) == .away)
    #expect(transition((true, true), (true, false)) == .away)
    #expect(transition((true, true), (false, false)) == .away)
  }

  @Test func ifBothComeBackTheNetworkIsTheReason() {
    #expect(transition((false, false), (true, true)) == .back(.reconnect))
  }

  @Test func whatComesBackCountsMoreThanWhatGoes() {
    #expect(transition((false, true), (true, false)) == .back(.reconnect))
    #expect(transition((true, false), (false, true)) == .back(.active))
  }
}
