import StreamQueryTesting
import Testing

@testable import StreamQuery

struct RetentionTransactionTests {
  @Test func expiredEntriesGoAThousandInATransaction() {
    let simulation = Simulation()
    let client = Dial<QueryClient?>(nil)
    let left = Notes<Int>()
    client.value = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(gcTime: .seconds(60))
      // Told after the transaction that removed the entry, and before the next one.
      $0.onEvent = { event in
        guard case .removed = event.kind else { return }
        left.add(client.value?.cache.read { $0.slots.keys.count } ?? -1)
      }
    }
    for number in 0..<2_500 { client.value?.setData(number, for: QueryKey<Int>("n", number)) }
    simulation.advance(by: .seconds(61))
    expectEqual(
      left.all,
      Array(repeating: 1_500, count: 1_000) + Array(repeating: 500, count: 1_000)
        + Array(repeating: 0, count: 500)
    )
    client.value = nil
  }

  @Test func whatIsGoneLeavesNoRoomBehind() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(gcTime: .seconds(60))
    }
    client.cache.record {
      $0.bounds.leastSlots = 1_024
      $0.bounds.leastObservers = 1_024
    }
    let click = Mutation<Int, Int>("click") { $0 }.gcTime(.seconds(60))
    var streams: [AsyncStream<QueryResult<Int>>] = []
    for number in 0..<1_100 {
      simulation.start(click, with: number, on: client)
      streams.append(client.stream(Query(key: QueryKey<Int>("n", number))))
    }
    for number in 0..<5_000 { client.setData(number, for: QueryKey<Int>("n", number)) }
    simulation.settle()
    func rooms() -> [Int] {
      client.cache.read { [$0.slots.count, $0.observers.count, $0.mutations.slots.count] }
    }
    expectEqual(rooms(), [5_000, 1_100, 1_100])
    streams = []
    simulation.advance(by: .seconds(1))
    expectEqual(rooms(), [5_000, 0, 1_100])
    client.setData(1, for: QueryKey<Int>("m"))
    simulation.advance(by: .milliseconds(59_500))
    #expect(rooms()[0] <= 1_024)
    expectEqual(rooms().dropFirst(), [0, 0])
    expectEqual(client.data(for: QueryKey<Int>("m")), 1)
    client.shutDown()
  }
}
