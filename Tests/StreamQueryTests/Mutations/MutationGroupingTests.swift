import StreamQuery
import StreamQueryTesting
import Testing

/// Scopes and pacing that depend on the input: edits of several items neither wait for each other nor
/// take each other's place.
struct MutationGroupingTests {
  private struct Edit: Codable, Hashable, Sendable {
    var id: Int
    var text: String
  }

  let simulation = Simulation(seed: 30)
  let sent = Notes<String>()
  let misuses = Notes<QueryMisuse>()
  let online = ManualSignal(false)

  private func client() -> QueryClient {
    let client = QueryClient(simulation: simulation) { [online, misuses] in
      $0.connectivity = Connectivity { online }
      $0.onMisuse = { misuses.add($0) }
    }
    simulation.settle()
    return client
  }

  private func edit() -> Mutation<Edit, String> {
    let (sent, clock) = (sent, simulation.clock)
    return Mutation("edit") { input in
      sent.add("\(clock.now.offset.milliseconds) \(input.id)\(input.text)")
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return input.text
    }
  }

  /// Starts edits while offline.
  private func start(
    _ mutation: Mutation<Edit, String>,
    _ edits: (id: Int, text: String)...,
    on client: QueryClient
  ) {
    for edit in edits {
      simulation.start(mutation, with: Edit(id: edit.id, text: edit.text), on: client)
    }
  }

  @Test func theNewestOfEachItemIsSentInTheOrderOfTheScope() {
    let client = client()
    let mutation = edit().scope("edits").pacing(.newest, of: \.id)
    start(mutation, (1, "a"), (2, "a"), (1, "b"), (3, "a"), (2, "b"), on: client)
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(sent.all, ["0 1b", "1000 3a", "2000 2b"])
    expectEmpty(misuses.all)
  }

  @Test func withoutAScopeItemsDoNotWaitForEachOther() {
    let client = client()
    let mutation = edit().pacing(.newest) { $0.id }
    start(mutation, (1, "a"), (2, "a"), (1, "b"), on: client)
    expectEqual(
      client.mutations(.pending).map(\.scope),
      [
        #"newest of ["edit"] 2"#, #"newest of ["edit"] 1"#,
      ]
    )
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(sent.all.sorted(), ["0 1b", "0 2a"])
  }

  /// Of those of one item, one at a time is sent.
  @Test func anOlderVersionThatIsBeingSentIsWaitedFor() {
    let client = client()
    online.send(true)
    let mutation = edit().pacing(.newest, of: \.id)
    start(mutation, (1, "a"), on: client)
    simulation.advance(by: .milliseconds(500))
    start(mutation, (1, "b"), (1, "c"), (2, "a"), on: client)
    simulation.advance(by: .minutes(1))
    expectEqual(sent.all, ["0 1a", "500 2a", "1000 1c"])
  }

  @Test func aRunWithoutAKeyIsSentLikeAnyOther() {
    let client = client()
    let mutation = edit().scope("edits").pacing(.newest) { $0.text == "draft" ? $0.id : nil }
    start(mutation, (1, "draft"), (1, "final"), (1, "draft"), (1, "last"), on: client)
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(sent.all, ["0 1final", "1000 1draft", "2000 1last"])
  }

  @Test func aScopeOfTheInputLetsOthersPass() {
    let client = client()
    online.send(true)
    let mutation = edit().scope { $0.id == 0 ? nil : "item-\($0.id)" }
    start(mutation, (1, "a"), (1, "b"), (2, "a"), (0, "a"), (0, "b"), on: client)
    simulation.advance(by: .milliseconds(10))
    expectEqual(sent.all.sorted(), ["0 0a", "0 0b", "0 1a", "0 2a"])
    simulation.advance(by: .minutes(1))
    expectEqual(sent.all.last, "1000 1b")
  }

