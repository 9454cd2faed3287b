import Testing

@testable import StreamQuery

/// Who leaves a cache that is over its budget.
struct EvictionOrderTests {
  @Test("what is used once pushes out nothing that is used again and again")
  func scan() {
    var cache = TracedCache(EvictionOrder(maxEntries: 10, maxCost: nil))
    for _ in 0..<5 { for key in 0..<8 { cache.use(key) } }
    for key in 100..<200 { cache.use(key) }
    expectEqual(cache.kept.intersection(0..<8), Set(0..<8))
    expectEqual(cache.kept.count, 10)
  }

  @Test("a loop over more than fits keeps what it has")
  func loop() {
    var cache = TracedCache(EvictionOrder(maxEntries: 100, maxCost: nil))
    for _ in 0..<50 { for key in 0..<150 { cache.use(key) } }
    // Of 150 at most 100 can be hits; an order by last use has none.
    #expect(cache.hitRatio > 0.55)
  }

  @Test("a new favourite replaces an old one that nobody asks for any more")
  func change() {
    var cache = TracedCache(EvictionOrder(maxEntries: 20, maxCost: nil))
    for _ in 0..<100 { for key in 0..<20 { cache.use(key) } }
    for _ in 0..<100 { for key in 50..<70 { cache.use(key) } }
    #expect(cache.kept.intersection(50..<70).count >= 18)
  }

  @Test("where many cheap entries made room for a few costly ones, favourites change as fast")
  func fewer() {
    var cache = TracedCache(EvictionOrder(maxEntries: nil, maxCost: 1_000))
    for key in 1_000..<2_000 { cache.use(key) }
    for _ in 0..<100 { for key in 0..<10 { cache.use(key, cost: 100) } }
    expectEqual(cache.kept, Set(0..<10))
    for _ in 0..<100 { for key in 50..<60 { cache.use(key, cost: 100) } }
    #expect(cache.kept.intersection(50..<60).count >= 8)
  }

  @Test("its hit ratio is above that of the last use", arguments: HitTrace.all)
  func ratio(trace: HitTrace) {
    var cache = TracedCache(EvictionOrder(maxEntries: 200, maxCost: nil))
    for key in trace.keys { cache.use(key) }
    let ofLastUse = trace.hitRatioOfLastUse(atMost: 200)
    #expect(cache.hitRatio > ofLastUse + 0.01, "\(cache.hitRatio) and \(ofLastUse)")
  }

  @Test("what is held never leaves, and what is left is as if the rest had a smaller budget")
  func held() {
    var order = EvictionOrder(maxEntries: 2, maxCost: nil)
    for row in 0..<4 { order.added(row, hash: row) }
    expect(order.isOver)
    expectNil(order.victim())
    order.changed(1, isIdle: true)
    expectEqual(order.victim(), 1)
    order.changed(1, isIdle: false)
    expectNil(order.victim())
  }

  @Test("an entry that alone costs more than the budget leaves before all others")
  func oversized() {
    var order = EvictionOrder(maxEntries: nil, maxCost: 100)
    for row in 0..<5 {
      order.added(row, hash: row)
      order.used(row)
      order.changed(row, isIdle: true)
    }
    for _ in 0..<10 { order.used(3) }
    order.measured(3, cost: 101)
    expectEqual(order.victim(), 3)
    order.removed(3)
    expectEqual(order.totalCost, 4)
    expectNil(order.victim())
  }

  @Test("costs of any size neither trap nor hide one another")
  func costs() {
    var order = EvictionOrder(maxEntries: nil, maxCost: .max)
    for row in 0..<3 {
      order.added(row, hash: row)
      order.measured(row, cost: .max)
      order.changed(row, isIdle: true)
    }
    expect(order.isOver)
    order.measured(0, cost: .min)
    expectEqual(order.totalCost, 2 * Int128(Int.max))
    var none = EvictionOrder(maxEntries: -1, maxCost: nil)
    none.added(0, hash: 0)
    none.changed(0, isIdle: true)
    expectEqual(none.victim(), 0)
  }

  @Test("entries that move keep their places in the order")
  func moved() {
    var order = EvictionOrder(maxEntries: 3, maxCost: nil)
    for row in 0..<6 {
      order.added(row, hash: row)
      order.used(row)
    }
    for row in [5, 3, 1, 0] { order.changed(row, isIdle: true) }
    order.moved([0, 1, 3, 4, 5])
    // Rows 5 and 3 are 4 and 2 now; the newest newcomer is still in the window.
    expectEqual(leaving(&order), [1, 4])
    expectEqual(order.entryCount, 3)
    expectEqual(order.idleCount, 2)
  }

