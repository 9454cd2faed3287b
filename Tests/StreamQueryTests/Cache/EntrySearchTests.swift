import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// Looks at many entries, a few at a time, while others change them.
@Suite("Searches in slices") struct EntrySearchTests {
  static let types: [any Any.Type] = [Int.self, String.self, Bool.self, Double.self, Float.self]

  /// Makes, writes or drops an entry.
  static func change(_ state: inout CacheState, _ random: inout SmallRandom) {
    var transaction = Transaction(
      environment: Environment(now: Timestamp(instant: QueryFilterTests.now, date: 6))
    )
    let keys = QueryFilterTests.keys
    let part = keys[random.next(below: keys.count)]
    let key = EntryKey(part, valueType: types[random.next(below: types.count)])
    guard let index = state.find(key) else {
      let resolved = ResolvedQuery(
        QueryDefinition(of: Int.self),
        for: part,
        defaults: state.defaults.table
      )
      _ = state.entry(key, resolved, &transaction)
      return
    }
    switch random.next(below: 3) {
    case 0: state.drop(index, reason: .removed, &transaction)
    case 1: state.write(TypedBox(1), index, updatedAt: nil, fencing: false, &transaction)
    default:
      state.apply(
        state.slots[index].machine.invalidated(in: transaction.environment),
        index,
        &transaction
      )
    }
  }

  /// Searches a cache that others change after some looks, and compares what it finds with what is there.
  static func expectOneInstant(
    _ filter: EntryFilter,
    in state: inout CacheState,
    changing change: (inout CacheState, _ looks: Int) -> Void
  ) {
    var search = EntrySearch<EntryKey?>(filter)
    var looks = 0
    while true {
      looks += 1
      let isDone = search.visitEntries(at: &state, now: QueryFilterTests.now) { state, index, _ in
        state.slots[index].key
      }
      search.mergeAnswers()
      if isDone { break }
      change(&state, looks)
    }
    expectEqual(found(search), expected(filter, state))
    search.stopRecording(in: &state)
    expectEmpty(state.extensions.changeLogs)
    expectEmpty(state.slots.keys.walks)
  }

  static func found(_ search: EntrySearch<EntryKey?>) -> [EntryKey?] {
    search.allMatches().map(\.item)
  }

  static func expected(_ filter: EntryFilter, _ state: borrowing CacheState) -> [EntryKey?] {
    state.entries(matching: filter, at: QueryFilterTests.now).map { state.slots[$0].key }
  }

  @Test(arguments: Seeds.few(40))
  func whatIsFoundHoldsAtTheInstantOfTheLastLook(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let filter = QueryFilterTests.random(&random, depth: 3, QueryFilterTests.leaves).plainPart
    var state = QueryFilterTests.cache()
    state.bounds.lookLimit = 1 + random.next(below: 5)
    Self.expectOneInstant(filter, in: &state) { state, looks in
      // Fewer changes than a look can keep up with.
      if looks % 2 == 0 { Self.change(&state, &random) }
    }
    #expect(state.bounds.longestLook <= state.bounds.lookLimit)
  }

  @Test(arguments: Seeds.few(2))
  func whoChangesFasterThanOneCanLookIsCaughtUpWithInTheEnd(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var state = QueryFilterTests.cache()
    state.bounds.lookLimit = 2
    var search = EntrySearch<EntryKey?>(.all)
    while !search.visitEntries(
      at: &state,
      now: QueryFilterTests.now,
      { state, index, _ in state.slots[index].key }
    ) {
      search.mergeAnswers()
      for _ in 0..<5 { Self.change(&state, &random) }
    }
    #expect(state.bounds.longestLook > state.bounds.lookLimit)
    expectEqual(Self.found(search), Self.expected(.all, state))
  }

  @Test func aSearchThatOneLookFinishesWritesNothingDown() {
    var state = QueryFilterTests.cache()
    var search = EntrySearch<EntryKey?>(.all)
    expect(
      search.visitEntries(at: &state, now: QueryFilterTests.now) { state, index, _ in
        state.slots[index].key
      }
    )
    expectEqual(state.extensions.searchSerial, 0)
    expectEqual(Self.found(search), Self.expected(.all, state))
  }

