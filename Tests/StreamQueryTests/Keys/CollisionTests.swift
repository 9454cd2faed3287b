import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Many keys of one hash.
@Suite("Keys of equal hashes") struct CollisionTests {
  /// Counts its comparisons, and hashes to one value.
  struct Counted: Hashable, Sendable {
    var id: Int
    let comparisons: Notes<Int>

    static func == (left: Counted, right: Counted) -> Bool {
      left.comparisons.add(right.id)
      return left.id == right.id
    }

    func hash(into hasher: inout Hasher) {}
  }

  // MARK: Parts of ours

  /// Two parts that fed the same bytes to a hash before each kind began with a byte of its own.
  static let doubles: [(KeyPart, KeyPart)] = [
    (.int(0), .double(0)),
    (.int(0x3FF0_0000_0000_0000), .real(1.0)),
    // Seven letters, and the byte that ends a string.
    (.string("abcdefg"), .int(Int(truncatingIfNeeded: 0xFF67_6665_6463_6261 as UInt64))),
    (.list([]), .int(0)),
    (.list([.string("")]), .string("\u{1}\0\0\0\0\0\0\0")),
    (.list([]), .record([])),
    (.list([.null]), .record([])),
    (.deep(DeepKeyPart(.null)), .int(DeepKeyPart(.null).hash)),
  ]

  @Test(arguments: doubles.indices)
  func partsThatDifferDoNotMakeAsManyKeysOfOneHashAsTheyMakeKeys(place: Int) {
    let (one, other) = Self.doubles[place]
    var hashes: Set<Int> = []
    for bits in 0..<1_024 {
      let parts = (0..<10).map { bits >> $0 & 1 == 0 ? one : other }
      hashes.insert(KeyStorage(parts).hash)
    }
    expectEqual(hashes.count, 1_024)
  }

  @Test func rowsOfPartsThatDifferHaveHashesThatDiffer() {
    let null = KeyPart.null
    let rows: [[KeyPart]] = [
      [.list([.int(1)]), .int(2)], [.int(1), .int(1), .int(2)], [.list([.int(1), .int(2)])],
      Array(repeating: null, count: 15), Array(repeating: null, count: 16),
      [.int(0), .int(0)], [.int(0), .int(0), null], [.int(0), null, .int(0)],
      [.list([]), .int(1), .int(2)], Array(repeating: null, count: 8),
      [.int(0x0303_0303_0303_0303)],
      [.list([null, null])], [.list([null]), null], [.bool(true), .bool(false)],
      [.int(0x0201)], [.float(1), .float(1)], [.double(1 << 32 + 1)], [.string("a"), .string("b")],
      [.string("ab")], [.record([KeyField(name: "a", part: .string("b"))])],
    ]
    expectEqual(Set(rows.map { KeyStorage($0).hash }).count, rows.count)
  }

  // MARK: The table

  @Test(arguments: Seeds.few(1))
  func aCrowdIsFoundWholeAndOthersHardlyPassIt(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var table = HashTable()
    var hashes: [Int] = []
    var present: Set<Int32> = []
    for position in 0..<4_000 as Range<Int32> {
      // Half of them have one hash, and one in ten another.
      let kind = random.next(below: 10)
      let hash =
        kind < 5 ? 7 : kind < 6 ? 1 << 40 + 5_009 : random.next(below: .max >> 33) &* 0x9E37_79B9
      hashes.append(hash)
      table.insert(position, hash: hash) { _ in nil }
      present.insert(position)
      if random.next(below: 3) == 0 {
        let gone = Int32(random.next(below: Int(position) + 1))
        table.remove(gone, hash: hashes[Int(gone)])
        present.remove(gone)
      }
    }
    expectEqual(table.count, present.count)
    for position in hashes.indices.map(Int32.init) {
      let found = table.first(hash: hashes[Int(position)]) {
        $0 == position
      } order: { _ in
        nil
      }
      expectEqual(found, present.contains(position) ? position : nil)
    }
    var collision: [Int32] = []
    table.forEach(hash: 7, order: { _ in nil }) { if hashes[Int($0)] == 7 { collision.append($0) } }
    expectEqual(collision.count, present.filter { hashes[Int($0)] == 7 }.count)
    expectEqual(collision, collision.sorted())
    // Of 1,500 there are 64 in the way, and who had to go past them.
    let farthest = (0..<8_192).map { table.reach(of: $0) }.max() ?? 0
    #expect(farthest < 512)
    for position in present { table.remove(position, hash: hashes[Int(position)]) }
    expectEqual(table.count, 0)
    expectEqual(table.reach(of: 7), 0)
  }

  // MARK: Comparable parts

  /// Has one hash and an order, and counts what is asked of it.
  struct Ordered: Hashable, Comparable, Sendable {
    var id: Int
    let questions: Notes<Int>

    static func == (left: Ordered, right: Ordered) -> Bool {
      left.questions.add(0)
      return left.id == right.id
    }

    static func < (left: Ordered, right: Ordered) -> Bool {
      left.questions.add(0)
      return left.id < right.id
    }

    func hash(into hasher: inout Hasher) {}
  }