  @Test("an idle entry that is evicted even if there is room is the next one after it has moved")
  func movedPassing() {
    for isIdle in [true, false] {
      var order = EvictionOrder(maxEntries: nil, maxCost: nil)
      order.added(0, hash: 0)
      order.added(1, hash: 1, isPassing: true)
      order.changed(1, isIdle: isIdle)
      order.moved([1])
      expectEqual(order.isOver, isIdle)
      expectEqual(order.victim(), isIdle ? 0 : nil)
    }
  }

  @Test(
    "what was used again leaves after what was not; of too many such entries the oldest go first",
    arguments: [(4, [12, 4, 5, 6]), (9, [12, 0, 1, 2])]
  )
  func usedAgain(count: Int, leaving: [Int]) {
    var order = EvictionOrder(maxEntries: 10, maxCost: nil)
    for row in 0..<10 { add(row, to: &order) }
    for row in 0..<count { order.used(row) }
    for row in 10..<14 { add(row, to: &order) }
    expectEqual(self.leaving(&order), leaving)
  }

  @Test("of what was used again, what was not used for longest leaves first")
  func lastUse() {
    var order = EvictionOrder(maxEntries: 10, maxCost: nil)
    for row in 0..<10 { add(row, to: &order) }
    for row in [0, 1, 2, 3, 0] { order.used(row) }
    // The newest on trial is not compared any more, because it may stay.
    expectNil(order.victim())
    for row in 10..<20 { order.added(row, hash: row) }
    expectEqual(leaving(&order), [4, 5, 6, 7, 8, 1, 2, 3, 0, 9])
  }

  @Test("while many entries are held, fewer of those that were used again are protected")
  func heldAndProtected() {
    var order = EvictionOrder(maxEntries: 10, maxCost: nil)
    for row in 0..<10 { add(row, to: &order) }
    for row in 0..<9 { order.used(row) }
    // Protected are 3 to 8, of nine. Of the six that are left, four are.
    for row in [8, 0, 1, 2] { order.changed(row, isIdle: false) }
    order.changed(8, isIdle: true)
    order.changed(0, isIdle: true)
    for row in 10..<13 { order.added(row, hash: row) }
    expectEqual(leaving(&order), [3, 4, 0])
  }

  @Test("if more room for newcomers pays, they are on trial later")
  func growingWindow() {
    var order = EvictionOrder(maxEntries: 20, maxCost: nil)
    for row in 0..<20 { add(row, to: &order) }
    order.used(0, times: 200)
    // The share of hits falls, so that the next steps give newcomers room; then it rises.
    order.added(20, hash: 20)
    order.used(20, times: 200)
    for _ in 0..<4 { order.used(0, times: 200) }
    order.removed(20)
    expectNil(order.victim())
    for row in 20..<23 { add(row, to: &order) }
    expectEqual(leaving(&order), [1, 2, 3])
  }

  @Test("uses count half after each age, and are remembered when their key leaves")
  func uses() {
    var order = EvictionOrder(maxEntries: 10, maxCost: nil)
    order.added(0, hash: 7)
    order.added(1, hash: 8)
    order.used(0, times: 8)
    // An age is 48 uses.
    let counts = [39, 1, 47, 1].map { times in
      order.used(1, times: times)
      return order.uses(of: 0)
    }
    expectEqual(counts, [8, 4, 4, 2])
    order.removed(0)
    order.added(2, hash: 7)
    order.added(3, hash: 9)
    expectEqual([0, 2, 3].map { order.uses(of: $0) }, [0, 2, 0])
  }

  /// Adds an entry that is used once and idle.
  private func add(_ row: Int, to order: inout EvictionOrder) {
    order.added(row, hash: row)
    order.used(row)
    order.changed(row, isIdle: true)
  }

  /// Removes entries until the cache is within its budget.
  private func leaving(_ order: inout EvictionOrder) -> [Int] {
    var left: [Int] = []
    while let victim = order.victim() {
      left.append(victim)
      order.removed(victim)
    }
    return left
  }

