import Testing

@testable import StreamQuery

/// Tables of entries that are given back as a whole.
@Suite("Clearing: the tables become small again, contract laws 4 and 13") struct ClearingTests {
  /// A cache beside a list of what it must hold.
  struct Environment: ~Copyable {
    var state: CacheState
    /// The entries in the order of their making, each with all its names.
    var entries: [(key: EntryKey, names: [EntryID])] = []
    var gone: [EntryID] = []
    var consumers: [(id: ObserverID, key: EntryKey)] = []
    var goneConsumers: [ObserverID] = []
    var random: SmallRandom
    private var seconds = 0.0
    private let resolved: ResolvedQuery

    init(seed: UInt64, emitsEvents: Bool = false) {
      random = SmallRandom(seed: seed)
      let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
      state = CacheState(
        defaults: defaults,
        date: 0,
        needs: emitsEvents ? .everyLookup : .nothing
      )
      state.bounds.leastSlots = 8
      state.bounds.leastObservers = 8
      resolved = ResolvedQuery(
        QueryDefinition(of: Int.self) { _ in TypedBox(1) },
        for: [],
        defaults: defaults
      )
    }

    mutating func transaction() -> Transaction {
      seconds += 1
      return Transaction(
        environment: StreamQuery.Environment(
          now: Timestamp(instant: .seconds(seconds), date: seconds)
        )
      )
    }

    private func place(of key: EntryKey) -> Int? { entries.firstIndex { $0.key == key } }

    /// Makes, writes, observes, fetches, leaves or drops an entry.
    mutating func change() {
      var transaction = self.transaction()
      let key = EntryKey(["n", random.next(below: 3), random.next(below: 12)], valueType: Int.self)
      guard let index = state.find(key) else {
        guard random.next(below: 3) > 0 else { return }
        let index = state.entry(key, resolved, &transaction)
        entries.append((key, [state.id(of: index)]))
        return
      }
      switch random.next(below: 7) {
      case 0, 1:
        let id = state.attachObserver(
          index,
          query: resolved,
          resolvedOptions: .make(),
          &transaction
        )
        consumers.append((id, key))
      case 2:
        state.write(TypedBox(1), index, updatedAt: nil, fencing: false, &transaction)
      case 3:
        let actions = state.slots[index].machine.requested(
          .manual,
          clientLease: true,
          in: transaction.environment
        )
        state.apply(actions, index, &transaction)
      default:
        // Whoever observes it leaves first: then it is gone.
        for consumer in consumers where consumer.key == key {
          state.unsubscribe(consumer.id, &transaction)
          goneConsumers.append(consumer.id)
        }
        consumers.removeAll { $0.key == key }
        let index = state.find(key)
        if let index { state.remove(index, reason: .removed, &transaction) }
        forget { $0 == key }
      }
    }

    /// Takes note that entries are gone.
    mutating func forget(where isGone: (EntryKey) -> Bool) {
      for entry in entries where isGone(entry.key) { gone += entry.names }
      entries.removeAll { isGone($0.key) }
    }

    mutating func removeAll() {
      var transaction = self.transaction()
      state.removeAll(reason: .cleared, &transaction)
      let observed = Set(consumers.map(\.key))
      forget { !observed.contains($0) }
    }

    /// Gives room back, however little it is.
    mutating func shrink() {
      var transaction = self.transaction()
      state.bounds.leastSlots = 0
      state.bounds.leastObservers = 0
      state.shrink(&transaction)
      state.bounds.leastSlots = 8
      state.bounds.leastObservers = 8
    }

    /// Takes what lies in the action queue.
    mutating func takeActions() -> [Action] {
      var batch = ActionQueue<Action>.Batch()
      _ = state.actionQueue.transactionEnded(since: 0, on: .current, isLow: false, into: &batch)
      let actions = batch.items
      batch.wasPerformed(to: batch.items.count)
      _ = state.actionQueue.performed(&batch, on: .current)
      return actions
    }

