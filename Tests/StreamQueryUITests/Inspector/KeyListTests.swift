import Testing

@testable import StreamQuery
@testable import StreamQueryUI

struct KeyListTests {
  /// Four keys with data of several ages, and one without.
  private static let shop: QueryRecord = {
    var maker = RecordMaker()
    maker.key(1, .text("user"), .int(2))
    maker.key(2, .text("products"))
    maker.key(3, .text("user"), .int(1))
    maker.key(4, .text("Products"), .text("new"))
    maker.key(5, .text("cart"))
    maker.event(.added, 1, .data(at: .seconds(1), updates: 3, observers: 1))
    maker.event(.added, 2, .data(at: .seconds(3), updates: 1, observers: 2, .fetching))
    maker.event(.added, 3, .data(at: .seconds(2), updates: 2))
    maker.event(.added, 4, .data(at: .seconds(-5), updates: 9))
    maker.event(.added, 5, QueryRecord.State())
    return maker.part
  }()

  private func list(_ listing: KeyListing) -> KeyList {
    let replay = RecordReplay(Self.shop)
    var list = KeyList()
    list.rebuild(replay, at: replay.moment(at: .zero))
    list.list(listing, replay, at: replay.moment(at: .zero))
    return list
  }

  @Test(
    "keys are sorted by each property",
    arguments: [
      (KeyListing.Order.key, [4, 5, 2, 3, 1]), (.age, [2, 3, 1, 4, 5]),
      (.freshness, [4, 2, 3, 1, 5]), (.observers, [2, 1, 4, 5, 3]),
      (.updates, [4, 1, 3, 2, 5]), (.lastEvent, [5, 4, 3, 2, 1]),
    ]
  )
  func order(_ order: KeyListing.Order, _ expected: [Int]) {
    expectEqual(list(KeyListing(order: order)).numbers, expected)
    expectEqual(list(KeyListing(order: order, isReversed: true)).numbers, expected.reversed())
  }

  @Test("the freshness that is not known is neither first nor last, and an invalidation is")
  func freshness() {
    var maker = RecordMaker()
    let staleTimes: [QueryRecord.Span] = [
      .after(.seconds(9)), .dynamic, .never, .after(.seconds(1)), .static, .after(.seconds(-1)),
    ]
    for (index, staleTime) in staleTimes.enumerated() {
      maker.options(index + 1, staleTime: staleTime)
      maker.key(index + 1, .int(index + 1), base: .data(at: .seconds(2), options: index + 1))
    }
    maker.key(7, .int(7), base: .data(at: .seconds(-20)))
    maker.key(8, .int(8), base: QueryRecord.State())
    var marked = QueryRecord.State.data(at: .seconds(2), options: 2)
    marked.isInvalidated = true
    maker.key(9, .int(9), base: marked)
    marked.options = 5
    maker.key(10, .int(10), base: marked)
    let replay = RecordReplay(maker.take())
    for time in [0, 5, 100] {
      var list = KeyList(KeyListing(order: .freshness))
      list.rebuild(replay, at: replay.moment(at: .seconds(time)))
      expectEqual(list.numbers, [9, 6, 4, 1, 10, 3, 5, 2, 7, 8])
    }
  }

  @Test(
    "keys are filtered by state",
    arguments: [
      (KeyListing.State.pending, [5]), (.success, [4, 2, 3, 1]), (.error, []), (.fetching, [2]),
      (.paused, []),
      (.invalidated, []), (.optimistic, []), (.observed, [2, 1]), (.unobserved, [4, 5, 3]),
      (.all, [4, 5, 2, 3, 1]),
    ]
  )
  func state(_ state: KeyListing.State, _ expected: [Int]) {
    expectEqual(list(KeyListing(state: state)).numbers, expected)
  }

