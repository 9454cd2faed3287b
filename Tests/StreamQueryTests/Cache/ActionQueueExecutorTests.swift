import StreamQueryTesting
import Testing

@testable import StreamQuery

/// What is left in the action queue is performed by the client's executor.
struct ActionQueueExecutorTests {
  static let key = QueryKey<Int>("n")

  /// A client each of whose first events makes another one, and the numbers of all that were told.
  func cascade(_ simulation: Simulation, to last: UInt64) -> (QueryClient, Notes<UInt64>) {
    let told = Notes<UInt64>()
    let box = Dial<@Sendable () -> QueryClient?> { nil }
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        told.add(event.number)
        if event.number < last { box.value()?.setData(Int(event.number), for: Self.key) }
      }
    }
    box.value = { [weak client] in client }
    return (client, told)
  }

  @Test func aCallThatSetsOffACascadeReturnsAndTheExecutorPerformsTheRest() {
    let simulation = Simulation(seed: 3)
    let (client, told) = cascade(simulation, to: 2_000)
    client.setData(0, for: Self.key)
    // Two of its own transaction, the entry was added and written, and its share of those that
    // followed.
    expectEqual(told.count, 258)
    simulation.settle()
    // The first event made one more, and so did each.
    expectEqual(told.all, (1...2_001).map { UInt64($0) })
    expect(simulation.isIdle)
  }

  @Test func aClientThatIsDroppedStillPerformsWhatIsLeftAndGoes() {
    let simulation = Simulation(seed: 3)
    let told: Notes<UInt64>
    let weakClient: Weak<QueryClient>
    do {
      let (client, notes) = cascade(simulation, to: 1_000)
      weakClient = Weak(client)
      told = notes
      client.setData(0, for: Self.key)
    }
    expectEqual(told.count, 258)
    expect(!weakClient.isGone)
    simulation.settle()
    // The last one tells that the entry went with the client.
    expectEqual(told.count, 1_002)
    expect(weakClient.isGone)
    expectEqual(simulation.leakReport(), [])
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func theSameSeedHandsOverAlike(_ seed: UInt64) {
    let traces = (0..<2).map { _ in
      let simulation = Simulation(seed: seed)
      let (client, told) = cascade(simulation, to: 1_000)
      let seen = (0..<3).map { _ in simulation.record(client.stream(Query<Int>(key: Self.key))) }
      simulation.task { client.setData(-1, for: Self.key) }
      simulation.task { client.setData(-2, for: Self.key) }
      simulation.settle()
      return (simulation.scheduleHash, told.all, seen.map { $0.values.map(\.data) })
    }
    expectEqual(traces[0].0, traces[1].0)
    expectEqual(traces[0].1, traces[1].1)
    expectEqual(traces[0].2, traces[1].2)
    expectEqual(traces[0].1, traces[0].1.sorted())
  }

  @Test func aConsumerOfManyKeysIsWokenOnceForATransactionThatChangesAll() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation)
    let keys = (0..<50).map { QueryKey<Int>("n", $0) }
    for key in keys { client.setData(0, for: key) }
    let list = simulation.record(client.stream(all: keys.map { Query<Int>(key: $0) }))
    let alone = simulation.record(client.stream(Query<Int>(key: keys[0])))
    simulation.settle()
    let added = client.transaction { state, _ in
      for consumer in state.observers.indices {
        state.observers[consumer].seenVersion = .max
        state.wakeIfNews(consumer)
      }
      return state.actionQueue.count
    }
    expectEqual(added, 2)
    simulation.settle()
    expectEqual(list.values.count, 2)
    expectEqual(alone.values.count, 2)
  }

  @Test func aRecountIsAskedForOnceHoweverManyTransactionsDo() {
    let simulation = Simulation(seed: 5)
    let lengths = Notes<Int>()
    let box = Dial<@Sendable () -> QueryClient?> { nil }
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        guard case .fetchStarted = event.kind, event.key.description == "[\"first\"]",
          let client = box.value()
        else { return }
        for _ in 0..<5 {
          client.transaction { state, transaction in
            // One event and one recount each.
            if let index = state.find(EntryKey(QueryKey<Int>("first"))) {
              state.emit(.reset, index, transaction)
              state.actionQueue.enqueue(.recount, insteadOf: .recount)
            }
            lengths.add(state.actionQueue.count)
          }
        }
      }
    }
    box.value = { [weak client] in client }
    let counts = simulation.record(client.fetchingCountStream())
    simulation.settle()
    let recording = simulation.record(client.stream(Query("first") { 1 }))
    simulation.settle()
    // Five events, and one recount.
    expectEqual(lengths.all, [2, 3, 4, 5, 6])
    expectEqual(counts.values.last, 0)
    withExtendedLifetime(recording) {}
  }
}
