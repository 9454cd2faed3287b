import StreamQuery
import StreamQueryTesting
import Testing

// U02
struct MutationUpdateTests {
  private let simulation = Simulation(seed: 4)
  private let client: QueryClient
  private let log = Notes<String>()

  init() {
    client = QueryClient(simulation: simulation)
  }

  private func mutation(_ key: AnyQueryKey, _ name: String) -> Mutation<Int, Int> {
    Mutation<Int, Int>.slow(key, notes: log, simulation: simulation)
      .onSuccess { [log] _, _ in log.add(name) }
  }

  @Test func theNextRunIsOfTheNewMutationAndTheOldRunStaysInSight() {
    let handle = client.observer(of: mutation("m", "old"))
    handle.start(with: 1)
    simulation.advance(by: .milliseconds(10))
    handle.update(mutation: mutation("m", "new"))
    expectEqual(summary(of: handle.run), "success 1 -> 101")
    handle.start(with: 2)
    simulation.advance(by: .milliseconds(10))
    expectEqual(log.all, ["0 start 1", "10 end 1", "old", "10 start 2", "20 end 2", "new"])
  }

  @Test func aRunThatIsNotOverCallsTheNewCallbacks() {
    let handle = client.observer(of: Mutation<Int, Int>.slow("m", simulation: simulation))
    handle.start(with: 1)
    simulation.advance(by: .milliseconds(5))
    handle.update(mutation: mutation("m", "new"))
    expectEqual(summary(of: handle.run), "pending 1")
    simulation.advance(by: .milliseconds(5))
    expectEqual(log.all, ["new"])
  }

  @Test func retriesUseTheNewWorkAndTheOldPolicy() {
    struct Failure: Error {}
    let handle = client.observer(
      of: Mutation<Int, Int>("m") { _ in throw Failure() }
        .retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(20))))
    )
    handle.start(with: 1)
    simulation.advance(by: .milliseconds(5))
    handle.update(mutation: Mutation("m") { input in input + 1 })
    simulation.advance(by: .milliseconds(20))
    expectEqual(summary(of: handle.run), "success 1 -> 2")
  }

  @Test func anUnlikeKeyShowsNoRunAndTheRunGoesOnAsItWas() {
    let handle = client.observer(of: mutation("m", "old"))
    let runs = simulation.record(handle.runs)
    handle.start(with: 1)
    simulation.settle()
    handle.update(mutation: mutation("other", "new"))
    simulation.advance(by: .milliseconds(10))
    expectEqual(log.all, ["0 start 1", "10 end 1", "old"])
    expectEqual(runs.runs().map(\.text).last, "idle")
  }
}
