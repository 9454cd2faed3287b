import StreamQuery
import StreamQueryTesting
import Testing

/// Tells when a caller joins a fetch, and how long callers waited.
private struct Accountant: FetchCompanion {
  let joined: ManualSignal<Int>
  let waited: ManualSignal<Duration>

  func callerWaits(_ wait: FetchWait) {
    if wait.isJoining { joined.send(1) }
  }

  func callerWaited(_ wait: FetchWait, for duration: Duration) {
    waited.send(duration)
  }

  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await perform()
  }
}

/// Companions accompany the fetches of a client.
struct CompanionSamples {
  @Test func anAttemptCanBeMadeToTryACompanion() async throws {
    let attempt = AccompaniedAttempt { 7 }
    try await expectEqual(attempt(), 7)
  }

  @Test func aCompanionSeesWhoJoins() {
    let simulation = Simulation()
    let joined = ManualSignal(0)
    let waited = ManualSignal(Duration.zero)
    let client = QueryClient(simulation: simulation) {
      $0.fetchCompanions.append(Accountant(joined: joined, waited: waited))
    }
    let events = simulation.record(client.events)
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)))
    for _ in 1...2 { simulation.task { try await client.fetch(Query("n", fetch: fetch)) } }
    let seen = simulation.record(joined)
    let waits = simulation.record(waited)
    simulation.advance(by: .seconds(1))
    expectEqual(seen.values.last, 1)
    expectEqual(waits.values.last, .seconds(1))
    expectEqual(events.values.compactMap(\.fetch?.description).count, 2)
  }
}
