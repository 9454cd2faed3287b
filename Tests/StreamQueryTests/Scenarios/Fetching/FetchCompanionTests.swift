import StreamQuery
import StreamQueryTesting
import Testing

/// Writes down what it sees: whose task it is in, and which fetch.
private struct Diary: FetchCompanion {
  var name = ""
  let notes: Notes<String>

  func callerWaits(_ wait: FetchWait) {
    let verb = wait.isJoining ? "joins" : "starts"
    notes.add("\(name)\(Caller.name) \(verb) \(wait.key) \(wait.fetch)")
  }

  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    let fetch = context.fetch.map { "\($0)" } ?? "none"
    notes.add("\(name)attempt \(context.attempt) of \(fetch) for \(Caller.name)")
    do {
      let value = try await Caller.$name.withValue("\(name)companion") { try await perform() }
      notes.add("\(name)done")
      return value
    } catch {
      notes.add("\(name)threw \(error)")
      throw error
    }
  }
}

/// What accompanies fetches sees each caller in its own task, and each attempt around its work.
struct FetchCompanionTests {
  let simulation = Simulation(seed: 71)
  let notes = Notes<String>()

  private func client(_ companions: [any FetchCompanion]? = nil) -> QueryClient {
    let companions = companions ?? [Diary(notes: notes)]
    return QueryClient(simulation: simulation) { $0.fetchCompanions = companions }
  }

  private func query(failing failures: Int = 0) -> Query<Int> {
    Query("n") { [notes] context in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      notes.add("fetches as \(Caller.name)")
      if context.attempt < failures { throw Boom(context.attempt) }
      return 1
    }
  }