  @Test func theLastScopeAndTheLastPacingCount() {
    let client = client()
    client.setMutationDefaults(MutationOptions(scope: "default"), for: "edit")
    func scope(_ mutation: Mutation<Edit, String>) -> String? {
      start(mutation, (1, "a"), on: client)
      return client.mutations(.pending).last?.scope
    }
    expectEqual(scope(edit()), "default")
    expectEqual(scope(edit().scope { "item-\($0.id)" }), "item-1")
    expectNil(scope(edit().scope { _ in nil }))
    expectEqual(scope(edit().scope { "item-\($0.id)" }.scope("all")), "all")
    expectEqual(scope(edit().scope { "item-\($0.id)" }.options { $0.scope = "all" }), "all")
    expectEqual(scope(edit().scope("all").scope { "item-\($0.id)" }), "item-1")
    client.cancelMutations()
    let mutation = edit().pacing(.newest, of: \.id).pacing(.newest)
    start(mutation, (1, "a"), (2, "a"), on: client)
    expectEqual(client.mutatingCount(), 1)
  }

  // MARK: The mistake

  @Test func anotherItemThatIsDiscardedIsReported() {
    let client = client()
    let mutation = edit().scope("edits").pacing(.newest)
    start(mutation, (1, "a"), (1, "b"), on: client)
    expectEmpty(misuses.all)
    start(mutation, (2, "a"), on: client)
    expectEqual(misuses.all, [.otherItemDiscarded(key: #"["edit"]"#)])
    expectEqual(misuses.all.first?.description.contains(#".pacing(.newest, of: \.id)"#), true)
  }

  @Test func soIsOneWhoseChangeTheNewerRunDoesNotMake() {
    let client = client()
    let mutation = Mutation<String, String>("edit") { $0 }
      .optimistic { input, changes in
        changes.update(QueryKey<String>("item", input.first ?? " ")) { $0 = input }
      }
      .pacing(.newest)
    for text in ["a1", "a2"] { simulation.start(mutation, with: text, on: client) }
    expectEmpty(misuses.all)
    simulation.start(mutation, with: "b1", on: client)
    expectEqual(misuses.all, [.otherItemDiscarded(key: #"["edit"]"#)])
  }

  @Test func identifiableInputsSayWhichItemTheyAre() {
    struct Draft: Identifiable, Sendable {
      let name: String
      var id: String { name }
    }
    let client = client()
    let mutation = Mutation<Draft, String>("draft") { $0.name }.pacing(.newest)
    for name in ["a", "a", "b"] { simulation.start(mutation, with: Draft(name: name), on: client) }
    expectEqual(misuses.all.count, 1)
  }

  /// It is over already: nothing of it is lost.
  @Test func aRunThatWasSentIsNotReported() {
    let client = client()
    online.send(true)
    let mutation = edit().scope("edits").pacing(.newest)
    start(mutation, (1, "a"), (2, "a"), on: client)
    simulation.advance(by: .seconds(5))
    start(mutation, (3, "a"), on: client)
    simulation.advance(by: .seconds(5))
    expectEqual(sent.all, ["0 1a", "1000 2a", "5000 3a"])
    expectEmpty(misuses.all)
  }

  // MARK: Layers

  /// The refetch that the older version asked for is under way, and does not land, since the newer
  /// one has changed the server again.
  @Test(arguments: [true, false])
  func aNewerVersionThatLandsTakesTheLayersOfOlderOnesAway(isPaced: Bool) {
    let client = client()
    online.send(true)
    let key = QueryKey<[String]>("texts")
    let fetch = ScriptedFetch<[String]>(
      .value([]),
      .value(["stale"], after: .seconds(30)),
      .value(["1b"], after: .seconds(30))
    )
    let query = Query(key: key, fetch: fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let plain = edit().scope("edits")
      .optimistic { input, changes in
        changes.update(key) { $0?.append("\(input.id)\(input.text)") }
      }
      .onSuccess { _, context in context.client.markInvalidated(.key(key)) }
    let mutation = isPaced ? plain.pacing(.newest, of: \.id) : plain
    start(mutation, (1, "a"), on: client)
    simulation.advance(by: .milliseconds(500))
    start(mutation, (2, "x"), (1, "b"), on: client)
    expectEqual(client.data(for: key), ["1a", "2x", "1b"])
    simulation.advance(by: .seconds(3))
    // Those of other items stay, and compose.
    expectEqual(client.data(for: key), isPaced ? ["2x", "1b"] : ["1a", "2x", "1b"])
    simulation.advance(by: .minutes(2))
    expectEqual(client.data(for: key), ["1b"])
    recording.cancel()
  }
}
