import StreamQuery
import StreamQueryTesting
import Testing

/// How long data stays that nobody wants.
struct RetentionTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // C17 O02 T07
  @Test func theLongestRetentionThatWasAskedForHolds() {
    let client = QueryClient(simulation: simulation)
    for seconds in [5, 20, 10] {
      let query = Query("n") { 1 }.gcTime(.seconds(seconds))
      _ = simulation.record(client.stream(query))
    }
    simulation.run { await client.prefetch(Query("n") { 1 }.gcTime(.seconds(5))) }
    let start = simulation.now
    simulation.advance(by: .milliseconds(19_999))
    expectEqual(client.diagnostics().count, 1)
    simulation.advance(by: .milliseconds(1))
    expectEmpty(client.diagnostics())
    expectEqual(start, .zero)
  }

  // X01 O03
  @Test func anObserversOwnRetentionRulesWhenItLeavesLast() {
    let client = QueryClient(simulation: simulation)
    let query = Query("n") { 1 }.gcTime(.seconds(100))
    let last = simulation.record(
      client.stream(query, options: ObserverOptions(gcTime: .seconds(1)))
    )
    let other = simulation.record(client.stream(query))
    simulation.settle()
    other.cancel()
    simulation.settle()
    last.cancel()
    simulation.advance(by: .seconds(1))
    expectEmpty(client.diagnostics())
  }

  // O02
  @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min / 2)])
  func noRetentionDropsTheEntryAsSoonAsNobodyWantsIt(gcTime: Duration) {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(Query("n") { 1 }.gcTime(gcTime)))
    simulation.advance(by: .hours(1))
    expectEqual(client.data(for: key), 1)
    recording.cancel()
    simulation.settle()
    expectEmpty(client.diagnostics())
  }

  // O02
  @Test(arguments: [Duration.seconds(Int64.max / 2), .seconds(3_155_760_001)])
  func endlessRetentionKeepsTheEntry(gcTime: Duration) {
    let client = QueryClient(simulation: simulation)
    simulation.run { await client.prefetch(Query("n") { 1 }.gcTime(gcTime)) }
    simulation.advance(by: .hours(24 * 365 * 99))
    expectEqual(client.data(for: key), 1)
    expect(simulation.isIdle)
  }
}
