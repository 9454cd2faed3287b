import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct PresenceTests {
  private final class Member: PresenceMember {
    private let name: String
    private let log: Log
    private(set) var queryEnvironment = QueryEnvironment()

    init(_ name: String, _ log: Log) { (self.name, self.log) = (name, log) }

    func asked(in queryEnvironment: QueryEnvironment) {
      move(from: self.queryEnvironment.gate, to: queryEnvironment.gate)
      self.queryEnvironment = queryEnvironment
    }

    func presenceChanged() { log.lines.append("\(name) \(queryEnvironment.observesNow)") }
  }

  private final class Log {
    var lines: [String] = []

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private func within(_ presence: Presence) -> QueryEnvironment {
    var queryEnvironment = QueryEnvironment()
    queryEnvironment.presence = presence
    return queryEnvironment
  }

  private func draw(_ presence: Presence, _ period: ObservationPeriod, in outer: Presence? = nil) {
    _ = draw(presence, period, in: outer.map(within) ?? QueryEnvironment())
  }

  private func draw(
    _ presence: Presence,
    _ period: ObservationPeriod,
    in queryEnvironment: QueryEnvironment
  ) -> Bool {
    presence.updated(observing: period, in: queryEnvironment)
    return presence.isObserving()
  }

  private func hide(_ presence: Presence, _ simulation: Simulation) {
    presence.disappeared(of: nil)
    simulation.settle()
  }

  /// A presence does not retain its members, and optimised code releases them after their last use.
  private func keep(_ members: [Member]) { withExtendedLifetime(members) {} }

  @Test func membersAreToldInOrderWhenWhatTheyMayDoChanges() {
    Simulation.onMainActor { simulation in
      for (period, expected) in [
        (ObservationPeriod.always, [[], [], []]),
        (.onRender, [[], ["a false", "b false"], ["a true", "b true"]]),
        (.onAppear, [["a true", "b true"], ["a false", "b false"], ["a true", "b true"]]),
      ] {
        let (presence, log) = (Presence(), Log())
        draw(presence, period)
        let members = [Member("a", log), Member("b", log)]
        for member in members { member.asked(in: within(presence)) }
        var told: [[String]] = []
        presence.appeared()
        told.append(log.take())
        hide(presence, simulation)
        told.append(log.take())
        presence.appeared()
        told.append(log.take())
        expectEqual(told, expected)
        keep(members)
      }
    }
  }

  @Test func aModifierWithinPassesOnWhatTheOuterOneSays() {
    Simulation.onMainActor { simulation in
      let (outer, inner, log) = (Presence(), Presence(), Log())
      draw(outer, .onRender)
      draw(inner, .onAppear, in: outer)
      let member = Member("a", log)
      member.asked(in: within(inner))
      inner.appeared()
      outer.appeared()
      expectEqual(log.take(), ["a true"])
      hide(outer, simulation)
      expectEqual(log.take(), ["a false"])
      hide(inner, simulation)
      expectEqual(log.take(), ["a false"])
      // Hidden itself: the outer one cannot show it.
      outer.appeared()
      expectEqual(log.take(), [])
      inner.appeared()
      expectEqual(log.take(), ["a true"])
      keep([member])
    }
  }

  @Test func membersAreToldToStopWhenTheModifierIsDrawnWithAnotherAnswer() {
    Simulation.onMainActor { simulation in
      let (presence, log) = (Presence(), Log())
      draw(presence, .onAppear)
      presence.appeared()
      let member = Member("a", log)
      member.asked(in: within(presence))
      var paused = QueryEnvironment()
      (paused.observes, paused.isExplicit) = (false, true)
      expect(!draw(presence, .onAppear, in: paused))
      expectEqual(log.take(), ["a false"])
      expect(!draw(presence, .onAppear, in: paused))
      expectEqual(log.take(), [])
      // To begin, they are drawn.
      expect(draw(presence, .onAppear, in: QueryEnvironment()))
      expectEqual(log.take(), [])
      keep([member])
    }
  }

  @Test func contentThatEmptiesInTheTurnOfItsReturnStaysShown() {
    Simulation.onMainActor { simulation in
      let (presence, log) = (Presence(), Log())
      let client = QueryClient(simulation: simulation)
      draw(presence, .onRender)
      presence.appeared()
      hide(presence, simulation)
      // In one turn: drawn as a hidden one, back, changed and empty.
      draw(presence, .onRender)
      presence.appeared()
      let member = Member("a", log)
      member.asked(in: within(presence))
      presence.changed(of: client)
      presence.changeWasRead()
      presence.disappeared(of: client)
      simulation.settle()
      expect(log.take() == [] && presence.isPresent)
      keep([member])
    }
  }

  /// A body does nothing but answer, so it may be evaluated as often as a system likes.
  @Test func readingChangesNothingInTheTurnInWhichABodyReads() {
    Simulation.onMainActor { simulation in
      let (presence, log) = (Presence(), Log())
      let client = QueryClient(simulation: simulation)
      draw(presence, .onRender)
      let member = Member("a", log)
      member.asked(in: within(presence))
      presence.appeared()
      // Gone with a change, in a later turn: hidden when the doubt is over.
      presence.changed(of: client)
      simulation.settle()
      hide(presence, simulation)
      simulation.advance(by: .seconds(4))
      expectEqual(log.take(), ["a false"])
      // Drawn because it is hidden, then updated alone.
      draw(presence, .onRender)
      simulation.settle()
      presence.updated(observing: .onRender, in: QueryEnvironment())
      simulation.settle()
      expectEqual(log.take(), [])
      // Drawn for another reason: it observes from the end of the turn on.
      for _ in 0..<3 { draw(presence, .onRender) }
      expect(log.take() == [] && !presence.isObserving())
      simulation.settle()
      expect(log.take() == ["a true"] && presence.isObserving())
      keep([member])
    }
  }

  @Test func whatTheEnvironmentSaysInsideCountsMore() {
    Simulation.onMainActor { simulation in
      let (presence, log) = (Presence(), Log())
      draw(presence, .onAppear)
      let member = Member("a", log)
      var queryEnvironment = within(presence)
      (queryEnvironment.observes, queryEnvironment.isExplicit) = (true, true)
      member.asked(in: queryEnvironment)
      presence.appeared()
      hide(presence, simulation)
      expect(log.take() == [] && member.queryEnvironment.observesNow)
      // Said no longer.
      member.asked(in: within(presence))
      expect(!member.queryEnvironment.observesNow)
      presence.appeared()
      expectEqual(log.take(), ["a true"])
      keep([member])
    }
  }

  @Test func membersAreNotRetainedAndThoseThatAreGoneLeave() throws {
    let (presence, other, log) = (Presence(), Presence(), Log())
    draw(presence, .onAppear)
    draw(other, .onAppear)
    let stays = Member("stays", log)
    stays.asked(in: within(presence))
    weak var last: Member?
    for _ in 0..<1_000 {
      let member = Member("goes", log)
      member.asked(in: within(presence))
      last = member
    }
    expectNil(last)
    let scope = try #require(presence.scope)
    #expect(scope.memberCount <= 8)
    presence.appeared()
    expectEqual(log.take(), ["stays true"])
    // What goes over to another modifier is told by that one only.
    for _ in 0..<100 {
      stays.asked(in: within(other))
      stays.asked(in: within(presence))
    }
    stays.asked(in: within(other))
    expect(scope.memberCount == 0 && other.scope?.memberCount == 1)
    other.appeared()
    expectEqual(log.take(), ["stays true"])
    keep([stays])
  }

  @Test func neitherModifiersNorTheirMembersRetainEachOther() {
    weak var released: Presence?
    weak var releasedInner: Presence?
    do {
      let (outer, inner) = (Presence(), Presence())
      draw(outer, .onAppear)
      draw(inner, .onAppear, in: outer)
      let member = Member("a", Log())
      member.asked(in: within(inner))
      outer.appeared()
      inner.appeared()
      (released, releasedInner) = (outer, inner)
    }
    expect(released == nil && releasedInner == nil)
  }
}