    /// Compares the tables with the lists, and with each other.
    mutating func check(_ comment: Comment) throws {
      for place in entries.indices {
        let (key, names) = entries[place]
        let found = state.find(key)
        let index = try #require(found, comment)
        let places = names.map { state.find($0) }
        #expect(places.allSatisfy { $0 == index }, comment)
        let name = state.id(of: index)
        #expect(names.allSatisfy { $0 == name && $0.hashValue == name.hashValue }, comment)
        if !names.contains(where: { $0.index == name.index }) { entries[place].names.append(name) }
        let isLive = state.slots[index].livePosition >= 0
        let machine = state.slots[index].machine
        expectEqual(isLive, machine.observerCount > 0 || !machine.isIdle, comment)
      }
      #expect(gone.allSatisfy { state.find($0) == nil }, comment)
      expectEqual(state.slots.keys.count, entries.count, comment)
      expectEqual(state.slots.filter { $0.key != nil }.count, entries.count, comment)
      #expect(state.slots.moved.count <= entries.count, comment)
      for prefix: AnyQueryKey in [[], "n", ["n", 0], ["n", 1], ["n", 2]] {
        let filter = EntryFilter.prefix(prefix)
        let found = state.entries(matching: filter, at: .zero).map { state.slots[$0].key?.key }
        expectEqual(found, entries.map(\.key.key).filter { prefix.isPrefix(of: $0) }, comment)
      }
      for (id, key) in consumers {
        let found = state.find(id)
        let consumer = try #require(found, comment)
        expectEqual(state.slots[Int(state.observers[consumer].entry)].key, key, comment)
        let position = Int(state.observers[consumer].position)
        let row = state.slots[Int(state.observers[consumer].entry)].observers
        expectEqual(Int(row[position]), consumer, comment)
      }
      #expect(goneConsumers.allSatisfy { state.find($0) == nil }, comment)
      for (position, short) in state.slots.live.enumerated() {
        expectEqual(Int(state.slots[Int(short)].livePosition), position, comment)
      }
      expectEqual(state.deadlines.positions.count, state.slots.count, comment)
      for (position, item) in state.deadlines.heap.items.enumerated() {
        expectEqual(Int(state.deadlines.positions[Int(item.owner)]), position, comment)
        let environment = StreamQuery.Environment(now: state.environment.now)
        let machine = state.slots[Int(item.owner)].machine
        expect(machine.deadline(in: environment) != nil, comment)
      }
      expectEqual(
        state.deadlines.positions.filter { $0 >= 0 }.count,
        state.deadlines.heap.items.count,
        comment
      )
    }
  }

  @Test(arguments: Seeds.few(6))
  func nobodyIsLostAndNoOldNameFindsAnybodyElse(seed: UInt64) throws {
    var environment = Environment(seed: seed)
    for step in 0..<300 {
      switch environment.random.next(below: 60) {
      case 0: environment.removeAll()
      case 1, 2: environment.shrink()
      default: environment.change()
      }
      if step % 7 == 0 || environment.state.slots.moved.count > 0 {
        try environment.check("seed \(seed) step \(step)")
      }
    }
    try environment.check("seed \(seed)")
  }

  /// What the events of a transaction say, and what else it asks for.
  static func told(_ actions: [Action]) -> [String] {
    actions.map { action in
      switch action {
      case .emit(let event): "\(event.number) \(event) \(event.date)"
      case .emitRemoval(let removed, let slot, let count):
        removed.event(of: slot, count).map { "\($0.number) \($0) \($0.date)" } ?? "nothing"
      case .start, .settle, .settled, .cancel, .wake, .arm, .ask, .askPolicy, .unsettled, .crowded,
        .recount, .measure, .evict, .persist, .mutation, .reached, .recorded, .recordValue:
        "\(action)".prefix { $0 != "(" }.description
      }
    }
  }

  private static func grown(_ seed: UInt64) -> Environment {
    var environment = Environment(seed: seed, emitsEvents: true)
    for _ in 0..<60 { environment.change() }
    _ = environment.takeActions()
    return environment
  }

  @Test(arguments: Seeds.few(6))
  func removingAllTellsTheSameAsRemovingEach(seed: UInt64) {
    // The same cache twice.
    var environment = Self.grown(seed)
    var other = Self.grown(seed)
    var transaction = other.transaction()
    for index in other.state.slots.indices where other.state.slots[index].key != nil {
      other.state.remove(index, reason: .cleared, &transaction)
    }
    transaction = environment.transaction()
    environment.state.removeAll(reason: .cleared, &transaction)
    expectEqual(Self.told(environment.takeActions()), Self.told(other.takeActions()))
    expectEqual(environment.state.reports.eventSerial, other.state.reports.eventSerial)
    expectEqual(
      environment.state.entries(matching: .all, at: .zero).map {
        environment.state.slots[$0].machine
      },
      other.state.entries(matching: .all, at: .zero).map { other.state.slots[$0].machine }
    )
    expectEqual(environment.state.slots.live.count, other.state.slots.live.count)
    expectEqual(
      environment.state.deadlines.heap.items.map(\.deadline).sorted(),
      other.state.deadlines.heap.items.map(\.deadline).sorted()
    )
  }

  /// A cache with some idle entries, and one that is being fetched.
  static func cache(idle count: Int) -> CacheState {
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    var state = CacheState(defaults: defaults, date: 0)
    state.bounds.leastSlots = 1_024
    state.bounds.leastObservers = 1_024
    let resolved = ResolvedQuery(QueryDefinition(of: Int.self), for: [], defaults: defaults)
    for number in 0..<count {
      var transaction = Transaction(environment: StreamQuery.Environment(now: .seconds(1)))
      let key = EntryKey(["n", number % 3, number], valueType: Int.self)
      let index = state.entry(key, resolved, &transaction)
      state.write(TypedBox(number), index, updatedAt: nil, fencing: false, &transaction)
      guard number == count / 2 else { continue }
      let actions = state.slots[index].machine.requested(
        .manual,
        clientLease: true,
        in: transaction.environment
      )
      state.apply(actions, index, &transaction)
    }
    return state
  }

