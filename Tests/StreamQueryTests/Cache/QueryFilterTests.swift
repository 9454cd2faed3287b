import Testing

@testable import StreamQuery

/// Filters over a cache of many states, beside an evaluation that looks at every entry.
@Suite("Filters: T46, T47, T57, T61") struct QueryFilterTests {
  static let keys: [AnyQueryKey] = [
    [], "a", "b", ["a", 1], ["a", 2], ["a", 1, "x"], ["b", 1],
    ["a", ["page": 1] as KeyRecord], ["a", ["page": 1, "sort": "up"] as KeyRecord],
  ]

  /// A cache that holds each key in each of several states, of several value types.
  static func cache() -> CacheState {
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    var state = CacheState(defaults: defaults, date: 0)
    var number = 0
    for (round, type) in ([Int.self, String.self, Bool.self] as [any Any.Type]).enumerated() {
      for key in keys {
        number += 1
        var transaction = Transaction(
          environment: Environment(now: .seconds(Double(number % 3)), isOnline: number % 4 != 0)
        )
        let resolved = ResolvedQuery(QueryDefinition(of: Int.self), for: key, defaults: defaults)
        let index = state.entry(EntryKey(key, valueType: type), resolved, &transaction)
        bring(&state, index, into: (number + round) % 8, &transaction)
      }
    }
    return state
  }

  private static func bring(
    _ state: inout CacheState,
    _ index: Int,
    into condition: Int,
    _ transaction: inout Transaction
  ) {
    func apply(_ input: (inout EntryMachine) -> EntryActions) {
      state.apply(input(&state.slots[index].machine), index, &transaction)
    }
    let environment = transaction.environment
    let box = TypedBox(1)
    if condition >= 3 {
      state.slots[index].store(box, &transaction)
      apply { $0.written(updatedAt: environment.now, fencing: false, in: environment) }
    }
    switch condition {
    case 1, 4: apply { $0.requested(.manual, clientLease: true, in: environment) }
    case 2, 5:
      apply { $0.requested(.manual, clientLease: true, in: environment) }
      let id = state.slots[index].machine.fetch?.id ?? FetchID(rawValue: 0)
      state.slots[index].failureReason = ErrorBox(CancellationError())
      apply { $0.attemptFailed(id, retryAfter: nil, in: environment).actions }
    case 6: apply { $0.observed(by: .make(staleAfter: .seconds(5)), in: environment) }
    case 7: apply { $0.observed(by: .disabled, in: environment) }
    default: break
    }
  }

  static let now = Instant.seconds(6)

  /// What a filter means, said without any narrowing.
  static func naive(_ filter: EntryFilter, _ slot: EntrySlot) -> Bool {
    let machine = slot.machine
    switch filter {
    case .all: return true
    case .entry(let key): return slot.key == key
    case .prefix(let key): return slot.key.map { key.isPrefix(of: $0.key) } ?? false
    case .stale: return machine.isStale(at: now)
    case .active: return machine.enabledCount > 0
    case .status(.pending): return !machine.hasData && !machine.isError
    case .status(.success): return machine.hasData && !machine.isError
    case .status(.error): return machine.isError
    case .fetchStatus(.idle): return machine.fetch == nil
    case .fetchStatus(.fetching): return machine.isFetching
    case .fetchStatus(.paused): return machine.isPaused
    case .and(let filters): return filters.allSatisfy { naive($0, slot) }
    case .or(let filters): return filters.contains { naive($0, slot) }
    case .not(let operand): return !naive(operand, slot)
    }
  }

  static func naive(_ node: QueryFilter.Node, _ slot: EntrySlot) -> Bool {
    switch node {
    case .plain(let filter): return naive(filter, slot)
    case .predicate: return slot.machine.observerCount == 0
    case .and(let nodes): return nodes.allSatisfy { naive($0, slot) }
    case .or(let nodes): return nodes.contains { naive($0, slot) }
    case .not(let operand): return !naive(operand, slot)
    }
  }

  // Made anew each time: the leak sanitizer does not see what an indirect case in a global holds.
  static var leaves: [QueryFilter] {
    [
      .all, .stale, .fresh, .active, .inactive, .fetching, .paused, .status(.pending),
      .status(.success), .status(.error), .fetchStatus(.idle), "a", ["a", 1], [],
      .prefix("a", fields: ["page": 1]), .key(QueryKey<Int>("a")), .key(QueryKey<Double>("a")),
    ]
  }

  static func random(
    _ random: inout SmallRandom,
    depth: Int,
    _ leaves: [QueryFilter]
  ) -> QueryFilter {
    switch depth == 0 ? 0 : random.next(below: 4) {
    case 1:
      Self.random(&random, depth: depth - 1, leaves)
        && Self.random(&random, depth: depth - 1, leaves)
    case 2:
      Self.random(&random, depth: depth - 1, leaves)
        || Self.random(&random, depth: depth - 1, leaves)
    case 3: !Self.random(&random, depth: depth - 1, leaves)
    default: leaves[random.next(below: leaves.count)]
    }
  }

