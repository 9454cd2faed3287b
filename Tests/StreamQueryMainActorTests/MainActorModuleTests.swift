import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

/// What works in a module that belongs to the main actor.
struct MainActorModuleTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func actionsSetWhatTheModelShows(seed: UInt64) {
    Simulation.onMainActor(seed: seed) { simulation in
      let fetch = ScriptedFetch<[Todo]>(
        .value([Todo(id: 1, title: "Write")], after: .milliseconds(30)),
        .failure(Gone())
      )
      let list = TodoList(QueryClient(simulation: simulation))
      let query = Query("todos", fetch: fetch).retry(0)
      let following = Task { [weak list] in await list?.follow(query) }
      list.followWeakly(query)
      simulation.advance(by: .seconds(1))
      expectEqual(list.total, 1)
      expectEqual(list.todos.map(\.title), ["Write"])
      list.client.setData([], for: query.key)
      simulation.settle()
      expectEqual(list.total, 0)
      Task { [client = list.client] in await client.invalidate(.prefix("todos")) }
      simulation.settle()
      expectEqual(list.failures, 1)
      #expect(list.changes > 2)
      following.cancel()
      list.client.shutDown()
      simulation.settle()
    }
  }

  @Test func callbacksOfMutationsSetWhatTheModelShows() throws {
    try Simulation.onMainActor { simulation in
      let list = TodoList(QueryClient(simulation: simulation))
      try await list.save(Todo(id: 1, title: "Read"))
      expectEqual(list.saved?.title, "Read")
      expectEqual(list.settled, 1)
      expectEqual(list.failures, 0)
      expect(!list.isVisible)
    }
  }

  @Test func conditionsReadWhatTheModelShows() {
    Simulation.onMainActor { simulation in
      let activity = ManualSignal(true)
      let client = QueryClient(simulation: simulation) { $0.activity = AppActivity { activity } }
      let list = TodoList(client)
      let fetch = ScriptedFetch<[Todo]>(.value([]))
      let recording = simulation.record(
        client.stream(list.whileVisible(Query("todos", fetch: fetch)))
      )
      simulation.settle()
      for (isVisible, calls) in [(false, 1), (true, 2)] {
        list.isVisible = isVisible
        activity.send(false)
        simulation.settle()
        activity.send(true)
        simulation.settle()
        expectEqual(fetch.calls.count, calls)
      }
      expectEqual(list.conditions, 2)
      recording.cancel()
      activity.finish()
      client.shutDown()
      simulation.settle()
    }
  }

  @Test func extensionsServeClosuresOfNoActor() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      try await expectEqual(client.fetch(.todos(at: .inbox)).count, 2)
      try await expectEqual(client.fetch(Query(TodosOf(project: 3))).first?.id, 3)
      try await expectEqual(client.fetch(.archive).pages.count, 1)
      let renamed = try await client.mutate(.rename, with: Todo(id: 1, title: "Rest"))
      expectEqual(renamed.title, "Rest")
      let (ids, input) = AsyncStream.makeStream(of: Int.self)
      input.yield(5)
      input.finish()
      let task = Task { await elsewhere(client, ids) }
      try await simulation.settled(after: .zero)
      task.cancel()
      expectEqual(client.result(for: .todos(at: .project(5))).titles, ["Write", "Read"])
    }
  }

  @Test func ownPartsOfKeysBelongToNoActor() {
    let client = QueryClient()
    let (route, filter) = (Route.project(1), Filter(year: 2026))
    let key = QueryKey<Int>("count", route, filter, Path(folder: "a", name: "b"))
    client.setData(3, for: key)
    expectEqual(client.data(for: QueryKey<Int>("count", route, filter, "a", "b")), 3)
    expect(QueryKey<Int>("count", fields: ["route": Route.inbox]) != QueryKey<Int>("count"))
    #expect(throws: Never.self) { try AnyQueryKey(QueryKey<Int>(Filter(year: 1))).canonicalText() }
  }

  @Test(arguments: [true, false]) func equalAnswersOfModelsAreKept(isShared: Bool) {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let todo = Todo(id: 1, title: "Write")
      let fetch = ScriptedFetch<[Todo]>(.value([todo]), .value([todo]))
      let query = Query("todos", fetch: fetch).sharing(isShared ? .automatic : .off)
      var answers = 0
      let count = { answers += 1 }
      let recording = simulation.record(client.stream(query).onSuccess { _ in count() })
      simulation.settle()
      simulation.run { await client.invalidate(.todos) }
      simulation.settle()
      expectEqual(fetch.calls.count, 2)
      expectEqual(answers, isShared ? 1 : 2)
      recording.cancel()
      client.shutDown()
    }
  }
}

nonisolated struct Gone: Error {}
