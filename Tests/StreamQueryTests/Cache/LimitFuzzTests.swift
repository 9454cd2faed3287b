import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// Whatever is done with a client, its order of eviction knows exactly what is in the cache.
struct LimitFuzzTests {
  @Test(
    "after each of many calls, the limit is kept or only entries in use are left",
    arguments: Seeds.few(6)
  )
  func calls(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    var random = SmallRandom(seed: seed)
    let level = ManualSignal(MemoryPressure.Level.normal)
    let maxEntries = random.next(below: 6)
    let hasCosts = random.next(below: 2) == 0
    let client = QueryClient(simulation: simulation) {
      $0.memoryPressure = MemoryPressure { level }
      $0.limit = CacheLimit(
        maxEntries: maxEntries,
        maxCost: hasCosts ? 40 : nil,
        cost: { $0.value(as: Int.self) ?? 7 }
      )
    }
    client.cache.record {
      $0.bounds.leastSlots = 4
      $0.bounds.lookLimit = 3
    }
    let other = QueryClient(simulation: simulation)
    var recordings: [ResultRecording<QueryResult<Int>>] = []
    let fetch = ScriptedFetch<Int>(.value(5, after: .milliseconds(30)))
    let add = Mutation("add") { (input: Int) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(40))
      if input % 2 == 0 { throw CancellationError() }
    }.optimistic { input, changes in
      changes.update(QueryKey<Int>("n", input % 8)) { $0 = ($0 ?? 0) + input }
    }
    for step in 1...150 {
      let number = random.next(below: 8)
      let key = QueryKey<Int>("n", number)
      let query = Query(key: key, fetch: fetch)
      switch random.next(below: 16) {
      case 0, 1, 2: client.setData(random.next(below: 20), for: key)
      case 3: client.updateData(for: key) { $0 = ($0 ?? 0) + 1 }
      case 4: _ = client.data(for: key)
      case 5, 6: recordings.append(simulation.record(client.stream(query)))
      case 7, 8:
        if !recordings.isEmpty {
          recordings.remove(at: random.next(below: recordings.count)).cancel()
        }
      case 9: simulation.task { _ = try? await client.fetch(query) }
      case 10: simulation.start(add, with: random.next(below: 100), on: client)
      case 11:
        switch random.next(below: 4) {
        case 0: client.remove(.key(key))
        case 1: client.clear()
        case 2: simulation.task { await client.reset(.key(key)) }
        default: simulation.task { await client.invalidate(.all) }
        }
      case 12:
        for value in 0..<8 { other.setData(value, for: QueryKey<Int>("n", value)) }
        let archivables = (0..<8).map { Archivable.query(Query<Int>(key: QueryKey("n", $0))) }
        _ = client.import(other.export().archive, for: archivables)
      case 13: level.send(random.next(below: 2) == 0 ? .warning : .critical)
      case 14: recordings.append(simulation.record(client.stream(query.initialData(3))))
      default: simulation.advance(by: .milliseconds(random.next(below: 60)))
      }
      if random.next(below: 3) == 0 { simulation.settle() }
      check(client, "seed \(seed), step \(step)")
    }
    for recording in recordings { recording.cancel() }
    simulation.advance(by: .seconds(5))
    check(client, "seed \(seed), end")
    #expect(client.diagnostics().count <= maxEntries)
    client.shutDown()
    other.shutDown()
  }

  private func check(_ client: QueryClient, _ place: String) {
    client.cache.record { state in
      guard let order = state.extensions.budget?.order else { return }
      let known = state.slots.indices.filter { state.slots[$0].key != nil }
      let unused = known.filter { state.isUnused($0) }
      expectEqual(order.entryCount, known.count, "\(place)")
      expectEqual(order.idleCount, unused.count, "\(place)")
      expect(!order.isOver || unused.isEmpty, "\(place)")
      guard order.maxCost < .max else { return }
      let costs = known.map { state.slots[$0].data?.value(as: Int.self) ?? 1 }
      expectEqual(order.totalCost, Int128(costs.reduce(0, +)), "\(place)")
    }
  }
}