  @Test func theCacheHoldsEveryKindOfEntry() {
    let slots = Self.cache().slots
    for leaf in Self.leaves where "\(leaf.node)" != "\(QueryFilter.key(QueryKey<Double>("a")).node)"
    {
      #expect(slots.contains { Self.naive(leaf.node, $0) }, "\(leaf.node)")
    }
    #expect(slots.contains { !Self.naive(.fetchStatus(.idle), $0) })
  }

  @Test(arguments: Seeds.few(30))
  func aFilterMeansWhatALookAtEveryEntrySays(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let filter = Self.random(&random, depth: 4, Self.leaves).plainPart
    let state = Self.cache()
    let found = state.entries(matching: filter, at: Self.now)
    let expected = state.slots.indices.filter { Self.naive(filter, state.slots[$0]) }
    expectEqual(found.sorted(), expected)
    expectEqual(Set(found).count, found.count)
  }

  @Test(arguments: Seeds.few(30))
  func aFilterWithPredicatesMeansTheSameOutsideTheLock(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let predicate = QueryFilter.where { $0.observerCount == 0 }
    let filter = Self.random(&random, depth: 4, Self.leaves + [predicate, predicate, predicate])
    let state = Self.cache()
    let found = state.entries(matching: filter.plainPart, at: Self.now).filter { index in
      state.info(index, at: Self.now).map(filter.matches) ?? false
    }
    let expected = state.slots.indices.filter { Self.naive(filter.node, state.slots[$0]) }
    expectEqual(found.sorted(), expected)
  }

  @Test func theCacheLooksForAllButWhatOnlyPredicatesExclude() {
    let predicate = QueryFilter.where { _ in false }
    let state = Self.cache()
    func found(_ filter: QueryFilter) -> [Int] {
      state.entries(matching: filter.plainPart, at: Self.now)
    }
    expectEqual(found(predicate && .stale && "a"), found(.stale && "a"))
    expectEqual(found("a" && (.fetching || "b" && predicate)), found("a" && (.fetching || "b")))
    expectEqual(found("a" && !(predicate && .stale)), found("a"))
    expectEqual(found("a" || predicate), found(.all))
  }

  @Test func keysAndPrefixesLookAtTheirMatchesOnly() {
    let state = Self.cache()
    func candidates(_ filter: QueryFilter) -> Int {
      Set(state.allCandidates(of: filter.plainPart).map(\.index)).count
    }
    expectEqual(candidates(.key(QueryKey<Int>("a"))), 1)
    expectEqual(candidates(.stale && .key(QueryKey<Int>("a")) && "a"), 1)
    expectEqual(candidates(["a", 1] && .inactive), 6)
    expectEqual(candidates(.where { _ in true } && ["a", 1]), 6)
    expectEqual(candidates(.paused && .all), state.slots.live.count)
    expectEqual(candidates([] && .active), state.slots.live.count)
    #expect(state.slots.live.count < state.slots.count)
    expectEqual(candidates("a" || "b"), candidates("a") + candidates("b"))
    expectEqual(candidates("a" || ["a", 1] || .key(QueryKey<Int>("a"))), candidates("a"))
    expectEqual(candidates(.stale && ("a" || "b" && .fetching)), candidates("a" || "b"))
    // One side that leads nowhere leads nowhere together, and so does a negation.
    expectEqual(candidates("a" || .stale), state.slots.count)
    expectEqual(candidates(!(["a", 1])), state.slots.count)
  }

  @Test func droppedEntriesAreNobodys() {
    var state = Self.cache()
    var transaction = Transaction(environment: Environment(now: .seconds(6)))
    let index = state.find(EntryKey(QueryKey<Int>("a"))) ?? -1
    state.drop(index, reason: .removed, &transaction)
    for filter in [QueryFilter.all, "a", .status(.pending), !.stale, .fetchStatus(.idle)] {
      #expect(!state.entries(matching: filter.plainPart, at: Self.now).contains(index))
    }
  }

  @Test func matchesComeInTheSameOrderWhateverCameAndWent() {
    let state = Self.cache()
    let found = state.entries(matching: .fetchStatus(.fetching), at: Self.now)
    expectEqual(found, found.sorted())
    expect(!found.isEmpty)
  }

  /// Filters are made of data, too: by `reduce` from either side, of as many ids as there are.
  @Test func aFilterOfManyThousandPartsIsAFilter() {
    let client = QueryClient()
    for number in 0..<10 { client.setData(number, for: QueryKey<Int>("n", number)) }
    let leaves = (0..<12_000).map { QueryFilter.key(QueryKey<Int>("n", $0 + 5)) }
    let any = leaves.reduce("m") { $0 || $1 }
    let anyFromRight = leaves.reversed().reduce("m") { $1 || $0 }
    let none = leaves.reduce("n") { $0 && !$1 }
    for (filter, count) in [(any, 5), (anyFromRight, 5), (none, 5), (!any, 5), (any && none, 0)] {
      expectEqual(client.diagnostics(filter).count, count)
    }
    expectEqual(client.diagnostics(any && .where { _ in true }).count, 5)
  }

  @Test func onlyPredicatesRunUserCode() {
    expect(QueryFilter.where { _ in true }.hasPredicate)
    expect((!("a" && (.stale || .where { _ in true }))).hasPredicate)
    expect(!(("a" && .stale) || !.active).hasPredicate)
  }
}