  @Test("each filter of states finds the key of its state, and no other one")
  func states() {
    var maker = RecordMaker()
    let changes: [(KeyListing.State, (inout QueryRecord.State) -> Void)] = [
      (.pending, { ($0.status, $0.hasData) = (.pending, false) }), (.error, { $0.status = .error }),
      (.fetching, { $0.fetchStatus = .fetching }), (.paused, { $0.fetchStatus = .paused }),
      (.invalidated, { $0.isInvalidated = true }), (.optimistic, { $0.isLayered = true }),
      (.observed, { $0.observerCount = 1 }),
    ]
    for (index, (_, change)) in changes.enumerated() {
      var state = QueryRecord.State.data()
      change(&state)
      maker.key(index + 1, .int(index + 1), base: state)
    }
    let replay = RecordReplay(maker.take())
    for (index, (state, _)) in changes.enumerated() {
      var list = KeyList(KeyListing(state: state))
      list.rebuild(replay, at: replay.moment(at: .zero))
      expectEqual(list.numbers, [index + 1], "\(state)")
    }
  }

  @Test("a text is found in keys and types, in any case of letters")
  func text() {
    expectEqual(list(KeyListing(text: "PROD")).numbers, [4, 2])
    expectEqual(list(KeyListing(text: "string")).matchCount, 5)
    expectEqual(list(KeyListing(text: "user, 1")).numbers, [3])
    expectEqual(list(KeyListing(text: "x")).numbers, [])
    expect("Größe".containsIgnoringCase("größe") && !"Größe".containsIgnoringCase("GRÖSSE"))
    expect("a".containsIgnoringCase("") && !"a".containsIgnoringCase("ab"))
  }

  @Test("keys of one text are rows of their own, with their own states, and keep their order")
  func sameText() {
    var maker = RecordMaker()
    for (number, type) in [(3, "Int"), (1, "String"), (2, "String")] {
      maker.key(number, .text("a"), type: type)
      maker.event(.added, number, .data(updates: number))
    }
    var replay = RecordReplay(maker.take())
    for isGrouped in [false, true] {
      for (order, expected) in [(KeyListing.Order.key, [1, 2, 3]), (.updates, [3, 2, 1])] {
        var list = KeyList(KeyListing(order: order, isGrouped: isGrouped))
        list.rebuild(replay, at: replay.moment(at: .zero))
        expect(list.numbers == expected && list.matchCount == 3)
        list.list(KeyListing(text: "int", order: order), replay, at: replay.moment(at: .zero))
        expectEqual(list.numbers, [3])
      }
    }
    var list = KeyList()
    list.rebuild(replay, at: replay.moment(at: .zero))
    maker.event(.removed(.removed, isKeptEmpty: false), 2, nil)
    maker.event(.written, 3, .data(updates: 9))
    let news = replay.feed(maker.take())
    let moment = replay.moment(at: .zero)
    list.update(news.changed, replay, at: moment)
    expectEqual(list.numbers, [1, 3])
    expectEqual(
      [1, 2, 3].map { replay.row(of: $0, at: moment)?.state.dataUpdateCount },
      [1, nil, 9]
    )
    let rows = list.numbers.compactMap { replay.row(of: $0, at: moment)?.typedFacts }
    expectEqual(
      rows,
      [
        "String · has data · its stale time is not in the record · less than 1 ms old · 1 update",
        "Int · has data · its stale time is not in the record · less than 1 ms old · 9 updates",
      ]
    )
  }

  @Test("keys with the same first part are a group, which can be collapsed")
  func groups() {
    var listing = KeyListing(order: .updates, isGrouped: true)
    let all = list(listing)
    expectEqual(all.groups.map(\.title), ["Products", "cart", "products", "user"])
    expectEqual(all.groups.map { Array(all.numbers(in: $0)) }, [[4], [5], [2], [1, 3]])
    listing.collapsed = ["user", "cart"]
    let some = list(listing)
    expectEqual(some.groups.map(\.count), [1, 1, 1, 2])
    expectEqual(some.groups.map { Array(some.numbers(in: $0)) }, [[4], [], [2], []])
    expectEqual(some.matchCount, 5)
  }

