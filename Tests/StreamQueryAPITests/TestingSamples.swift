import Observation
import StreamQuery
import StreamQueryTesting
import Testing

/// Tests as users of the library write them.
struct TestingSamples {
  @Test func showsCachedUserThenRefreshes() {
    let simulation = Simulation(seed: 7)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(
      .value(.ada, after: .milliseconds(30)),
      .failure(Offline(), after: .milliseconds(5))
    )
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.pending(isFetching: true), .success(.ada)])
    #expect(simulation.isIdle)
  }

  @Test func retriesAreSeenInVirtualTime() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(.failure(Offline()), .failure(Offline()), .value(.ada))
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(10))
    #expect(
      recording.timeline == [
        TimedSummary(at: .zero, .pending(isFetching: true)),
        TimedSummary(at: .seconds(1), .pending(isFetching: true)),
        TimedSummary(at: .seconds(3), .success(.ada)),
      ]
    )
    #expect(fetch.calls.map(\.outcome) == [.failure, .failure, .value])
  }

  @Test func theLandingPagesExampleHolds() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(.failure(Offline()), .value(.ada, after: .milliseconds(30)))
    let recording = simulation.record(client.stream(Query("users", 1, fetch: fetch)))
    simulation.advance(by: .seconds(10))
    #expect(recording.timeline.last == TimedSummary(at: .milliseconds(1030), .success(.ada)))
    #expect(fetch.calls.map(\.outcome) == [.failure, .value])
    #expect(simulation.leakReport() == [])
  }

  @Test(arguments: UInt64(0)..<100)
  func everySeedEndsTheSame(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let first = simulation.record(client.stream(.user(1)))
    let second = simulation.record(client.stream(.user(1)))
    simulation.settle()
    #expect(first.values.last?.data?.id == 1)
    #expect(second.values.last?.data?.id == 1)
  }

  @Test func waitingIsVirtualToo() throws {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let user = try simulation.run { try await client.fetch(.user(42)) }
    #expect(user.id == 42)
    #expect(simulation.leakReport() == [])
  }

  @MainActor @Test(arguments: UInt64(0)..<20)
  func modelsOfTheMainActorAreSimulated(seed: UInt64) throws {
    Simulation.onMainActor(seed: seed) { simulation in
      let profile = Profile(QueryClient(simulation: simulation))
      simulation.settle()
      #expect(profile.name == "Ada")
    }
    let user = try Simulation.onMainActor(seed: seed) { simulation in
      let client = QueryClient(simulation: simulation)
      let fetching = Task { try await client.fetch(.user(42)) }
      try await simulation.settled(after: .milliseconds(1))
      return try await fetching.value
    }
    #expect(user.id == 42)
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
    #expect(recording.summaries.last == .pending(.paused))
    #expect(recording.summaries.first == recording.summaries.last.element)
    #expect(recording.values.last?.isPaused == true, "\(simulation)")
    online.send(true)
    simulation.settle()
    #expect(recording.summaries.last == .success([.ada]))
  }
}
