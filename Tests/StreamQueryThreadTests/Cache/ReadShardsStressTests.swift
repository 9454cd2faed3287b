import Testing

@testable import StreamQuery

/// Threads at once: see `StressTests`.
@Suite(.timeLimit(.minutes(10))) struct ReadShardsStressTests {
  @Test("of hits by many threads, each is told once, whenever the client ends")
  func reports() async {
    for round in 0..<20 {
      let told = Dial(0)
      var configuration = QueryClient.Configuration.server
      configuration.eventReceivers = [
        EventReceiver(hits: { _, count in told.with { $0 += count } }) { event in
          if case .lookup(.hit) = event.kind { told.with { $0 += 1 } }
        }
      ]
      let client = QueryClient(configuration: configuration)
      let queries = (0..<4).map { number in
        Query<Int>("n", number) { number }.staleTime(.infinite)
      }
      await withTaskGroup { group in
        for reader in 0..<3 {
          group.addTask {
            for place in 0..<1_000 {
              _ = try? await client.fetch(queries[(place + reader) % 4])
              if reader == 0, place == 50 * round { client.shutDown() }
            }
          }
        }
      }
      expectEqual(told.value, client.lookups.hits, "round \(round)")
    }
  }

  @Test("who has seen something of a transaction sees all of it, by whichever way")
  func wholeTransactions() async {
    let client = QueryClient(configuration: .server)
    let keys = (0..<8).map { QueryKey<Int>("n", $0) }
    for key in keys { client.setData(0, for: key) }
    let last = 3_000
    await withTaskGroup { group in
      group.addTask {
        for _ in 1...last { client.updateData(matching: "n", of: Int.self) { $1? += 1 } }
      }
      for reader in 0..<3 {
        group.addTask {
          var newest = 0
          while newest < last {
            for place in 0..<8 {
              let key = keys[(place * (reader + 1)) % 8]
              let query = Query<Int>(key: key).staleTime(.infinite)
              let seen =
                place.isMultiple(of: 2) ? client.data(for: key) : try? await client.fetch(query)
              guard let seen, seen >= newest else {
                Issue.record("\(String(describing: seen)) after \(newest)")
                return
              }
              newest = seen
            }
          }
        }
      }
    }
    #expect((client.cache.shards?.hits ?? 0) > 0)
    client.shutDown()
  }
}