  @Test func whatRemovingAllDoesUnderTheLockDoesNotGrowWithTheCache() {
    func handled(_ count: Int) -> (dropped: Int, actions: Int) {
      var state = Self.cache(idle: count)
      var transaction = Transaction(environment: StreamQuery.Environment(now: .seconds(2)))
      let before = state.actionQueue.count
      state.removeAll(reason: .cleared, &transaction)
      expectEqual(state.slots.keys.count, 0)
      return (transaction.garbage.count, state.actionQueue.count - before)
    }
    #expect(handled(20) == handled(5_000))
  }

  @Test func anEmptiedCacheGivesItsRoomBack() {
    var state = Self.cache(idle: 5_000)
    var transaction = Transaction(environment: StreamQuery.Environment(now: .seconds(2)))
    state.removeAll(reason: .cleared, &transaction)
    #expect(state.slots.rows.capacity < 16)
    #expect(state.deadlines.positions.capacity < 16)
    #expect(state.deadlines.heap.items.capacity < 16)
    #expect(state.slots.live.capacity < 16)
    #expect(state.slots.keys.slots <= 16)
    #expect(state.slots.keys.capacity.entries < 16)
  }

  @Test func entriesThatGoOneByOneGiveTheirRoomBack() throws {
    var state = Self.cache(idle: 5_000)
    var most = 0
    for number in 0..<4_990 {
      var transaction = Transaction(environment: StreamQuery.Environment(now: .seconds(2)))
      let key = EntryKey(["n", number % 3, number], valueType: Int.self)
      let found = state.find(key)
      let index = try #require(found)
      state.remove(index, reason: .removed, &transaction)
      state.shrink(&transaction)
      // Never more than eight times what is left, above the least.
      most = max(most, state.slots.count - max(1_024, state.slots.keys.count * 8))
    }
    expectEqual(most, 0)
    expectEqual(state.slots.keys.count, 10)
    #expect(state.slots.rows.capacity <= 1_024)
    #expect(state.deadlines.positions.capacity <= 1_024)
    #expect(state.deadlines.heap.items.capacity <= 1_100)
    #expect(state.slots.keys.capacity.entries <= 1_024)
    #expect(state.slots.keys.slots <= 4_096)
    let left = state.entries(matching: .all, at: .zero).map { state.slots[$0].key?.key }
    expectEqual(left, (4_990..<5_000).map { ["n", $0 % 3, $0] })
  }

  @Test func consumersGiveTheirRoomBackWhenTheLastLeft() throws {
    var state = Self.cache(idle: 2)
    let found = state.find(EntryKey(["n", 0, 0], valueType: Int.self))
    let index = try #require(found)
    var transaction = Transaction(environment: StreamQuery.Environment(now: .seconds(2)))
    let resolved = try #require(state.slots[index].query)
    var ids: [ObserverID] = []
    for _ in 0..<1_025 {
      ids.append(
        state.attachObserver(index, query: resolved, resolvedOptions: .make(), &transaction)
      )
    }
    for id in ids.dropLast() { state.unsubscribe(id, &transaction) }
    state.shrink(&transaction)
    expectEqual(state.observers.count, 1_025)
    if let last = ids.last { state.unsubscribe(last, &transaction) }
    state.shrink(&transaction)
    expectEqual(state.observers.rows.capacity, 0)
    for _ in 0..<3 {
      _ = state.attachObserver(index, query: resolved, resolvedOptions: .make(), &transaction)
    }
    #expect(ids.allSatisfy { state.find($0) == nil })
    expectEqual(state.observers.liveCount, 3)
  }

  @Test(arguments: Seeds.few(20))
  func aSearchSeesOneInstantThoughTheTablesAreRebuilt(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let filter = QueryFilterTests.random(&random, depth: 2, QueryFilterTests.leaves).plainPart
    var state = QueryFilterTests.cache()
    state.bounds.lookLimit = 1 + random.next(below: 9)
    state.bounds.leastSlots = 0
    state.bounds.leastObservers = 0
    EntrySearchTests.expectOneInstant(filter, in: &state) { state, looks in
      guard looks % 4 == 0 else { return }
      var transaction = Transaction(
        environment: StreamQuery.Environment(now: Timestamp(instant: QueryFilterTests.now, date: 6))
      )
      switch looks % 16 {
      case 4:
        for index in state.slots.indices where index % 9 > 0 && state.slots[index].key != nil {
          if !state.slots[index].isWatched { state.drop(index, reason: .removed, &transaction) }
        }
        state.shrink(&transaction)
      case 12: state.removeAll(reason: .removed, &transaction)
      default: for _ in 0..<9 { EntrySearchTests.change(&state, &random) }
      }
    }
  }
}
