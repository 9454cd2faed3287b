import StreamQuery
import StreamQueryTesting
import Testing

private enum Label: QueryMetaKey { static let defaultValue = "" }

/// What handlers of a query are told, and when.
struct FetchHandlerTests {
  private let simulation = Simulation(seed: 59)
  private let client: QueryClient
  private let notes = Notes<String>()

  init() {
    client = QueryClient(simulation: simulation)
  }

  /// A query whose handlers say what they get.
  private func noted(_ steps: ScriptedFetch<String>.Step...) -> Query<String> {
    Query("a", fetch: ScriptedFetch(steps)).retry(.never)
      .onSuccess { [notes] value, _ in notes.add("value \(value)") }
      .onError { [notes] error, _ in notes.add("error \(error)") }
      .onSettled { [notes] result, context in
        switch result {
        case .success(let value): notes.add("settled \(value) for \(context.cause)")
        case .failure(let error): notes.add("settled \(error) for \(context.cause)")
        }
      }
  }

  @Test("T59: handlers are called once for each fetch, not for each observer or caller")
  func oncePerFetch() {
    let query = noted(
      .value("1", after: .milliseconds(10)),
      .failure(Boom(2), after: .milliseconds(10))
    )
    let recordings = (1...3).map { _ in simulation.record(client.stream(query)) }
    for _ in 1...3 { simulation.task { [client] in try await client.fetch(query) } }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["value 1", "settled 1 for subscribed"])
    client.markInvalidated(.key(query.key))
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.suffix(2), ["error boom 2", "settled boom 2 for invalidated"])
    expectEqual(notes.count, 4)
    #expect(recordings.allSatisfy { $0.values.last?.data == "1" })
    client.shutDown()
  }

  @Test func handlersFindTheValueInTheCacheAndRunBeforeCallersAndObserversAreTold() {
    let query = Query("a", fetch: ScriptedFetch(.value(1, after: .milliseconds(10))))
      .onSuccess { [notes] value, context in
        let key = QueryKey<Int>("a")
        notes.add("handler has \(value), cache has \(context.client.data(for: key) ?? 0)")
        context.client.setData(value * 10, for: QueryKey<Int>("b"))
      }
    simulation.task { [client, notes] in
      for await result in client.stream(query) {
        guard let data = result.data else { continue }
        notes.add("observer has \(data), b is \(client.data(for: QueryKey<Int>("b")) ?? 0)")
        break
      }
    }
    simulation.task { [client, notes] in
      notes.add("caller has \(try await client.fetch(query))")
    }
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.first, "handler has 1, cache has 1")
    expectEqual(Set(notes.all.dropFirst()), ["observer has 1, b is 10", "caller has 1"])
  }

  @Test func theContextHasTheMetadataAndTheLastAttempt() {
    let fetch = ScriptedFetch<String>(
      .failure(Boom(1), after: .zero),
      .failure(Boom(2), after: .zero),
      .value("a", after: .zero),
      .failure(Boom(3), after: .zero)
    )
    let query = Query("a", fetch: fetch).meta(Label.self, "label").retry(2)
      .onSettled { [notes] _, context in
        notes.add("\(context.key) \(context.meta[Label.self]) \(context.attempt)")
      }
    simulation.run { [client] in
      _ = try? await client.fetch(query)
      _ = try? await client.fetch(query.retry(.never))
    }
    expectEqual(notes.all, [#"["a"] label 2"#, #"["a"] label 0"#])
  }

  @Test func neitherWritesNorCancelledNorReplacedFetchesCallHandlers() {
    let query = noted(.value("1", after: .milliseconds(10)), .value("2", after: .milliseconds(10)))
    client.setData("0", for: query)
    let first = simulation.task { [client] in try await client.fetch(query) }
    simulation.settle()
    first.cancel()
    simulation.advance(by: .seconds(1))
    simulation.task { [client] in await client.refetch(query) }
    simulation.settle()
    client.setData("3", for: query, fencing: true)
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, [])
    expectEqual(client.data(for: query), "3")
  }

  @Test func aFetchThatNobodyAwaitsAnyMoreCallsHandlersIfItFinishes() {
    let query = noted(.value("1", after: .milliseconds(10))).onAbandonment(.finish)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["value 1", "settled 1 for subscribed"])
  }

  @Test func unchangedDataIsASuccessWithThatData() {
    let query = Query<String>("a") { throw NotModified() }
      .onSuccess { [notes] value, _ in notes.add(value) }
    client.setData("cached", for: query)
    let value = simulation.run { [client] in try? await client.fetch(query) }
    expectEqual(value, "cached")
    expectEqual(notes.all, ["cached"])
  }

  @Test func aStreamedQueryCallsItsHandlerWhenTheStreamHasEnded() {
    let count = Dial(0)
    let parts = Query<[Int]>.streamed("parts") { [clock = simulation.clock] _ in
      AsyncThrowingStream<Int, any Error>(
        unfolding: {
          try await clock.sleep(for: .milliseconds(10))
          let part = count.with { count in
            count += 1
            return count
          }
          return part > 3 ? nil : part
        }
      )
    }.onSuccess { [notes] value, _ in notes.add("\(value)") }
    simulation.run { [client] in await client.prefetch(parts) }
    expectEqual(notes.all, ["[1, 2, 3]"])
  }

  @Test func aHandlerThatRefetchesItsOwnQueryDoesNotDeadlock() {
    let query = Query("a", fetch: ScriptedFetch(.value(1, after: .zero), .value(2, after: .zero)))
      .onSuccess { [notes] value, context in
        notes.add("\(value)")
        if value == 1 { context.client.markInvalidated(.key(QueryKey<Int>("a"))) }
      }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["1", "2"])
    expectEqual(recording.values.last?.data, 2)
    client.shutDown()
  }
}
