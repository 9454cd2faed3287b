import Testing

@testable import StreamQueryInspector

/// When a server that has lost its socket listens again.
struct RestartPlanTests {
  @Test func itTriesAtOnceAndThenAfterPausesUntilItIsGivenUp() {
    var plan = RestartPlan()
    let pauses = [plan.lost(after: .seconds(1))] + (0..<5).map { _ in plan.refused() }
    #expect(pauses == [.zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10), nil])
    let next = plan.refused()
    #expect(next == nil)
  }

  @Test func aServerThatIsLostAgainAndAgainIsGivenUpUnlessItHasWorkedForAWhile() {
    var plan = RestartPlan(pauses: [.zero, .seconds(1)])
    let pauses = [59, 59, 60, 0, 0].map { plan.lost(after: .seconds($0)) }
    #expect(pauses == [.zero, .seconds(1), .zero, .seconds(1), nil])
  }
}
