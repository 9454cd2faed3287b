import Testing

@testable import StreamQuery

/// What a report about the network or the app amounts to.
struct EnvironmentTransitionTests {
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
      expectNil(transition(state, state))
    }
  }

  @Test func theNetworkIsBack() {
    expectEqual(transition((false, true), (true, true)), .back(.reconnect))
    expectEqual(transition((false, false), (true, false)), .back(.reconnect))
  }

  @Test func theAppIsActiveAgain() {
    expectEqual(transition((true, false), (true, true)), .back(.active))
    expectEqual(transition((false, false), (false, true)), .back(.active))
  }

  @Test func whatGoesAwayRefetchesNothing() {
    expectEqual(transition((true, true), (false, true)), .away)
    expectEqual(transition((true, true), (true, false)), .away)
    expectEqual(transition((true, true), (false, false)), .away)
  }

  @Test func ifBothComeBackTheNetworkIsTheReason() {
    expectEqual(transition((false, false), (true, true)), .back(.reconnect))
  }

  @Test func whatComesBackCountsMoreThanWhatGoes() {
    expectEqual(transition((false, true), (true, false)), .back(.reconnect))
    expectEqual(transition((true, false), (false, true)), .back(.active))
  }
}
