import StreamQuery
import StreamQueryTesting
import Testing

/// Facts that a query carries: where they come from, and who sees them.
struct MetaTests {
  private enum Label: QueryMetaKey { static let defaultValue = "none" }
  private enum Size: QueryMetaKey { static let defaultValue = 0 }
  private enum Colour: QueryMetaKey { static let defaultValue = "" }

  let simulation = Simulation(seed: 48)
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  private func query(_ key: String = "n", label: String) -> Query<Int> {
    Query.scripted(key, ScriptedFetch(.value(1, after: .milliseconds(10))))
      .meta(Label.self, label)
  }

  private func label(of key: String = "n") -> String? {
    client.diagnostics(.key(QueryKey<Int>(key))).first?.meta[Label.self]
  }

  private static func bag(_ change: (inout QueryMeta) -> Void) -> QueryOptions {
    var meta = QueryMeta()
    change(&meta)
    return QueryOptions(meta: meta)
  }

  // T21
  @Test func anEntryHasTheFactsOfItsQueryAndDefaultsForTheRest() throws {
    let recording = simulation.record(client.stream(query(label: "numbers")))
    let info = try #require(client.diagnostics().first)
    expectEqual(info.meta[Label.self], "numbers")
    expectEqual(info.meta[Size.self], 0)
    expect(!info.meta.isEmpty)
    // A write by key alone leaves the query's facts; an entry that only was written has none.
    client.setData(2, for: QueryKey<Int>("n"))
    client.setData(2, for: QueryKey<Int>("written"))
    expectEqual(label(), "numbers")
    expectEqual(label(of: "written"), "none")
    expectEqual(client.diagnostics("written").map(\.meta.isEmpty), [true])
    recording.cancel()
  }

  // T21 T53
  @Test func layersOfDefaultsAddUpAndTheNearestWins() throws {
    client.setDefaults(
      QueryDefaults(
        options: Self.bag {
          $0[Label.self] = "client"
          $0[Size.self] = 1
          $0[Colour.self] = "red"
        }
      )
    )
    client.setDefaults(
      Self.bag {
        $0[Label.self] = "prefix"
        $0[Size.self] = 2
      },
      for: "n"
    )
    let seen = Notes<[String]>()
    let query = Query<Int>("n") { context in
      let meta = context.meta
      seen.add([meta[Label.self], "\(meta[Size.self])", meta[Colour.self]])
      return 1
    }.meta(Label.self, "query")
    simulation.run { await client.prefetch(query) }
    let meta = try #require(client.diagnostics().first).meta
    expectEqual(seen.all, [["query", "2", "red"]])
    expectEqual(
      [meta[Label.self], "\(meta[Size.self])", meta[Colour.self]],
      ["query", "2", "red"]
    )
    // What only was written has those of its key.
    client.setData(1, for: QueryKey<Int>("n", 2))
    client.setData(1, for: QueryKey<Int>("other"))
    let written = client.diagnostics(.key(QueryKey<Int>("n", 2)) || "other").map(\.meta)
    expectEqual(written.map { $0[Label.self] }, ["prefix", "client"])
    expectEqual(written.map { $0[Size.self] }, [2, 1])
  }

  @Test func ofSeveralQueriesOfAKeyThoseOfTheOneThatFetchesCount() {
    let first = simulation.record(client.stream(query(label: "first")))
    expectEqual(label(), "first")
    let second = simulation.record(client.stream(query(label: "second")))
    expectEqual(label(), "second")
    // One that cannot fetch does not take over.
    let third = simulation.record(client.stream(Query<Int>(key: "n").meta(Label.self, "third")))
    expectEqual(label(), "second")
    expect(client.result(for: query(label: "fourth")).isFetching)
    expectEqual(label(), "second")
    for recording in [first, second, third] { recording.cancel() }
  }

  // T21 T57 T60
  @Test func filtersFindEntriesByTheirFacts() {
    let numbers = simulation.record(client.stream(query("a", label: "numbers")))
    let others = simulation.record(client.stream(query("b", label: "others")))
    simulation.advance(by: .milliseconds(10))
    let filter = QueryFilter.where { $0.meta[Label.self] == "numbers" }
    expectEqual(client.diagnostics(filter).map(\.key), ["a"])
    simulation.task { [client] in await client.invalidate(filter) }
    simulation.settle()
    expectEqual(client.fetchingCount(), 1)
    expectEqual(client.fetchingCount(filter), 1)
    for recording in [numbers, others] { recording.cancel() }
  }

