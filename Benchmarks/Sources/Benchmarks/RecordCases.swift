import StreamQuery
import StreamQueryTesting

/// Cases of clients that keep a record; each is compared with the case of the same name without `record.`.
enum RecordCases {
  /// The cases in real time, which run before any simulation, because after one clients report their waits.
  static var real: [CountedCase] {
    [
      CountedCase(id: "record.build", iterations: 2_000) {
        let client = client()
        var next = 0
        return { iterations in
          for _ in 0..<iterations {
            client.setData(next, for: World.key(next))
            next += 1
          }
        }
      },
      CountedCase(id: "record.real.fetch", iterations: 500) {
        let client = client()
        var next = 0
        return { count in
          let first = next
          next += count
          OneThread.run {
            for index in first..<(first + count) {
              blackHole(try? await client.fetch(World.query(index)))
            }
          }
        }
      },
      CountedCase(id: "record.real.refetch", iterations: 500) {
        let client = client()
        let query = Query<Int>(key: World.key(1)) { 1 }
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "record.real.fetch.fresh", iterations: 1_000) {
        let client = client()
        let query = World.query(7)
        return { count in
          OneThread.run { for _ in 0..<count { blackHole(try? await client.fetch(query)) } }
        }
      },
      CountedCase(id: "record.real.subscribe", iterations: 1_000) {
        let client = client()
        let query = World.query(7)
        client.setData(7, for: query)
        return { count in
          OneThread.run {
            for _ in 0..<count {
              var iterator = client.results(of: query).makeAsyncIterator()
              blackHole(await iterator.next(isolation: nil))
            }
          }
        }
      },
    ]
  }

  static var simulated: [CountedCase] {
    [
      CountedCase(id: "record.write.unobserved", iterations: 2_000) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation) { $0.record = .last(1_000) }
        let query = World.query(7)
        _ = simulation.run { try? await client.fetch(query) }
        return { for index in 0..<$0 { client.setData(index, for: query) } }
      },
      CountedCase(id: "record.invalidate.10000", iterations: 100) {
        let simulation = Simulation()
        let client = QueryClient(simulation: simulation) { $0.record = .last(1_000) }
        for index in 0..<10_000 {
          client.setData(index, for: QueryKey<Int>("group", index % 100, index))
        }
        return { iterations in
          simulation.run {
            for _ in 0..<iterations { await client.invalidate(.prefix("group", 3)) }
          }
        }
      },
    ]
  }

  private static func client() -> QueryClient {
    var configuration = QueryClient.Configuration(
      defaults: QueryDefaults(gcTime: .seconds(300)),
      connectivity: .alwaysOnline,
      activity: .alwaysActive
    )
    configuration.record = .last(1_000)
    return QueryClient(configuration: configuration)
  }
}
