import CMeasure
import StreamQuery
import StreamQueryPersistence
import StreamQueryOperators
import StreamQueryTesting
import StreamQueryUI

/// A case in which allocations and instructions are counted.
///
/// Cases run on one thread in virtual time, so that the numbers repeat. Under callgrind, only the code that
/// `measure_watched` calls is counted, see `Scripts/bench-guard.sh`.
struct CountedCase {
  var id: String
  /// How many operations one call of the body makes.
  var iterations: Int
  /// Makes the objects of the case, and returns the closure that is counted.
  var prepare: () -> (Int) -> Void
}

enum CountedCases {
  static var all: [CountedCase] {
    [
      CountedCase(id: "read.prebuilt", iterations: 2_000) {
        let (client, keys) = World.filled(1_000)
        return { for index in 0..<$0 { blackHole(client.data(for: keys[index % 1_000])) } }
      },
      CountedCase(id: "read.built", iterations: 2_000) {
        let (client, _) = World.filled(1_000)
        return { iterations in
          for index in 0..<iterations {
            blackHole(client.data(for: QueryKey<Int>("todos", "list", index % 1_000)))
          }
        }
      },
      CountedCase(id: "read.result", iterations: 1_000) {
        let (client, query) = fetched()
        return { for _ in 0..<$0 { blackHole(client.result(for: query)) } }
      },
      CountedCase(id: "write.unobserved", iterations: 1_000) {
        let (client, query) = fetched()
        return { for index in 0..<$0 { client.setData(index, for: query) } }
      },
      // The cost of noting that a value is to be saved; `persist.plain` makes the writes without a store.
      CountedCase(id: "persist.note", iterations: 1_000) {
        var persistence = Persistence(in: MemoryStore())
        persistence.throttle = .seconds(600)
        return writes(persistence)
      },
      CountedCase(id: "persist.plain", iterations: 1_000) { writes(nil) },
      CountedCase(id: "build", iterations: 2_000) {
        let client = World.client()
        var next = 0
        return { iterations in
          for _ in 0..<iterations {
            client.setData(next, for: World.key(next))
            next += 1
          }
        }
      },
      CountedCase(id: "fetch.fresh", iterations: 1_000) {
        simulated { client, query, iterations in
          for _ in 0..<iterations { blackHole(try? await client.fetch(query)) }
        }
      },
      CountedCase(id: "server.read", iterations: 1_000) {
        let (client, query) = served()
        let key = query.key
        return { for _ in 0..<$0 { blackHole(client.data(for: key)) } }
      },
      CountedCase(id: "server.fetch", iterations: 1_000) {
        let (client, query) = served()
        return { count in
          InlineExecutor.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "server.fetch.made", iterations: 1_000) {
        let (client, _) = served()
        return { count in
          InlineExecutor.run {
            for _ in 0..<count { blackHole(try? await client.fetch(World.query(7))) }
          }
        }
      },
      CountedCase(id: "server.fetch.modified", iterations: 1_000) {
        let client = QueryClient(simulation: Simulation(), configuration: .server)
        let kept = ServedQueryCases.made(7)
        client.setData(7, for: kept)
        return { count in
          InlineExecutor.run {
            for _ in 0..<count { blackHole(try? await client.fetch(ServedQueryCases.made(7))) }
          }
        }
      },
      CountedCase(id: "subscribe.stream", iterations: 1_000) {
        simulated { client, query, iterations in
          for _ in 0..<iterations {
            var iterator = client.stream(query).makeAsyncIterator()
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "subscribe.results", iterations: 1_000) {
        simulated { client, query, iterations in
          for _ in 0..<iterations {
            var iterator = client.results(of: query).makeAsyncIterator()
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "fanout.stream.same", iterations: 1_000) {
        simulated { client, query, iterations in
          var iterator = client.stream(query).makeAsyncIterator()
          for index in 0..<iterations {
            client.setData(index, for: query)
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "fanout.results.same", iterations: 1_000) {
        simulated { client, query, iterations in
          var iterator = client.results(of: query).makeAsyncIterator()
          for index in 0..<iterations {
            client.setData(index, for: query)
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "operator.select.results", iterations: 1_000) {
        simulated { client, query, iterations in
          var iterator = client.results(of: query).select { $0 }.makeAsyncIterator()
          for index in 0..<iterations {
            client.setData(index, for: query)
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "operator.distinct.results", iterations: 1_000) {
        simulated { client, query, iterations in
          var iterator = client.results(of: query).removeDuplicates().makeAsyncIterator()
          for index in 1...iterations {
            client.setData(index, for: query)
            blackHole(await iterator.next(isolation: nil))
          }
        }
      },
      CountedCase(id: "fanout.results.100", iterations: 100) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation)
        let query = World.query(1)
        client.setData(0, for: query)
        for _ in 0..<100 {
          simulation.task { for await result in client.results(of: query) { blackHole(result) } }
        }
        simulation.settle()
        return { iterations in
          for index in 0..<iterations {
            client.setData(index, for: query)
            simulation.settle()
          }
        }
      },
      CountedCase(id: "fetch.cold", iterations: 500) {
        simulated { client, _, iterations in
          let first = Position.take(iterations)
          for index in first..<(first + iterations) {
            blackHole(try? await client.fetch(World.query(index)))
          }
        }
      },
      CountedCase(id: "fetch.concurrent", iterations: 2_000) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation)
        return { iterations in
          let query = World.query(Position.take(1))
          for _ in 0..<iterations {
            simulation.task { blackHole(try? await client.fetch(query)) }
          }
          simulation.settle()
        }
      },
      CountedCase(id: "page.1000", iterations: 100) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation)
        let query = PagingCases.feed(1_000)
        if let pages = Pages(Array(0..<1_000), params: Array(0..<1_000)) {
          client.setData(pages, for: query)
        }
        return { iterations in
          simulation.run {
            for _ in 0..<iterations { blackHole(try? await client.fetchNextPage(of: query)) }
          }
        }
      },
      CountedCase(id: "invalidate.10000", iterations: 100) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation)
        for index in 0..<10_000 {
          client.setData(index, for: QueryKey<Int>("group", index % 100, index))
        }
        return { iterations in
          simulation.run {
            for _ in 0..<iterations { await client.invalidate(.prefix("group", 3)) }
          }
        }
      },
      CountedCase(id: "retention", iterations: 2_000) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation)
        return { iterations in
          // The writes count, too; the case `build` counts them alone.
          for index in 0..<iterations { client.setData(index, for: World.key(index)) }
          simulation.advance(by: .seconds(301))
        }
      },
      CountedCase(id: "observed.appear", iterations: 1_000) {
        let (client, query) = fetched()
        return { iterations in
          MainActor.assumeIsolated {
            for _ in 0..<iterations { blackHole(ObservedQuery(query, client: client).data) }
          }
        }
      },
      CountedCase(id: "observed.1000", iterations: 200) {
        { count in MainActor.assumeIsolated { observedWrites(count) } }
      },
      CountedCase(id: "scenarios", iterations: 20) {
        { for seed in 0..<$0 { ScenarioCases.scenario(seed: UInt64(seed)) } }
      },
    ]
  }

  /// Makes a client with a limit, in which a hit also notes the use of the entry.
  private static func served() -> (QueryClient, Query<Int>) {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation, configuration: .server)
    let query = World.query(7)
    _ = simulation.run { try? await client.fetch(query) }
    return (client, query)
  }

