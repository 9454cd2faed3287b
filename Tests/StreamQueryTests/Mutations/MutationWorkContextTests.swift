import StreamQuery
import StreamQueryTesting
import Testing

/// Whose task-locals the pieces of a run see: of the caller whose transaction began it.
struct MutationWorkContextTests {
  let simulation = Simulation(seed: 71)
  let online = ManualSignal(true)
  let seen = Notes<String>()
  let intrusion = Intrusion()
  let client: QueryClient

  init() {
    let hooks = MutationHooks(
      onMutate: { [seen] info, _ in seen.add("hook onMutate \(Caller.name)") },
      onSettled: { [seen] _, info, _ in seen.add("hook onSettled \(Caller.name)") }
    )
    client = QueryClient(
      simulation: simulation,
      online: online,
      intrusion: intrusion,
      hooks: hooks
    )
  }

  private func mutation(
    _ name: String = "m",
    failures: Int = 0,
    endsIn failure: Boom? = nil
  ) -> Mutation<Int, Int> {
    let seen = seen
    return Mutation<Int, Int>(key: AnyQueryKey(name)) { input, context in
      seen.add("\(name) \(context.attempt) \(Caller.name)")
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      seen.add("\(name) \(context.attempt) \(Caller.name)")
      if context.attempt < failures { throw Boom(context.attempt) }
      if let failure { throw failure }
      return input
    }
    .retry(.times(failures).backoff(.constant(.milliseconds(10))))
    .onMutate { _, _ in
      seen.add("onMutate \(Caller.name)")
      try await Scheduling.current.clock.sleep(for: .milliseconds(1))
    }
    .onSuccess { _, _ in
      seen.add("onSuccess \(Caller.name)")
      try await Scheduling.current.clock.sleep(for: .milliseconds(1))
    }
    .onError { _, _ in seen.add("onError \(Caller.name)") }
    .onSettled { _, _ in seen.add("onSettled \(Caller.name)") }
  }

  /// Starts a run from the middle of a stranger's call.
  private func begin(_ mutation: Mutation<Int, Int>, as name: String) {
    let observer = client.observer(of: mutation)
    intrusion.call(name, into: client) { observer.start(with: 1) }
  }

  @Test func everyPieceOfARunSeesItsCallersContextWhoeverPerformsIt() {
    begin(mutation(failures: 1), as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(
      seen.all,
      [
        "hook onMutate ada", "onMutate ada", "m 0 ada", "m 0 ada", "m 1 ada", "m 1 ada",
        "onSuccess ada", "hook onSettled ada", "onSettled ada",
      ]
    )
  }

  @Test func theCallbacksOfAFailureSeeItToo() {
    begin(mutation(failures: 1, endsIn: Boom()), as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(
      seen.all,
      [
        "hook onMutate ada", "onMutate ada", "m 0 ada", "m 0 ada", "m 1 ada", "m 1 ada",
        "onError ada", "hook onSettled ada", "onSettled ada",
      ]
    )
  }

  @Test func runsOfALaneEachSeeTheirOwnCallersContext() {
    let client = client
    for name in ["ada", "bob", "cleo"] {
      let mutation = mutation(name).scope("lane")
      simulation.task(as: name) { try await client.mutate(mutation, with: 1) }
      simulation.settle()
    }
    simulation.advance(by: .seconds(1))
    let work = seen.all.filter { $0.first(where: \.isNumber) != nil }
    expectEqual(
      work,
      [
        "ada 0 ada", "ada 0 ada", "bob 0 bob", "bob 0 bob", "cleo 0 cleo", "cleo 0 cleo",
      ]
    )
    expectEqual(seen.all.filter { $0.hasPrefix("onSettled") }.count, 3)
    #expect(seen.all.allSatisfy { !$0.hasSuffix("nobody") })
  }

  @Test func aRunThatWaitedForTheNetworkSeesItsCallersContext() {
    online.send(false)
    simulation.settle()
    begin(mutation(failures: 1), as: "ada")
    simulation.settle()
    expectEqual(seen.all, ["hook onMutate ada", "onMutate ada"])
    online.send(true)
    simulation.advance(by: .milliseconds(15))
    online.send(false)
    simulation.advance(by: .seconds(1))
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(
      seen.all.dropFirst(2),
      [
        "m 0 ada", "m 0 ada", "m 1 ada", "m 1 ada",
        "onSuccess ada", "hook onSettled ada", "onSettled ada",
      ]
    )
  }

  @Test func theCallbacksOfARunThatAnotherOneCancelsAreItsCallers() {
    let client = client
    online.send(false)
    simulation.settle()
    let mutation = mutation()
    simulation.task(as: "ada") { _ = try? await client.mutate(mutation, with: 1) }
    simulation.advance(by: .seconds(1))
    Caller.named("bob") { client.cancelMutations() }
    simulation.settle()
    expectEqual(
      seen.all,
      [
        "hook onMutate ada", "onMutate ada", "onError ada", "hook onSettled ada", "onSettled ada",
      ]
    )
  }

  @Test func whatARunBeginsSeesTheContextOfTheRun() {
    let (client, seen) = (client, seen)
    let query = Query("n") { (_: FetchContext) -> Int in
      seen.add("fetch \(Caller.name)")
      return 1
    }
    let mutation = Mutation<Int, Int>("m") { input, context in
      try await context.client.fetch(query) + input
    }
    begin(mutation, as: "ada")
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, ["hook onMutate ada", "fetch ada", "hook onSettled ada"])
    expectEqual(client.run(of: mutation).output, 2)
  }
}
