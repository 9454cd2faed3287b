import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Receivers of events that leave lookups without the cache's lock.
struct HitReportTests {
  let simulation = Simulation(seed: 16)
  let key = QueryKey<Int>("n")
  let told = Notes<String>()

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) { [told] in
      $0.readShards = 4
      $0.eventReceivers.append(
        EventReceiver(
          hits: { key, count in told.add("\(count) hits \(key)") },
          { event in told.add("\(event)") }
        )
      )
      configure(&$0)
    }
  }

  private func fetch(_ query: Query<Int>, _ client: QueryClient, times: Int) {
    for _ in 0..<times { expectEqual(simulation.run { try? await client.fetch(query) }, 7) }
  }

  private func fresh(_ key: QueryKey<Int>) -> Query<Int> {
    Query(key: key) { 7 }.staleTime(.minutes(10))
  }

  private let beginning = [
    #"added ["n"]"#, #"miss ["n"]"#, #"fetching ["n"] for manual in 0.0 seconds"#,
    #"fetched ["n"] for manual in 0.0 seconds"#, #"hit ["n"]"#,
  ]

  @Test("hits without the lock are told by their number, within a second")
  func numbers() {
    let client = client()
    fetch(fresh(key), client, times: 6)
    expectEqual(told.all, beginning)
    expectEqual(client.cache.shards?.hits, 4)
    simulation.advance(by: .milliseconds(999))
    expectEqual(told.all, beginning)
    simulation.advance(by: .milliseconds(1))
    expectEqual(told.all, beginning + [#"4 hits ["n"]"#])
    // Nothing is told of an entry that nobody hits, and no timer waits for it.
    simulation.advance(by: .seconds(30))
    fetch(fresh(key), client, times: 2)
    simulation.advance(by: .milliseconds(500))
    fetch(fresh(key), client, times: 1)
    simulation.advance(by: .milliseconds(500))
    expectEqual(told.all, beginning + [#"4 hits ["n"]"#, #"3 hits ["n"]"#])
    expectEqual(client.lookups.hits, 8)
    client.shutDown()
  }

  @Test("entries are told in the order in which they were made")
  func order() {
    let client = client()
    let keys = (0..<20).map { QueryKey<Int>("n", $0) }
    for key in keys { fetch(fresh(key), client, times: 2) }
    for key in keys.reversed() { fetch(fresh(key), client, times: 1) }
    simulation.advance(by: .seconds(1))
    expectEqual(told.all.suffix(20), (0..<20).map { "1 hits [\"n\", \($0)]" })
    client.shutDown()
  }

  @Test("what nobody was told of is told when the client is shut down or freed")
  func ends() {
    let first = client()
    fetch(fresh(key), first, times: 3)
    first.remove(.key(key))
    first.shutDown()
    expectEqual(told.all, beginning + [#"removed (removed) ["n"]"#, #"1 hits ["n"]"#])
    do {
      let second = client()
      fetch(fresh(key), second, times: 4)
    }
    simulation.settle()
    expectEqual(told.all.suffix(7), beginning + [#"removed (cleared) ["n"]"#, #"2 hits ["n"]"#])
    expect(simulation.isIdle)
  }

  @Test("a receiver that wants no lookups is told of none, and they take no lock")
  func withoutLookups() {
    let others = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.readShards = 4
      $0.eventReceivers = [.withoutLookups { event in others.add("\(event)") }]
    }
    fetch(fresh(key), client, times: 4)
    expectEqual(others.all, [beginning[0], beginning[2], beginning[3]])
    expectEqual(client.cache.shards?.hits, 2)
    client.shutDown()
  }

  @Test("beside somebody who wants each lookup, all hits are events, and none is told twice")
  func beside() {
    let all = Notes<String>()
    let client = client { $0.onEvent = { event in all.add("\(event)") } }
    fetch(fresh(key), client, times: 4)
    simulation.advance(by: .seconds(1))
    expectEqual(told.all, beginning + [#"hit ["n"]"#, #"hit ["n"]"#])
    expectEqual(all.all, told.all)
    expectEqual(client.cache.shards?.hits, 0)
    client.shutDown()
  }

  @Test("while somebody reads the stream of events, each hit is one of them")
  func streamed() {
    let client = client()
    fetch(fresh(key), client, times: 3)
    let recording = simulation.record(client.events)
    fetch(fresh(key), client, times: 2)
    recording.cancel()
    simulation.settle()
    fetch(fresh(key), client, times: 3)
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map(\.description), [#"hit ["n"]"#, #"hit ["n"]"#])
    expectEqual(told.all, beginning + [#"hit ["n"]"#, #"hit ["n"]"#, #"4 hits ["n"]"#])
    expectEqual(client.lookups.hits, 7)
    client.shutDown()
  }

  @Test("without parts to read in, each hit is an event")
  func oneLock() {
    let client = client { $0.readShards = nil }
    fetch(fresh(key), client, times: 3)
    simulation.advance(by: .seconds(1))
    expectEqual(told.all, beginning + [#"hit ["n"]"#])
    client.shutDown()
  }

  @Test("an entry whose data changes again and again waits once to be told of")
  func changing() {
    let client = client()
    for _ in 0..<50 {
      client.setData(7, for: key)
      fetch(fresh(key), client, times: 3)
    }
    expectEqual(client.cache.shards?.takeHits().map { $0.uses.takeCount() }, [100])
    client.shutDown()
  }

  @Test(
    "keys whose end reads the client are released outside of all locks",
    .timeLimit(.minutes(1))
  )
  func keys() {
    struct Part: Hashable, Sendable {
      let witness: Witness
      static func == (_: Self, _: Self) -> Bool { true }
      func hash(into hasher: inout Hasher) { hasher.combine(1) }
    }
    let client = QueryClient(simulation: simulation) {
      $0.readShards = 4
      $0.eventReceivers = [EventReceiver(hits: { _, _ in }, { _ in })]
    }
    client.setData(1, for: key)
    let seen = Notes<Int?>()
    for isCleared in [false, true] {
      do {
        let part = Part(witness: Witness { [weak client] in seen.add(client?.data(for: key)) })
        let query = fresh(QueryKey(part))
        fetch(query, client, times: 3)
      }
      simulation.advance(by: .seconds(1))
      if isCleared {
        client.clear()
      } else {
        client.remove(.all && !.key(key))
      }
    }
    expectEqual(seen.all, [1, nil])
    client.shutDown()
  }
}