  @Test func functionsOfOptionsFindTheFactsOfTheirQuery() {
    let asked = Notes<String>()
    func curious(_ label: String) -> Query<Int> {
      query(label: label)
        .enabled { (info: QueryInfo) in
          asked.add(info.meta[Label.self])
          return info.meta[Label.self] == "on"
        }
    }
    // Before there is an entry, and in a look that makes none.
    expect(client.result(for: curious("on")).isFetching)
    expect(!client.result(for: curious("off")).isFetching)
    expectEqual(asked.all, ["on", "off"])
    // By an entry that was made by a write, and so has none of them.
    client.setData(0, for: QueryKey<Int>("n"))
    expect(client.result(for: curious("on")).isEnabled)
    let recording = simulation.record(client.stream(curious("on")))
    simulation.advance(by: .milliseconds(10))
    #expect(recording.timeline == [at(0, .success(0, isFetching: true)), at(10, .success(1))])
    expect(
      !client.isStale(
        curious("on").staleTime { (info: QueryInfo) in
          info.meta[Label.self] == "on" ? .infinite : .after(.zero)
        }
      )
    )
    expectEqual(Set(asked.all.dropFirst(2)), ["on"])
    recording.cancel()
  }

  @Test func initialDataIsJudgedByTheFactsOfItsQuery() {
    let judged = query(label: "fresh").initialData(7)
      .staleTime { (info: QueryInfo) in
        info.meta[Label.self] == "fresh" ? .infinite : .after(.zero)
      }
    expectEqual(ResultSummary(client.result(for: judged)), .success(7))
    let recording = simulation.record(client.stream(judged))
    simulation.settle()
    #expect(recording.summaries == [.success(7)])
    recording.cancel()
  }

  // T21 T58 T59
  @Test func eventsCarryTheFactsOfWhatTheyTellOf() {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        let line = event.description.prefix { $0 != "[" }.split(separator: " ").first ?? ""
        told.add("\(line) \(event.meta[Label.self])")
      }
    }
    let failing = Query.scripted("n", ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(5))))
      .retry(.never).meta(Label.self, "failing")
    let recording = simulation.record(client.stream(failing))
    // The entry's next fetch is by another query; the one that runs has its own facts.
    let other = simulation.record(client.stream(query(label: "other")))
    simulation.advance(by: .milliseconds(5))
    client.setData(1, for: QueryKey<Int>("n"))
    for recording in [recording, other] { recording.cancel() }
    simulation.settle()
    client.remove("n")
    client.setData(1, for: QueryKey<Int>("bare"))
    client.clear()
    simulation.settle()
    expectEqual(
      told.all,
      [
        "added failing", "observed failing", "miss failing", "fetching failing", "shown failing",
        "observed other", "joined other", "failed failing", "shown other", "written other",
        "shown other", "unobserved other", "unobserved other", "removed other", "added none",
        "written none", "removed none",
      ]
    )
    client.shutDown()
  }

  @Test func clearedEntriesAreToldOfWithTheirFacts() {
    let events = simulation.record(client.events)
    simulation.run { [client, query = query(label: "numbers")] in await client.prefetch(query) }
    client.clear()
    simulation.settle()
    expectEqual(events.values.map { $0.meta[Label.self] }, Array(repeating: "numbers", count: 5))
    events.cancel()
  }

  // T21 T65
  @Test func runsOfMutationsAndTheirEventsCarryFacts() throws {
    let told = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { told.add("\($0.meta[Label.self]) \($0.meta[Size.self])") }
    }
    var meta = QueryMeta()
    meta[Size.self] = 3
    meta[Label.self] = "default"
    client.setMutationDefaults(MutationOptions(meta: meta), for: "double")
    let double = Mutation("double") { (number: Int, context: MutationContext) in
      number * context.meta[Size.self]
    }.meta(Label.self, "own")
    try expectEqual(simulation.run { try await client.mutate(double, with: 2) }, 6)
    expectEqual(client.mutations().map { $0.meta[Label.self] }, ["own"])
    expectEqual(Set(told.all), ["own 3"])
    expectEqual(told.count, 3)
    client.shutDown()
  }
}
