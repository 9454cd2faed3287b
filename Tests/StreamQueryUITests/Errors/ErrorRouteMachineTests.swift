import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

struct ErrorRouteMachineTests {
  private struct Broken: Error {}

  @Test func eachFailureIsOfferedOnceAndNotWhileAFetchRuns() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .failure(Broken()),
      .failure(Broken(), after: .seconds(1)),
      .value(1)
    )
    let query = Query("n", fetch: fetch).retry(0)
    let observer = client.observer(of: query)
    var machine = ErrorRouteMachine<QueryResult<Int>>()
    var steps: [String] = []
    func look() {
      switch machine.shown(observer.result) {
      case .nothing: steps.append("nothing")
      case .offer: steps.append("offer")
      case .recovered: steps.append("recovered")
      }
    }
    look()
    simulation.settle()
    look()
    look()
    _ = simulation.task { try await observer.refetch() }
    simulation.settle()
    look()
    simulation.advance(by: .seconds(1))
    look()
    _ = simulation.task { try await observer.refetch() }
    simulation.settle()
    look()
    look()
    expectEqual(steps, ["nothing", "offer", "nothing", "nothing", "offer", "recovered", "nothing"])
  }
}
