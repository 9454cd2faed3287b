import StreamQueryTesting
import Testing

@testable import StreamQuery

/// What is looked for while, or after, the tables of the cache are made anew.
struct MovedEntryTests {
  @Test(arguments: Seeds.few(6))
  func aSearchWithAPredicateKeepsWhoMoved(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    var state = CacheState(defaults: defaults, date: 0)
    state.bounds.leastSlots = 0
    state.bounds.lookLimit = 2
    var seconds = 0.0
    func transaction() -> Transaction {
      seconds += 1
      return Transaction(
        environment: Environment(now: Timestamp(instant: .seconds(seconds), date: seconds))
      )
    }
    let resolved = ResolvedQuery(
      QueryDefinition(of: Int.self) { _ in TypedBox(1) },
      for: [],
      defaults: defaults
    )
    var t = transaction()
    for n in 0..<200 { _ = state.entry(EntryKey(["n", n], valueType: Int.self), resolved, &t) }
    let kept = (193..<200).map { EntryKey(["n", $0], valueType: Int.self) }
    var search = EntrySearch<EntryKey?>(.all, isFiltered: true)
    let shrinkAt = 95 + random.next(below: 30)
    var looks = 0
    while !search.visitEntries(
      at: &state,
      now: .seconds(1),
      { state, index, _ in state.slots[index].key }
    ) {
      search.mergeAnswers(search.questions.map { _ in true })
      looks += 1
      var t = transaction()
      for key in kept where random.next(below: 3) == 0 {
        if let index = state.find(key) {
          state.write(TypedBox(1), index, updatedAt: nil, fencing: false, &t)
        }
      }
      if looks == shrinkAt {
        for n in 0..<193 {
          if let index = state.find(EntryKey(["n", n], valueType: Int.self)) {
            state.drop(index, reason: .removed, &t)
          }
        }
        if state.bounds.mayShrink { state.shrink(&t) }
      }
    }
    search.mergeAnswers()
    let found = search.allMatches().map(\.id)
    for key in kept {
      let index = state.find(key)
      let count = found.count { state.find($0) == index }
      expectEqual(count, 1, "\(key.key)")
    }
  }

  @Test func prefixesAreFoundAfterTheTablesShrank() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    client.cache.record { $0.bounds.leastSlots = 0 }
    for n in 0..<200 { client.setData(n, for: QueryKey<Int>("a", n % 5, n)) }
    for n in 0..<4 { client.setData(n, for: QueryKey<Int>("b", 7, n)) }
    expectEqual(client.entries(of: Int.self, .prefix("b", 7)).count, 4)
    client.remove(.prefix("a"))
    expectEqual(client.cache.read { $0.slots.count }, 4)
    expectEqual(client.entries(of: Int.self, .prefix("b")).count, 4)
    expectEqual(client.entries(of: Int.self, .prefix("b", 7)).count, 4)
    client.setData(4, for: QueryKey<Int>("b", 7, 4))
    expectEqual(client.entries(of: Int.self, .prefix("b", 7)).count, 5)
    expectEqual(client.entries(of: Int.self, .prefix("b")).map(\.data), [0, 1, 2, 3, 4])
    client.remove(.prefix("b", 7))
    expectEmpty(client.entries(of: Int.self, .prefix("b")))
    expectEqual(client.cache.read { $0.slots.keys.nodeCount }, 1)
    client.shutDown()
  }

  @Test func prefixesAreFoundAfterAnExpiry() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    for n in 0..<5_000 { client.setData(n, for: QueryKey<Int>("search", n % 50, n)) }
    let calls = Dial(0)
    let user = Query<Int>("user", 42, "repos") {
      calls.with { $0 += 1 }
      return 1
    }
    let recording = simulation.record(client.stream(user))
    simulation.settle()
    expectEqual(calls.value, 1)
    simulation.advance(by: .seconds(600))
    expectEqual(client.diagnostics().count, 1)
    let caller = simulation.task { [client] in await client.invalidate(.prefix("user", 42)) }
    simulation.settle()
    expectEqual(calls.value, 2)
    recording.cancel()
    caller.cancel()
    simulation.settle()
    client.shutDown()
  }

  /// A part whose values have one hash.
  struct Same: Hashable, Sendable {
    var n: Int
    func hash(into hasher: inout Hasher) {}
  }

  @Test(arguments: Seeds.few(1)) func anIndexThatIsCompacted(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var index = KeyIndex()
    var all: [(key: AnyQueryKey, id: Int32)] = []
    var next: Int32 = 0
    func some() -> AnyQueryKey {
      switch random.next(below: 4) {
      case 0: AnyQueryKey(Same(n: random.next(below: 200)))
      case 1: AnyQueryKey(Same(n: random.next(below: 80)), Same(n: random.next(below: 3)), 1)
      case 2: AnyQueryKey("a\(random.next(below: 3))", random.next(below: 5), random.next(below: 9))
      default: AnyQueryKey("b", random.next(below: 3), "c", random.next(below: 9))
      }
    }
    for step in 0..<1_500 {
      let growing = (step / 300) % 2 == 0
      if random.next(below: 10) < (growing ? 8 : 2) || all.isEmpty {
        let key = some()
        index.insert(key, id: next)
        all.append((key, next))
        next += 1
      } else {
        let place = random.next(below: all.count)
        _ = index.remove(all[place].key, id: all[place].id)
        all.remove(at: place)
      }
      if random.next(below: 60) == 0 {
        var map: [Int32: Int32] = [:]
        for (place, entry) in all.enumerated() { map[entry.id] = Int32(place) }
        _ = index.compact { map[$0] ?? -7 }
        for place in all.indices { all[place].id = Int32(place) }
        next = Int32(all.count)
      }
      if step % 10 == 0 {
        for _ in 0..<4 {
          let key = random.next(below: 5) == 0 ? AnyQueryKey() : some()
          let other = all.isEmpty ? key : all[random.next(below: all.count)].key
          for prefix in [key, other] {
            var found: [Int32] = []
            index.forEachMatch(of: prefix) { found.append($0) }
            let expected = all.filter { prefix.isPrefix(of: $0.key) }.map(\.id)
            expectEqual(found, expected, "seed \(seed) step \(step) \(prefix)")
            if found != expected { return }
          }
        }
      }
    }
    for entry in all { _ = index.remove(entry.key, id: entry.id) }
    expect(index.count == 0 && index.nodeCount == 1)
  }
}