  @Test("after any changes the list is the one that would be made anew")
  func changes() {
    for seed in 0..<30 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var maker = RecordMaker()
      for number in 1...5 { maker.key(number, .int(number % 2), .int(number)) }
      for _ in 0..<150 { maker.step(&random) }
      let replay = RecordReplay(maker.part)
      var moment = replay.moment(at: .zero)
      var list = KeyList()
      list.rebuild(replay, at: moment)
      for _ in 0..<60 {
        if Int.random(in: 0..<4, using: &random) == 0 {
          list.list(.random(using: &random), replay, at: moment)
        } else {
          let next = replay.moment(at: .milliseconds(Int.random(in: -1...220, using: &random)))
          list.update(replay.changedKeys(from: moment, to: next), replay, at: next)
          moment = next
        }
        var anew = KeyList(list.listing)
        anew.rebuild(replay, at: moment)
        expectEqual(list.numbers, anew.numbers, "seed \(seed): \(list.listing)")
        expect(list.groups == anew.groups && list.matchCount == anew.matchCount, "seed \(seed)")
      }
    }
  }

  @Test(
    "of many keys a change looks at those that changed, and a longer text at those that were found"
  )
  func work() {
    let count = Seeds.times(100_000, orElse: 10_000)
    let step = Seeds.times(97, orElse: 9)
    var maker = RecordMaker()
    for number in 1...count {
      maker.key(number, .text("item"), .int(number), base: .data(at: .microseconds(number)))
    }
    var replay = RecordReplay(maker.take())
    var list = KeyList(KeyListing(order: .lastEvent))
    list.rebuild(replay, at: replay.moment(at: .zero))
    var before = list.work
    #expect(before.rows == count && before.comparisons < 25 * count)

    for number in stride(from: 1, through: 1_000, by: 10) { maker.event(.written, number * step) }
    var news = replay.feed(maker.take())
    list.update(news.changed, replay, at: replay.moment(at: .zero))
    expectEqual(list.work.rows - before.rows, 100)
    // To take it out, to sort it among the others that changed, and to put it back: 17 is the logarithm of 100,000.
    #expect(list.work.comparisons - before.comparisons < 100 * (17 + 20 + 17))
    expectEqual(list.numbers.prefix(2), [991 * step, 981 * step])

    // Sorted by key, a change of the state moves nothing.
    list.list(KeyListing(), replay, at: replay.moment(at: .zero))
    before = list.work
    maker.event(.written, 500, .data(updates: 2))
    news = replay.feed(maker.take())
    list.update(news.changed, replay, at: replay.moment(at: .zero))
    #expect(list.work.rows - before.rows == 1 && list.work.comparisons == before.comparisons)

    // A shorter text may be anywhere, a longer one only where the shorter one was found.
    let found = ["99", "999", "9"].map { text in (1...count).count { "\($0)".contains(text) } }
    for (text, searches, matches) in [
      ("99", count, found[0]), ("999", found[0], found[1]), ("9", count, found[2]),
    ] {
      before = list.work
      list.list(KeyListing(text: text), replay, at: replay.moment(at: .zero))
      expectEqual(list.work.searches - before.searches, searches, "\(text)")
      expectEqual(list.matchCount, matches, "\(text)")
    }
  }
}

extension KeyListing {
  static func random(using random: inout SplitMix64) -> Self {
    var listing = KeyListing()
    listing.text = ["", "1", "1, 1", "[0", "nothing"].randomElement(using: &random) ?? ""
    listing.state = State.allCases.randomElement(using: &random) ?? .all
    listing.order = Order.allCases.randomElement(using: &random) ?? .key
    listing.isReversed = Bool.random(using: &random)
    listing.isGrouped = Bool.random(using: &random)
    if Bool.random(using: &random) { listing.collapsed = ["1"] }
    return listing
  }
}