  /// Gives the numbers of keys that no cold fetch has used yet.
  private enum Position {
    // Unsafe: counted cases run on one thread.
    nonisolated(unsafe) private static var next = 1_000
    static func take(_ count: Int) -> Int {
      defer { next += count }
      return next
    }
  }

  /// Writes data, and waits each time until a thousand observed queries have it.
  @MainActor private static func observedWrites(_ count: Int) {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let query = World.query(7)
      client.setData(0, for: query)
      let observed = (0..<1_000).map { _ in ObservedQuery(query, client: client) }
      for value in 1...count {
        client.setData(value, for: query)
        simulation.settle()
      }
      withExtendedLifetime(observed) {}
    }
  }

  /// Returns a closure that writes entries, each of them once; with a persistence, the entries are saved.
  private static func writes(_ persistence: Persistence?) -> (Int) -> Void {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation) { $0.persistence = persistence }
    let keys = (0..<2_000).map { World.key($0) }
    for key in keys { client.setData(0, for: key) }
    _ = simulation.run { try? await client.save() }
    var next = 0
    return { iterations in
      for _ in 0..<iterations {
        client.setData(1, for: keys[next])
        next += 1
      }
    }
  }

  private static func fetched() -> (QueryClient, Query<Int>) {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let query = World.query(7)
    _ = simulation.run { try? await client.fetch(query) }
    return (client, query)
  }

  private static func simulated(
    _ body: @escaping @Sendable (QueryClient, Query<Int>, Int) async -> Void
  ) -> (Int) -> Void {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let query = World.query(7)
    _ = simulation.run { try? await client.fetch(query) }
    return { iterations in
      simulation.run { await body(client, query, iterations) }
    }
  }

  /// Runs the cases and gives the allocations of one operation of each.
  static func run(_ wanted: [String]) -> [(id: String, iterations: Int, allocations: Double)] {
    let every =
      FloorCases.counted + RecordCases.real + all + RecordCases.simulated + OperatorCases.all
    let chosen = every.filter { item in
      wanted.isEmpty || wanted.contains { item.id.hasPrefix($0) }
    }
    return chosen.map { item in
      let body = item.prepare()
      // The first call is not counted, because it fills caches of the runtime.
      body(item.iterations)
      let before = measure_allocations()
      watched { body(item.iterations) }
      let made = measure_allocations() - before
      return (item.id, item.iterations, Double(made) / Double(item.iterations))
    }
  }

  private static func watched(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      var box = Body(run: body)
      withUnsafeMutablePointer(to: &box) { pointer in
        measure_watched({ $0.assumingMemoryBound(to: Body.self).pointee.run() }, pointer)
      }
    }
  }

  private struct Body {
    var run: () -> Void
  }
}
