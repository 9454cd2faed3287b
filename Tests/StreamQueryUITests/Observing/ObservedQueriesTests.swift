import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct ObservedQueriesTests {
  private struct Broken: Error {}

  private func query(_ name: String, _ step: ScriptedFetch<String>.Step) -> Query<String> {
    Query(key: QueryKey(name), fetch: ScriptedFetch(step)).retry(0)
  }

  @Test("G05, G06: queries of any type run side by side, and are found by their typed keys")
  func resultsAreFoundByKey() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let name = query("name", .value("Ada", after: .milliseconds(10)))
      let age = Query("age", fetch: ScriptedFetch(.value(36, after: .milliseconds(20))))
      let broken = query("broken", .failure(Broken(), after: .milliseconds(10)))
      let batch = ObservedQueries(
        [AnyQuery(name), AnyQuery(age), AnyQuery(broken)],
        client: client
      )
      let screen = Screen {
        let (name, age) = (batch[name]?.data ?? "-", batch[age.key]?.data.map(String.init) ?? "-")
        return "\(name) \(age) \(batch.errors.count)\(batch.isFetching ? "…" : "")"
      }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["- - 0…", "Ada - 0…", "Ada - 1…", "Ada 36 1"])
      expectEqual(batch[broken]?.isError, true)
      expectNil(batch[QueryKey<Int>("none")])
      expect(!batch.isPending && !batch.isSuccess)
    }
  }

  @Test("a list that begins after a shutdown of its client is pending, and not successful")
  func begunAfterAShutdown() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let name = query("name", .value("Ada"))
      client.setData("Ada", for: name)
      client.shutDown()
      let batch = ObservedQueries([AnyQuery(name)], client: client)
      for _ in 1...2 {
        expect(batch.isPending && !batch.isSuccess && !batch.isFetching)
        expectEqual(batch[name]?.isPending, true)
        expectNil(batch[name]?.data)
        simulation.settle()
      }
    }
  }

  @Test("the results of a list stay if it is drawn again before it hears of a shutdown")
  func drawnAgainAfterAShutdown() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let query = query("name", .value("Ada")).enabled(false)
      client.setData("Ada", for: query)
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      client.shutDown()
      for _ in 1...2 {
        batch.update([AnyQuery(query)])
        expect(batch[query]?.data == "Ada" && batch.isSuccess)
        simulation.settle()
      }
    }
  }

  @Test("what an event starts again while it is put away goes on")
  func startedAgainWhilePutAway() {
    Simulation.onMainActor { simulation in
      let again = Again()
      let client = QueryClient(simulation: simulation) {
        $0.onEvent = { event in
          if case .unobserved = event.kind { MainActor.assumeIsolated { again.action?() } }
        }
      }
      let query = Query<String>(key: "name")
      client.setData("Ada", for: query)
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      again.action = {
        again.action = nil
        batch.start(using: client)
      }
      batch.showNothing()
      expect(batch.isObserving && batch[query]?.data == "Ada")
      batch.showNothing()
      expect(!batch.isObserving && batch.results == nil)
      let observed = ObservedQuery(query, client: client)
      again.action = {
        again.action = nil
        observed.start(using: client)
      }
      observed.showNothing()
      expect(observed.isObserving && observed.data == "Ada" && observed.query.key == query.key)
      observed.showNothing()
      expect(!observed.isObserving && observed.data == nil)
    }
  }

  @MainActor
  private final class Again {
    var action: (@MainActor () -> Void)?
  }

  @Test("a transaction that changes several members is one frame, and a burst too")
  func turnsAreWhole() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let queries = ["a", "b", "c"].map { Query<Int>(key: QueryKey($0)) }
      for query in queries { client.setData(0, for: query) }
      let batch = ObservedQueries(queries.map { AnyQuery($0) }, client: client)
      let screen = Screen { queries.map { batch[$0]?.data } }
      for number in 1...100 {
        client.updateData(matching: .all, of: Int.self) { _, value in value = number }
      }
      simulation.settle()
      expectEqual(screen.frames, [[0, 0, 0], [100, 100, 100]])
    }
  }

  @Test("a replaced list keeps the observers of keys that stay")
  func replacingTheList() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let log = FetchLog()
      func query(_ name: String) -> AnyQuery {
        AnyQuery(
          Query(key: QueryKey<String>(name)) {
            log.add(name)
            return name
          }
        )
      }
      let batch = ObservedQueries()
      expect(batch.results == nil && batch.isPending && !batch.isObserving)
      let screen = Screen { batch.results?.results(of: String.self).map { $0.data ?? "-" } }
      batch.follow([query("a"), query("b")], using: client)
      simulation.settle()
      batch.follow([query("b"), query("c")], using: client)
      simulation.settle()
      client.setData("B", for: QueryKey("b"))
      simulation.settle()
      expectEqual(
        screen.frames,
        [
          nil, ["-", "-"], ["a", "b"], ["b", "-"], ["b", "c"], ["B", "c"],
        ]
      )
      expectEqual(log.lines, ["a", "b", "c"])
      expectEqual(client.diagnostics().map(\.observerCount), [0, 1, 1])
    }
  }

  @Test("another list of another client asks nothing of the former client")
  func anotherClient() {
    Simulation.onMainActor { simulation in
      let clients = [QueryClient(simulation: simulation), QueryClient(simulation: simulation)]
      let batch = ObservedQueries()
      for (client, name) in zip(clients, ["a", "b"]) {
        batch.follow([AnyQuery(query(name, .value(name, after: .seconds(5))))], using: client)
        simulation.settle()
      }
      expectEqual(clients.map { $0.diagnostics().map(\.key) }, [["a"], ["b"]])
      simulation.advance(by: .seconds(2))
      expectEqual(clients.map { $0.fetchingCount() }, [0, 1])
    }
  }

  @Test("what is stopped shows its last state, and what is released leaves nothing")
  func theEnd() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let query = Query<Int>(key: "a")
      do {
        let batch = ObservedQueries([AnyQuery(query)], client: client)
        client.setData(1, for: query)
        simulation.settle()
        batch.stop()
        client.setData(2, for: query)
        simulation.settle()
        expectEqual(batch[query]?.data, 1)
        batch.start(using: client)
        expectEqual(batch[query]?.data, 2)
      }
      expectEqual(client.diagnostics().map(\.observerCount), [0])
    }
  }

  @Test("a reader is told only of the results and flags that it has read")
  func tracking() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let one = query("one", .value("1", after: .milliseconds(10)))
      let other = query("other", .failure(Broken(), after: .milliseconds(20)))
      let batch = ObservedQueries([AnyQuery(one), AnyQuery(other)], client: client)
      let ones = Screen { batch[one]?.data ?? "-" }
      let others = Screen { batch[other]?.isError }
      let flags = Screen { "\(batch.isPending) \(batch.isFetching) \(batch.isSuccess)" }
      let errors = Screen { batch.errors.count }
      let none = Screen { batch[QueryKey<String>("none")] == nil }
      simulation.advance(by: .seconds(1))
      expectEqual(ones.frames, ["-", "1"])
      expectEqual(others.frames, [false, true])
      expectEqual(flags.frames, ["true true false", "false false false"])
      expectEqual(errors.frames, [0, 1])
      client.setData("written", for: one)
      simulation.settle()
      expectEqual(ones.frames, ["-", "1", "written"])
      expect(others.frames == [false, true] && errors.frames == [0, 1])
      expect(flags.frames.count == 2 && none.frames == [true, true, true, true])
      // Another list: whoever has read a position looks again.
      batch.update([AnyQuery(other), AnyQuery(one)])
      simulation.settle()
      expect(ones.frames.last == "written" && others.frames.last == true)
      client.setData("written last", for: one)
      simulation.settle()
      expectEqual(ones.frames.last, "written last")
    }
  }

  @Test("commands concern all queries of the list, and wait for them")
  func commands() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let fetches = (0..<3).map { index in
        ScriptedFetch<String>(
          (1...9).map { .value("\(index).\($0)", after: .milliseconds(10 * (index + 1))) }
        )
      }
      let queries = fetches.enumerated().map { index, fetch in
        Query(key: QueryKey<String>("n", index), fetch: fetch)
      }
      let unrelated = client.observer(of: queries[2])
      let batch = ObservedQueries(queries[..<2].map { AnyQuery($0) }, client: client)
      @MainActor func shown() -> [String?] { queries[..<2].map { batch[$0]?.data } }
      simulation.advance(by: .seconds(1))
      expectEqual(shown(), ["0.1", "1.1"])
      let commands: [@MainActor () async -> Void] = [
        { await batch.refetch() }, { await batch.invalidate() }, { await batch.reset() },
      ]
      for (count, command) in commands.enumerated() {
        var isDone = false
        Task {
          await command()
          isDone = true
        }
        simulation.advance(by: .milliseconds(19))
        expect(!isDone)
        simulation.advance(by: .milliseconds(1))
        expect(isDone && shown() == ["0.\(count + 2)", "1.\(count + 2)"])
      }
      @MainActor func pressed() {
        batch.refetch()
        batch.invalidate()
        batch.reset()
      }
      pressed()
      simulation.advance(by: .seconds(1))
      expect(batch.isSuccess && !batch.isFetching && shown() != ["0.4", "1.4"])
      expectEqual(fetches[2].callCount, 1)
      batch.stop()
      let counts = fetches.map(\.callCount)
      pressed()
      simulation.advance(by: .seconds(1))
      expectEqual(fetches.map(\.callCount), counts)
      withExtendedLifetime(unrelated) {}
    }
  }
}
