@testable import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// An answer that equals the cached value keeps it, and one that differs keeps the parts that are
/// equal.
struct StructuralSharingTests {
  let simulation = Simulation(seed: 5)

  /// An object, so that it shows which one is kept.
  final class Item: Equatable, Hashable, Identifiable, Sendable, CustomStringConvertible {
    let id: Int
    let name: String

    init(_ id: Int, _ name: String) {
      self.id = id
      self.name = name
    }

    static func == (lhs: Item, rhs: Item) -> Bool { lhs.id == rhs.id && lhs.name == rhs.name }

    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
    }

    var description: String { "\(id)\(name)" }
  }

  /// The values that are cached after each fetch of some answers.
  private func cached<Value>(
    _ answers: [Value],
    configure: (QueryClient) -> Void = { _ in },
    change: (Query<Value>) -> Query<Value> = { $0 }
  ) -> [Value] {
    let client = QueryClient(simulation: simulation)
    configure(client)
    let rest = Mutex(answers[...])
    let query = change(
      Query(key: ["answers"]) {
        guard let answer = rest.withLock({ $0.popFirst() }) else { throw Boom() }
        return answer
      }
    )
    return answers.indices.compactMap { _ in
      try? simulation.run { try await client.fetch(query) }
    }
  }

  private func items() -> [Item] { [Item(1, "a"), Item(2, "b")] }

  // MARK: By default

  // O22 T18
  @Test
  func anEqualAnswerKeepsTheCachedValue() {
    let values = cached([Item(1, "a"), Item(1, "a"), Item(1, "b")])
    #expect(values[1] === values[0])
    expectEqual(values.map(\.name), ["a", "a", "b"])
  }

  @Test
  func genericCodeSharesLikeCodeThatKnowsTheType() {
    func kept<Value: Sendable>(
      _ one: Value,
      _ same: Value,
      _ isSame: (Value, Value) -> Bool
    ) -> Bool {
      let values = cached([one, same])
      return isSame(values[0], values[1])
    }
    expect(kept(Item(1, "a"), Item(1, "a")) { $0 === $1 })
    expect(kept([Item(1, "a")], [Item(1, "a")]) { $0[0] === $1[0] })
  }

  final class Opaque: Sendable {}

  @Test
  func valuesThatCannotBeComparedLandAsTheyAre() {
    let (one, other) = (Opaque(), Opaque())
    let values = cached([one, other])
    #expect(values[0] === one && values[1] === other)
  }

  // O22 T18
  @Test
  func oneChangedPageOfThreeKeepsTheOtherTwo() {
    func run(_ second: String) -> Pages<[Item], Int>? {
      Pages(
        [[Item(1, "a"), Item(2, "b")], [Item(3, "c"), Item(4, second)], [Item(5, "e")]],
        params: [1, 2, 3]
      )
    }
    let runs = cached([run("d"), run("d"), run("D")]).compactMap { $0 }.map(\.pages)
    expectEqual(runs.map { $0[1][1].name }, ["d", "d", "D"])
    for (old, new) in zip(runs, runs.dropFirst()) {
      #expect(new[0][0] === old[0][0] && new[0][1] === old[0][1] && new[2][0] === old[2][0])
      // Of the page that changed, the item that did not.
      #expect(new[1][0] === old[1][0])
    }
    #expect(runs[1][1][1] === runs[0][1][1] && runs[2][1][1] !== runs[1][1][1])
  }

  @Test
  func aRefetchOfAnInfiniteQueryKeepsThePagesThatDidNotChange() throws {
    let client = QueryClient(simulation: simulation)
    let changed = Dial<Int?>(nil)
    let query = InfiniteQuery<[Item], Int>("feed", initialPageParam: 1) { page, _ in
      [Item(page, changed.value == page ? "new" : "old")]
    } nextPageParam: {
      $0.pages.count < 3 ? $0.pages.count + 1 : nil
    }
    _ = try simulation.run { try await client.fetch(query) }
    for _ in 0..<2 { _ = try simulation.run { try await client.fetchNextPage(of: query) } }
    let old = try #require(client.data(for: query)).pages
    changed.value = 2
    _ = try simulation.run { try await client.fetch(query) }
    let new = try #require(client.data(for: query)).pages
    expectEqual(new.map { $0[0].name }, ["old", "new", "old"])
    expectEqual([0, 1, 2].map { new[$0][0] === old[$0][0] }, [true, false, true])
  }

  struct Counted: Equatable, Sendable {
    static let comparisons = Mutex<[String: Int]>([:])
    var test: String

    static func == (lhs: Counted, rhs: Counted) -> Bool {
      comparisons.withLock { $0[lhs.test, default: 0] += 1 }
      return true
    }
  }

  @Test
  func addingAPageComparesNone() throws {
    let client = QueryClient(simulation: simulation)
    let query = InfiniteQuery<Counted, Int>("feed", initialPageParam: 1) { _, _ in
      Counted(test: "adding")
    } nextPageParam: {
      $0.pages.count + 1
    }
    _ = try simulation.run { try await client.fetch(query) }
    for _ in 0..<20 { _ = try simulation.run { try await client.fetchNextPage(of: query) } }
    expectEqual(client.data(for: query)?.count, 21)
    expectNil(Counted.comparisons.withLock { $0["adding"] })
  }

  @Test
  func aStreamedRefetchThatEndsWithTheSameKeepsIt() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<[Item]>.streamed("s", into: [], refetch: .replace) { _ in
      AsyncStream { continuation in
        continuation.yield(Item(1, "a"))
        continuation.yield(Item(2, "b"))
        continuation.finish()
      }
    } reduce: {
      $0.append($1)
    }
    let old = try simulation.run { try await client.fetch(query) }
    let new = try simulation.run { try await client.fetch(query) }
    expect(old.map(\.description) == ["1a", "2b"] && new == old)
    #expect(zip(old, new).allSatisfy { $0 === $1 })
  }

  // MARK: Policies

  @Test
  func sharingIsOffForAQueryOrByDefault() {
    func isKept(_ values: [Item]) -> Bool { values[0] === values[1] }
    let answers = { [Item(1, "a"), Item(1, "a")] }
    let off: (Query<Item>) -> Query<Item> = { $0.sharing(.off) }
    let on: (Query<Item>) -> Query<Item> = { $0.sharing(.automatic) }
    let offByDefault: (QueryClient) -> Void = {
      $0.setDefaults(QueryOptions(sharing: .off), for: "answers")
    }
    expect(isKept(cached(answers())))
    expect(!isKept(cached(answers(), change: off)))
    expect(!isKept(cached(answers(), configure: offByDefault)))
    expect(isKept(cached(answers(), configure: offByDefault, change: on)))
  }

  @Test
  func aCustomPolicyIsForValuesOfItsType() {
    let policy = SharingPolicy.custom { (old: Item, new: Item) in
      Item(new.id, old.name + new.name)
    }
    let custom: (QueryClient) -> Void = {
      $0.setDefaults(QueryDefaults(options: QueryOptions(sharing: policy)))
    }
    let joined = cached([Item(1, "a"), Item(1, "b")], configure: custom)
    expectEqual(joined.map(\.name), ["a", "ab"])
    let others = cached([items(), items()], configure: custom)
    #expect(others[0][0] === others[1][0])
    let merged = cached(
      [Item(1, "a"), Item(1, "b")],
      configure: custom,
      change: { $0.merge { old, _ in old } }
    )
    expectEqual(merged.map(\.name), ["a", "a"])
    let own = cached([Item(1, "a"), Item(1, "b")], change: { $0.sharing(policy) })
    expectEqual(own.map(\.name), ["a", "ab"])
  }

  @Test
  func whatIsWrittenIsCachedAsItIs() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Item>(key: "item")
    let (one, same) = (Item(1, "a"), Item(1, "a"))
    client.setData(one, for: query)
    client.setData(same, for: query)
    #expect(client.data(for: query) === same)
    client.updateData(for: query) { $0 = one }
    #expect(client.data(for: query) === one)
  }

  // MARK: User code

  /// A value whose comparison does what the test says.
  struct Meddler: Equatable, Sendable {
    static let meddlers = Mutex<[String: @Sendable () -> Void]>([:])
    var test: String
    var number: Int

    static func == (lhs: Meddler, rhs: Meddler) -> Bool {
      meddlers.withLock { $0[lhs.test] }?()
      return lhs.number == rhs.number
    }
  }

  @Test
  func aComparisonMayUseTheClientSinceNoLockIsHeld() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Meddler>("m") { Meddler(test: "reading", number: 1) }
    let read = Mutex<[Int?]>([])
    Meddler.meddlers.withLock {
      $0["reading"] = { [weak client] in
        let number = client?.data(for: query)?.number
        read.withLock { $0.append(number) }
      }
    }
    for _ in 0..<2 { _ = try simulation.run { try await client.fetch(query) } }
    expectEqual(read.withLock { $0 }, [1])
  }

  @Test
  func aComparisonThatWritesItsKeyEachTimeDoesNotKeepTheAnswerOut() throws {
    let client = QueryClient(simulation: simulation)
    let answers = Dial(0)
    let query = Query<Meddler>("m") {
      answers.with { $0 += 1 }
      return Meddler(test: "writing", number: answers.value)
    }
    let writes = Dial(0)
    Meddler.meddlers.withLock {
      $0["writing"] = { [weak client] in
        writes.with { $0 += 1 }
        client?.setData(Meddler(test: "writing", number: 100 + writes.value), for: query)
      }
    }
    for _ in 0..<2 { _ = try simulation.run { try await client.fetch(query) } }
    expectEqual(client.data(for: query)?.number, 2)
    expectEqual(writes.value, 3)
  }

  // MARK: Parts

  struct Board: StructurallyShared, Sendable {
    var title: String
    var owner: Item
    var rows: [Item]

    func reusingUnchanged(from old: Board) -> Board {
      var new = self
      if owner == old.owner { new.owner = old.owner }
      new.rows = rows.reusingUnchanged(from: old.rows)
      return new
    }
  }

  @Test
  func aTypeSaysWhichPartsItHas() {
    let boards = cached(
      ["x", "y"].map { Board(title: $0, owner: Item(9, "o"), rows: items()) }
    )
    expectEqual(boards[1].title, "y")
    #expect(boards[1].owner === boards[0].owner && boards[1].rows[1] === boards[0].rows[1])
  }

  @Test
  func partsAreSharedAtAnyDepth() {
    func value(_ last: String) -> [String: [Board]?] {
      [
        "a": [Board(title: "x", owner: Item(1, "o"), rows: items())],
        "b": [
          Board(title: "y", owner: Item(2, "p"), rows: items()),
          Board(title: last, owner: Item(3, "q"), rows: items()),
        ],
        "c": nil,
      ]
    }
    let values = cached([value("z"), value("Z")])
    func owners(_ value: [String: [Board]?]) -> [Item] {
      ["a", "b", "c"].flatMap { (value[$0] ?? nil)?.map(\.owner) ?? [] }
    }
    let (old, new) = (owners(values[0]), owners(values[1]))
    expect(old.count == 3 && new.count == 3)
    #expect(zip(old, new).allSatisfy { $0 === $1 })
    expectEqual(values[1], value("Z"))
  }

  /// An object that has the identity that every class gets for nothing.
  final class Plain: Equatable, Identifiable, Sendable {
    let name: String

    init(_ name: String) {
      self.name = name
    }

    static func == (lhs: Plain, rhs: Plain) -> Bool { lhs.name == rhs.name }
  }

  @Test
  func objectsWithoutAnIdentityOfTheirOwnAreSharedByPosition() {
    let old = ["a", "b", "c"].map(Plain.init)
    let new = ["x", "b", "c"].map(Plain.init).reusingUnchanged(from: old)
    expectEqual(new.map(\.name), ["x", "b", "c"])
    expectEqual([0, 1, 2].map { new[$0] === old[$0] }, [false, true, true])
  }

  @Test
  func pagesThatMovedKeepTheirContent() throws {
    let old = try #require(Pages([[Item(1, "a")], [Item(2, "b")]], params: [1, 2]))
    let moved = try #require(Pages([[Item(2, "b")], [Item(3, "c")]], params: [2, 3]))
    let shared = moved.reusingUnchanged(from: old)
    expectEqual(shared, moved)
    #expect(shared.pages[0][0] === old.pages[1][0])
    let other = try #require(Pages([[Item(1, "a")]], params: [7]))
    expectEqual(other.reusingUnchanged(from: old).params, [7])
  }

  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 32) | (state << 32)
    }
  }

  @Test(arguments: Seeds.few(20))
  func whatSharesEqualsWhatCame(_ seed: UInt64) {
    var random = Random(state: seed)
    func list() -> [Item] {
      (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        Item(.random(in: 0..<4, using: &random), ["a", "b"].randomElement(using: &random) ?? "a")
      }
    }
    let (old, new) = (list(), list())
    let shared = new.reusingUnchanged(from: old)
    expectEqual(shared, new)
    for (index, item) in shared.enumerated() where index < old.count && old[index] == item {
      // What is equal at its place is old: this one, or another of the same identity.
      #expect(old.contains { $0 === item })
    }
    let nested = [old, new].reusingUnchanged(from: [new, old])
    expectEqual(nested, [old, new])
    let table = ["x": new, "y": old].reusingUnchanged(from: ["x": old, "z": new])
    expectEqual(table, ["x": new, "y": old])
    let maybe: [Item]? = new
    expectEqual(maybe.reusingUnchanged(from: old), new)
    let dense = ContiguousArray(new).reusingUnchanged(from: ContiguousArray(old))
    expectEqual(dense, ContiguousArray(new))
  }
}