  @Test("counts are right after every step of any sequence", arguments: 1...40)
  func smallWorlds(seed: Int) {
    var numbers = Numbers(state: UInt64(seed))
    var order = EvictionOrder(maxEntries: 5, maxCost: 20)
    var model: [Int: (cost: Int, isIdle: Bool)] = [:]
    for _ in 0..<400 {
      let row = numbers.next(below: 9)
      switch numbers.next(below: 6) {
      case 0:
        guard model[row] == nil else { continue }
        order.added(row, hash: row)
        model[row] = (1, false)
      case 1, 2: order.used(row)
      case 3:
        let isIdle = numbers.next(below: 3) > 0
        order.changed(row, isIdle: isIdle)
        model[row]?.isIdle = isIdle
      case 4:
        let cost = numbers.next(below: 26)
        order.measured(row, cost: cost)
        model[row]?.cost = cost
      default:
        if numbers.next(below: 4) == 0 {
          order.removed(row)
          model[row] = nil
        } else if numbers.next(below: 10) == 0 {
          let kept = model.keys.sorted().filter { $0 != row }
          order.moved(kept.map(Int32.init))
          model = Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { place, row in
              model[row].map { (place, $0) }
            }
          )
        }
      }
      if numbers.next(below: 3) == 0, let victim = order.victim() {
        expectEqual(model[victim]?.isIdle, true)
        order.removed(victim)
        model[victim] = nil
      }
      expectEqual(order.entryCount, model.count)
      expectEqual(order.totalCost, Int128(model.values.reduce(0) { $0 + $1.cost }))
      expectEqual(order.idleCount, model.values.count(where: \.isIdle))
      let isOver = model.count > 5 || order.totalCost > 20
      expectEqual(order.victim() != nil, isOver && order.idleCount > 0)
    }
  }
}

/// A cache that does what an order says.
private struct TracedCache {
  private var order: EvictionOrder
  private var rows: [Int: Int] = [:]
  private var keys: [Int] = []
  private var free: [Int] = []
  private var hits = 0
  private var uses = 0

  init(_ order: EvictionOrder) {
    self.order = order
  }

  var kept: Set<Int> { Set(rows.keys) }
  var hitRatio: Double { Double(hits) / Double(uses) }

  mutating func use(_ key: Int, cost: Int = 1) {
    uses += 1
    if let row = rows[key] {
      hits += 1
      return order.used(row)
    }
    let row = free.popLast() ?? keys.count
    if row == keys.count { keys.append(key) } else { keys[row] = key }
    rows[key] = row
    order.added(row, hash: key)
    order.used(row)
    order.changed(row, isIdle: true)
    if cost != 1 { order.measured(row, cost: cost) }
    while let victim = order.victim() {
      order.removed(victim)
      rows[keys[victim]] = nil
      free.append(victim)
    }
  }
}

/// A sequence of keys as a kind of program asks for them.
struct HitTrace: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let keys: [Int]

  /// The hit ratio of a cache that drops what was used longest ago.
  func hitRatioOfLastUse(atMost limit: Int) -> Double {
    var times: [Int: Int] = [:]
    var queue: [(key: Int, time: Int)] = []
    var (first, hits) = (0, 0)
    for (time, key) in keys.enumerated() {
      if times.updateValue(time, forKey: key) != nil { hits += 1 }
      queue.append((key, time))
      while times.count > limit {
        let oldest = queue[first]
        first += 1
        if times[oldest.key] == oldest.time { times[oldest.key] = nil }
      }
    }
    return Double(hits) / Double(keys.count)
  }

  static let all: [HitTrace] = {
    var numbers = Numbers(state: 7)
    var next = 1_000_000
    /// Small numbers are far more frequent than large ones.
    func favourite() -> Int {
      let share = Double(numbers.next(below: 1 << 30)) / Double(1 << 30)
      return Int(4_000 * share * share * share * share)
    }
    func fresh() -> Int {
      next += 1
      return next
    }
    let length = 40_000
    return [
      HitTrace(testDescription: "favourites", keys: (0..<length).map { _ in favourite() }),
      HitTrace(
        testDescription: "favourites and scans",
        keys: (0..<length).map { $0 / 1_000 % 3 == 2 ? fresh() : favourite() }
      ),
      HitTrace(testDescription: "loop", keys: (0..<length).map { $0 % 300 }),
      HitTrace(
        testDescription: "mixed",
        keys: (0..<length).map { time in
          switch time % 5 {
          case 0: 500_000 + time / 5 % 400
          case 1: fresh()
          default: favourite()
          }
        }
      ),
      HitTrace(
        testDescription: "favourites that change",
        keys: (0..<length).map { $0 / 10_000 * 10_000 + favourite() }
      ),
    ]
  }()
}

/// The same numbers for the same seed.
private struct Numbers {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
