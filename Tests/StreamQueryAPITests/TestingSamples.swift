import Observation
import StreamQuery
import StreamQueryTesting
import Testing

/// Tests as users of the library write them.
@Suite struct TestingSamples {
  @Test func showsCachedUserThenRefreshes() {
    let simulation = Simulation(seed: 7)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(
      .value(.ada, after: .milliseconds(30)),
      .failure(Offline(), after: .milliseconds(5))
    )
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries, [.pending(isFetching: true), .success(.ada)])
    expect(simulation.isIdle)
  }

  @Test func retriesAreSeenInVirtualTime() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(.failure(Offline()), .failure(Offline()), .value(.ada))
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(10))
    expectEqual(
      recording.timeline,
      [
        TimedSummary(at: .zero, .pending(isFetching: true)),
        TimedSummary(at: .seconds(1), .pending(isFetching: true)),
        TimedSummary(at: .seconds(3), .success(.ada)),
      ]
    )
    expectEqual(fetch.calls.map(\.outcome), [.failure, .failure, .value])
  }

  @Test func theLandingPagesExampleHolds() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(.failure(Offline()), .value(.ada, after: .milliseconds(30)))
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(10))
    expectEqual(recording.timeline.last, TimedSummary(at: .milliseconds(1030), .success(.ada)))
    expectEqual(fetch.calls.map(\.outcome), [.failure, .value])
    expectEqual(simulation.leakReport(), [])
  }

  @Test(arguments: UInt64(0)..<100)
  func everySeedEndsTheSame(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let first = simulation.record(client.stream(.user(1)))
    let second = simulation.record(client.stream(.user(1)))
    simulation.settle()
    expectEqual(first.values.last?.data?.id, 1)
    expectEqual(second.values.last?.data?.id, 1)
  }

  @Test func waitingIsVirtualToo() throws {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let user = try simulation.run { try await client.fetch(.user(42)) }
    expectEqual(user.id, 42)
    expectEqual(simulation.leakReport(), [])
  }

  @MainActor @Test(arguments: UInt64(0)..<20)
  func modelsOfTheMainActorAreSimulated(seed: UInt64) throws {
    Simulation.onMainActor(seed: seed) { simulation in
      let profile = Profile(QueryClient(simulation: simulation))
      simulation.settle()
      expectEqual(profile.name, "Ada")
    }
    let user = try Simulation.onMainActor(seed: seed) { simulation in
      let client = QueryClient(simulation: simulation)
      let fetching = Task { try await client.fetch(.user(42)) }
      try await simulation.settled(after: .milliseconds(1))
      return try await fetching.value
    }
    expectEqual(user.id, 42)
  }

  @MainActor @Observable final class Profile {
    private(set) var name = "…"

    init(_ client: QueryClient) {
      Task { [weak self] in
        for await result in client.stream(.user(42)) { self?.name = result.data?.name ?? "…" }
      }
    }
  }

  @Test func offlineIsOneLine() {
    let simulation = Simulation()
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
    let recording = simulation.record(client.stream(.users))
    simulation.settle()
    expectEqual(recording.summaries.last, .pending(.paused))
    expectEqual(recording.summaries.first, recording.summaries.last.element)
    expectEqual(recording.values.last?.isPaused, true, "\(simulation)")
    online.send(true)
    simulation.settle()
    expectEqual(recording.summaries.last, .success([.ada]))
  }
}