  @Test func callersAreSeenInTheirTasksAndTheFetchInTheTaskOfTheFirst() {
    let client = client()
    let query = query()
    for name in ["ada", "bob"] {
      simulation.task(as: name) { try await client.fetch(query) }
      simulation.settle()
    }
    simulation.advance(by: .seconds(1))
    expectEqual(
      notes.all.map { $0.replacing(#/\d+\.\d+/#, with: "#") },
      [
        #"ada starts ["n"] #"#, "attempt 0 of # for ada", #"bob joins ["n"] #"#,
        "fetches as companion", "done",
      ]
    )
  }

  @Test func everyAttemptIsAccompaniedAndAllAreOneFetch() {
    let client = client()
    let events = simulation.record(client.events)
    let query = query(failing: 1).retry(1) { _ in .seconds(5) }
    simulation.task(as: "ada") { try await client.fetch(query) }
    simulation.advance(by: .seconds(3))
    simulation.task(as: "bob") { try await client.fetch(query) }
    simulation.advance(by: .seconds(10))
    let fetches = Set(events.values.compactMap(\.fetch))
    let fetch = fetches.first.map { "\($0)" } ?? "none"
    expectEqual(fetches.count, 1)
    expectEqual(
      notes.all,
      [
        #"ada starts ["n"] \#(fetch)"#, "attempt 0 of \(fetch) for ada", "fetches as companion",
        "threw boom 0", #"bob joins ["n"] \#(fetch)"#, "attempt 1 of \(fetch) for ada",
        "fetches as companion", "done",
      ]
    )
  }

  @Test func theFirstCompanionIsOutermost() {
    let client = client(["outer ", "inner "].map { Diary(name: $0, notes: notes) })
    let query = query()
    simulation.task(as: "ada") { try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    let lines = notes.all.filter { !$0.contains("starts") }.map {
      $0.replacing(#/\d+\.\d+/#, with: "#")
    }
    expectEqual(
      lines,
      [
        "outer attempt 0 of # for ada", "inner attempt 0 of # for outer companion",
        "fetches as inner companion", "inner done", "outer done",
      ]
    )
  }

  @Test func aCachedValueIsNobodysWait() {
    let client = client()
    let query = query().staleTime(.minutes(1))
    client.setData(2, for: query.key)
    let task = simulation.task(as: "ada") { try await client.fetch(query) }
    simulation.settle()
    expectEmpty(notes.all)
    task.cancel()
  }

  /// However it ends: with an answer, with stale data, with an error, or because the caller leaves.
  @Test func theEndOfEachWaitIsTold() {
    struct Stopwatch: FetchCompanion {
      let notes: Notes<String>
      func callerWaited(_ wait: FetchWait, for duration: Duration) {
        let verb = wait.isJoining ? "joined" : "started"
        notes.add("\(Caller.name) \(verb) \(wait.key) for \(duration)")
      }
      func attempt<Value: Sendable>(
        _ context: FetchContext,
        perform: AccompaniedAttempt<Value>
      ) async throws -> Value {
        try await perform()
      }
    }
    let client = client([Stopwatch(notes: notes)])
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .seconds(1)),
      .failure(Boom(1), after: .seconds(1)),
      .value(2, after: .seconds(9))
    )
    let query = Query("n", fetch: fetch).staleIfError(.minutes(1)).softTimeout(.seconds(2))
    func ask(_ name: String) {
      simulation.task(as: name) { try await client.fetch(query) }
      simulation.settle()
    }
    ask("ada")
    simulation.advance(by: .milliseconds(400))
    ask("bob")
    simulation.advance(by: .seconds(1))
    simulation.task(as: "eve") { try await client.fetch(query, throwOnError: true) }
    simulation.advance(by: .seconds(1))
    ask("ada")
    let bob = simulation.task(as: "bob") { try await client.fetch(query, throwOnError: true) }
    simulation.settle()
    simulation.task(as: "joe") { try await client.fetch(query, timeout: .milliseconds(500)) }
    simulation.advance(by: .seconds(1))
    bob.cancel()
    simulation.advance(by: .seconds(8))
    simulation.task(as: "zoe") { try await client.ensure(query) }
    simulation.settle()
    // Who is answered at once is told of in any order.
    expectEqual(
      notes.all.prefix(2).sorted(),
      [
        #"ada started ["n"] for 1.0 seconds"#, #"bob joined ["n"] for 0.6 seconds"#,
      ]
    )
    expectEqual(
      notes.all.dropFirst(2),
      [
        #"eve started ["n"] for 1.0 seconds"#,
        #"joe joined ["n"] for 0.5 seconds"#, #"bob joined ["n"] for 1.0 seconds"#,
        #"ada started ["n"] for 2.0 seconds"#,
      ]
    )
  }

  @Test func whatACompanionThrowsIsTheErrorOfTheAttempt() {
    struct Refusal: FetchCompanion {
      func attempt<Value: Sendable>(
        _ context: FetchContext,
        perform: AccompaniedAttempt<Value>
      ) async throws -> Value {
        throw Boom(9)
      }
    }
    let client = client([Refusal()])
    let query = query()
    #expect(throws: Boom(9)) { try simulation.run { try await client.fetch(query) } }
    expectEmpty(notes.all)
  }

  @Test func aFetchThatReplacesAnotherHasItsOwnIdentity() async {
    let client = client()
    let events = simulation.record(client.events)
    let query = query()
    client.setData(0, for: query.key)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.task(as: "ada") { await client.refetch(.key(query.key)) }
    simulation.advance(by: .seconds(3))
    let steps = events.values.filter { $0.fetch != nil }
    let kinds = steps.map { $0.description.prefix { $0 != " " } }
    expectEqual(kinds, ["fetching", "cancelled", "fetching", "fetched"])
    expectEqual(steps.map { $0.fetch == steps[0].fetch }, [true, true, false, false])
    expectEqual(steps.last?.fetch, steps[2].fetch)
    recording.cancel()
  }

  @Test func fetchesOfTwoClientsAreNeverEqual() {
    let recordings = [client(), client()].map { client in
      let events = simulation.record(client.events)
      let query = query()
      simulation.task(as: "ada") { try await client.fetch(query) }
      simulation.advance(by: .seconds(1))
      return events.values.compactMap(\.fetch)
    }
    expectEqual(recordings[0].map(\.description), recordings[1].map(\.description))
    expectEqual(Set(recordings.joined()).count, 2)
  }

  @Test func anObservedEntryThatIsRemovedIsKeptEmpty() {
    let client = client()
    let events = simulation.record(client.events)
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.remove(.all)
    recording.cancel()
    simulation.settle()
    client.remove(.all)
    simulation.settle()
    let removals = events.values.filter { if case .removed = $0.kind { true } else { false } }
    expectEqual(removals.map(\.isKeptEmpty), [true, false])
  }

  @Test func aCallerThatGivesUpAtOnceDoesNotWait() {
    let client = client()
    let query = query()
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(query, timeout: .zero) }
    }
    #expect(!notes.all.contains { $0.contains("starts") })
  }
}
