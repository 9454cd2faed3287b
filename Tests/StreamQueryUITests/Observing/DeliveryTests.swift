@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// What is brought to observed objects, and what is not.
@MainActor
struct DeliveryTests {
  private struct Fatal: Error {}

  private func run(
    seeds: Range<UInt64> = 0..<4,
    _ body: @MainActor (Simulation, QueryClient) -> Void
  ) {
    for seed in seeds {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  @Test("what a caller waited for shows in all objects in the same job")
  func callersSeeWholeTransactions() {
    run(seeds: 0..<40) { simulation, client in
      let fetch = ScriptedFetch<Int>(.value(1), .value(2, after: .milliseconds(5)))
      let query = Query("n", fetch: fetch)
      let one = ObservedQuery(query, client: client)
      let other = ObservedQuery(query, client: client)
      simulation.settle()
      let screen = Screen { "\(one.data ?? 0) \(other.data ?? 0)" }
      var after: [Int?] = []
      Task {
        await one.refetch()
        after = [one.data, other.data]
      }
      simulation.advance(by: .seconds(1))
      expectEqual(after, [2, 2])
      expectEqual(screen.frames, ["1 1", "2 2"])
    }
  }

  @Test("a query that is said again with an equal placeholder changes nothing")
  func equalPlaceholders() {
    run { simulation, client in
      func query() -> Query<String> {
        Query(key: "a", fetch: ScriptedFetch<String>(.never)).placeholder("stand-in")
      }
      let observed = ObservedQuery(query(), client: client)
      let batch = ObservedQueries([AnyQuery(query())], client: client)
      let (result, list) = (Screen { observed.result.data }, Screen { batch[query()]?.data })
      for _ in 0..<3 {
        observed.follow(query(), using: client)
        batch.follow([AnyQuery(query())], using: client)
        simulation.settle()
      }
      expectEqual(result.frames, ["stand-in"])
      expectEqual(list.frames, ["stand-in"])
      observed.follow(query().placeholder("other"), using: client)
      simulation.settle()
      expectEqual(result.frames, ["stand-in", "other"])
    }
  }

  @Test("a reader of a mutation's state is not told of other changes")
  func statesOfMutations() {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      let work = Mutation("work") { (_: Int, _: MutationContext) in
        try await ScriptedFetch(.value((), after: .seconds(10)))()
      }
      let observed = ObservedMutation(work, client: client)
      let number = ObservedQuery(query, client: client)
      observed.run(1)
      let screen = Screen { observed.state.status }
      let numbers = Screen { number.data ?? 0 }
      simulation.settle()
      for number in 1...3 {
        client.setData(number, for: query)
        observed.follow(work, using: client)
        simulation.settle()
      }
      expectEqual(numbers.frames, [0, 1, 2, 3])
      expectEqual(screen.frames, [.pending])
      simulation.advance(by: .seconds(10))
      expectEqual(screen.frames, [.pending, .success])
    }
  }

  @Test("another boundary gets the error that the first one had")
  func anotherBoundary() {
    run { simulation, client in
      let query = Query("a", fetch: ScriptedFetch<Int>(.failure(Fatal()))).retry(0)
        .throwOnError(.always)
      let observed = ObservedQuery(query, client: client)
      let (first, second) = (ErrorBoundary(), ErrorBoundary())
      observed.boundary = first
      simulation.settle()
      expectEqual(first.errors.count, 1)
      observed.boundary = second
      expectEqual(second.errors.count, 1)
    }
  }

  @Test("a member of another client is none of the group")
  func strangers() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      let (number, text) = (Query<Int>(key: "n"), Query<String>(key: "t"))
      client.setData(7, for: number)
      other.setData("text", for: text)
      let own = client.observer(of: number)
      let stranger = other.observer(of: text)
      let group = ObservationGroup(client)
      let change = group.insert(stranger)
      expect(change.result(of: stranger)?.data != "7")
      expect(change.isOver)
      withExtendedLifetime(own) {}
    }
  }

  @Test("a released observation leaves its position to others")
  func positionsAreFreed() {
    run { _, client in
      let query = Query<Int>(key: "n")
      let owner = DeliveryTests.Owner()
      let delivery = MainActorDelivery.of(client)
      do {
        let observation = client.observe(query, on: owner) { _ in }
        // On Apple's systems the owner holds it, and nobody cancels it.
        delivery.release(observation)
      }
      let position = delivery.group.insert(client.observer(of: query)).position
      delivery.group.remove(position)
      expectEqual(position, 0)
    }
  }

  private final class Owner {}

  @Test("a client that takes the place of one that was shut down is observed")
  func clientsAtTheSameAddress() {
    Simulation.onMainActor { simulation in
      let query = Query<Int>(key: "n")
      let observed = ObservedQuery(query)
      func client(_ number: Int) -> QueryClient {
        let client = QueryClient(simulation: simulation)
        client.setData(number, for: query)
        return client
      }
      var former: QueryClient? = client(0)
      var addresses: [ObjectIdentifier] = []
      for number in 1...50 {
        if let former {
          observed.start(using: former)
          addresses.append(ObjectIdentifier(former))
          former.shutDown()
        }
        former = nil
        simulation.settle()
        let next = client(number)
        observed.start(using: next)
        expectEqual(observed.data, number)
        former = next
      }
      observed.stop()
    }
  }

  @Test("Q11: what runs with the former input does not land where a placeholder is shown")
  func fetchersWithPlaceholders() {
    run { simulation, client in
      let search = ObservedFetcher(fetcher: Search(), client: client) {
        Query("search", fetcher: $0).placeholder("…")
      }
      let screen = Screen { search.query.data ?? "-" }
      simulation.advance(by: .milliseconds(5))
      search.refetch { $0.text = "b" }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["…", "b"])
    }
  }

  private final class Search: QueryFetcher {
    var text = "a"
    private let pause = ScriptedFetch(.value((), after: .milliseconds(10)))

    func fetch() async throws -> String {
      let found = text
      try await pause()
      return found
    }
  }

  @Test("V06: a list that is back within a second finds its requests running")
  func listsLinger() {
    run { simulation, client in
      let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(5)))
      let query = Query("n", fetch: fetch)
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      simulation.advance(by: .seconds(1))
      batch.stop()
      simulation.advance(by: .milliseconds(900))
      batch.start(using: client)
      simulation.advance(by: .seconds(5))
      expectEqual(fetch.callCount, 1)
      expectEqual(batch[query]?.data, 1)
    }
  }
}