  @Test func theClientIsAskedOncePerRoundAboutWhatWasFoundOrChanged() {
    var state = QueryFilterTests.cache()
    state.bounds.lookLimit = 2
    let key = EntryKey(AnyQueryKey("b"), valueType: Int.self)
    var transaction = Transaction(
      environment: Environment(now: Timestamp(instant: QueryFilterTests.now, date: 6))
    )
    var search = EntrySearch<EntryKey?>(.prefix("b"), isFiltered: true)
    var asked: [[EntryKey]] = []
    while !search.visitEntries(
      at: &state,
      now: QueryFilterTests.now,
      { state, index, _ in state.slots[index].key }
    ) {
      let questions = search.questions
      asked.append(questions.map(\.entryKey))
      // One entry is meant only after its change.
      search.mergeAnswers(questions.map { $0.entryKey != key || asked.count > 2 })
      guard asked.count == 2, let index = state.find(key) else { continue }
      state.write(TypedBox(1), index, updatedAt: nil, fencing: false, &transaction)
    }
    search.mergeAnswers()
    expectEqual(asked.joined().count { $0 == key }, 2)
    expectEqual(asked.joined().count, Self.expected(.prefix("b"), state).count + 1)
    expectEqual(Self.found(search), Self.expected(.prefix("b"), state))
    search.stopRecording(in: &state)
  }

  // MARK: The client

  static func client(_ simulation: Simulation, limit: Int) -> QueryClient {
    let client = QueryClient(simulation: simulation)
    for number in 0..<300 { client.setData(number, for: QueryKey<Int>("n", number % 3, number)) }
    client.cache.record { $0.bounds.lookLimit = limit }
    return client
  }

  /// The most entries that one hold of the lock looked at, and what the call gave.
  static func looking<Result>(
    _ client: QueryClient,
    _ body: (QueryClient) -> Result
  ) -> (most: Int, Result) {
    client.cache.record { $0.bounds.longestLook = 0 }
    let result = body(client)
    return (client.cache.read { $0.bounds.longestLook }, result)
  }

  @Test func readsOfTheWholeCacheHoldTheLockForAFewEntriesAtATime() {
    let simulation = Simulation()
    let client = Self.client(simulation, limit: 7)
    let infos = Self.looking(client) { $0.diagnostics() }
    expectEqual(infos.most, 7)
    expectEqual(infos.1.map { $0.data as? Int }, Array(0..<300))
    let below = Self.looking(client) { $0.diagnostics("n") }
    expectEqual(below.most, 7)
    expectEqual(below.1.map { $0.data as? Int }, Array(0..<300))
    let entries = Self.looking(client) { $0.entries(of: Int.self, .prefix("n", 2)) }
    expectEqual(entries.most, 7)
    expectEqual(entries.1.map(\.data), Array(stride(from: 2, to: 300, by: 3)))
    let export = Self.looking(client) { $0.export().archive }
    expectEqual(export.most, 7)
    expectEqual(export.1.entries.count, 300)
    let count = Self.looking(client) { $0.fetchingCount(!.stale) }
    #expect(count == (0, 0))
  }

  @Test func callsThatSearchTheWholeCacheHoldTheLockForTheirMatches() {
    let simulation = Simulation()
    let client = Self.client(simulation, limit: 7)
    let even = QueryFilter.where { ($0.data as? Int).map { $0 % 2 == 0 } ?? false }
    expectEqual(Self.looking(client) { $0.remove(even) }.most, 7)
    expectEqual(
      client.diagnostics().map { $0.data as? Int },
      Array(stride(from: 1, to: 300, by: 2))
    )
    expectEqual(Self.looking(client) { $0.remove(!.prefix("n", 1)) }.most, 7)
    let left = client.diagnostics().compactMap { $0.data as? Int }
    expectEqual(left, Array(stride(from: 1, to: 300, by: 6)))
  }

  @Test func predicatesAreAskedAgainAboutWhatChangedAndOnlyThat() {
    let simulation = Simulation()
    let client = Self.client(simulation, limit: 50)
    let asked = Notes<Int>()
    client.remove(
      .where { info in
        guard let number = info.data as? Int else { return false }
        asked.add(number)
        // Changes an entry that was passed, and makes one.
        if number == 120 {
          client.setData(1_003, for: QueryKey<Int>("n", 0, 3))
          client.setData(1_000, for: QueryKey<Int>("m"))
        }
        return number >= 1_000
      }
    )
    expectEqual(asked.all, Array(0..<300) + [1_003, 1_000])
    expectEqual(client.diagnostics().count, 299)
  }

  @Test func predicatesThatAlwaysChangeSomethingAreAskedThreeTimes() {
    let simulation = Simulation()
    let client = Self.client(simulation, limit: 50)
    let asked = Notes<Int>()
    client.remove(
      .where { info in
        guard let number = info.data as? Int, number == 7 || number >= 1_000 else { return false }
        asked.add(number)
        client.setData(max(1_000, number + 1), for: QueryKey<Int>("n", 1, 7))
        return true
      }
    )
    expectEqual(asked.all, [7, 1_000, 1_001])
    expectEqual(client.diagnostics().count, 299)
  }
}