  @Test(arguments: [false, true])
  func wherePartsHaveAnOrderALookAmongManyCostsALogarithm(isPrefix: Bool) {
    let questions = Notes<Int>()
    var index = KeyIndex()
    func key(_ id: Int) -> AnyQueryKey {
      let part = Ordered(id: id, questions: questions)
      return isPrefix ? AnyQueryKey("a", part, 1) : AnyQueryKey("a", part)
    }
    var worst = 0
    // Neither up nor down: 4,001 is a prime.
    let ids = (0..<4_000).map { $0 * 1_234 % 4_001 }
    for (position, id) in ids.enumerated() {
      let before = questions.count
      index.insert(key(id), id: Int32(position))
      worst = max(worst, questions.count - before)
    }
    // Those in the slots, twice, and a few for each halving.
    #expect(worst < 2 * HashTable.slotsPerHash + 60)
    for (position, id) in ids.enumerated() where position % 7 == 0 {
      let before = questions.count
      expectEqual(index.first(with: key(id).storage) { _ in true }, Int32(position))
      #expect(questions.count - before < HashTable.slotsPerHash + 60)
    }
    expectNil(index.first(with: key(4_000 + 7).storage) { _ in true })
    _ = index.compact { $0 }
    for (position, id) in ids.enumerated() where position % 7 == 0 {
      expectEqual(index.first(with: key(id).storage) { _ in true }, Int32(position))
    }
    for (position, id) in ids.enumerated() { index.remove(key(id), id: Int32(position)) }
    expect(index.count == 0 && index.nodeCount == 1)
  }

  /// Has an order that says less than its equality: some are beside each other.
  struct Ranked: Hashable, Comparable, Sendable {
    var rank: Int
    var name: Int

    static func < (left: Ranked, right: Ranked) -> Bool { left.rank < right.rank }

    func hash(into hasher: inout Hasher) {}
  }

  @Test(arguments: Seeds.few(1))
  func manyKeysOfOneHashAreFoundWhateverOrderTheyHave(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var index = KeyIndex()
    var all: [AnyQueryKey: Int32] = [:]
    func some() -> AnyQueryKey {
      switch random.next(below: 5) {
      case 0: AnyQueryKey(Ranked(rank: random.next(below: 5), name: random.next(below: 40)))
      case 1: AnyQueryKey(KeySample.Colliding(id: random.next(below: 150)))
      case 2: AnyQueryKey(Ranked(rank: 1, name: random.next(below: 90)), random.next(below: 2), 1)
      case 3: AnyQueryKey(Ordered(id: random.next(below: 200), questions: Notes()))
      default: AnyQueryKey(KeySample.Colliding(id: random.next(below: 90)), 1)
      }
    }
    for step in 0..<3_000 as Range<Int32> {
      let key = some()
      if let id = all[key] {
        expectEqual(index.first(with: key.storage) { _ in true }, id, "step \(step)")
        guard random.next(below: 3) == 0 else { continue }
        index.remove(key, id: id)
        all[key] = nil
      } else {
        expectNil(index.first(with: key.storage) { _ in true }, "step \(step)")
        index.insert(key, id: step)
        all[key] = step
      }
      if random.next(below: 300) == 0 { _ = index.compact { $0 } }
    }
    expectEqual(index.count, all.count)
    for (key, id) in all {
      expectEqual(index.first(with: key.storage) { _ in true }, id)
      index.remove(key, id: id)
    }
    expect(index.count == 0 && index.nodeCount == 1)
  }

  // MARK: The cache

  @Test func aCrowdCostsNobodyElseAComparison() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
    let comparisons = Notes<Int>()
    for id in 0..<300 {
      client.setData(id, for: QueryKey<Int>(Counted(id: id, comparisons: comparisons)))
    }
    // Each was compared with those before it, once.
    #expect(comparisons.count <= 300 * 299 / 2)
    let before = comparisons.count
    for id in 0..<300 { client.setData(id, for: QueryKey<Int>("n", id)) }
    for id in 0..<300 { expectEqual(client.data(for: QueryKey<Int>("n", id)), id) }
    expectEqual(comparisons.count, before)
    for id in 0..<300 {
      expectEqual(client.data(for: QueryKey<Int>(Counted(id: id, comparisons: comparisons))), id)
    }
    client.clear()
  }

  @Test func manyKeysOfOneHashAreReportedOnceForEachType() {
    let simulation = Simulation()
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    func write(_ ids: Range<Int>) {
      for id in ids { client.setData(id, for: QueryKey<Int>(KeySample.Colliding(id: id))) }
    }
    write(0..<64)
    expectEmpty(misuses.all)
    write(64..<300)
    expectEqual(misuses.count, 1)
    client.clear()
    write(0..<300)
    expectEqual(misuses.count, 1)
    if case .equalHashes(let key, let count) = misuses.all.first {
      #expect(key.contains("Colliding(id: 64)"))
      expectEqual(count, 65)
    } else {
      Issue.record("\(misuses.all)")
    }
    // Of prefixes likewise.
    let comparisons = Notes<Int>()
    for id in 0..<70 {
      let part = Counted(id: id, comparisons: comparisons)
      client.setData(id, for: QueryKey<Int>(part, id))
    }
    expectEqual(misuses.count, 2)
    expectEqual(misuses.all.last?.description.contains("hash(into:)"), true)
    client.clear()
  }

  @Test func ordinaryKeysAreNoCrowd() {
    let simulation = Simulation()
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    for id in 0..<5_000 { client.setData(id, for: QueryKey<Int>("n", id % 70, Double(id))) }
    expectEmpty(misuses.all)
    client.clear()
  }
}
