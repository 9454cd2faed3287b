import StreamQueryTesting
import Testing

@testable import StreamQuery

@Suite struct RetentionTurnTests {
  @Test func expiredEntriesGoAThousandInATurn() {
    let simulation = Simulation()
    let client = Dial<QueryClient?>(nil)
    let left = Notes<Int>()
    client.value = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(gcTime: .seconds(60))
      // Told after the turn that removed the entry, and before the next one.
      $0.onEvent = { event in
        guard case .removed = event.kind else { return }
        left.add(client.value?.cache.read { $0.index.count } ?? -1)
      }
    }
    for number in 0..<2_500 { client.value?.setData(number, for: QueryKey<Int>("n", number)) }
    simulation.advance(by: .seconds(61))
    #expect(
      left.all
        == Array(repeating: 1_500, count: 1_000) + Array(repeating: 500, count: 1_000)
        + Array(repeating: 0, count: 500)
    )
    client.value = nil
  }
}
