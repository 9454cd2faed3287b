import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What leaves a store: for a while because it is full, or because it is too old.
extension SavedRecordsTests {
  @Test(
    "what is kept without a limit of age leaves after all else, however old",
    arguments: [.oldestFirst, .leastRecentlyUsedFirst] as [StoreLimit.Order]
  )
  func unlimited(_ order: StoreLimit.Order) {
    var records = SavedRecords(limit: StoreLimit(maxRecords: 4, order: order))
    let lifetimes: [(String, TimeSpan)] = [
      ("draft", .infinite), ("a", TimeSpan(.hours(24))), ("theme", .infinite),
      ("b", TimeSpan(.hours(24))), ("c", TimeSpan(.hours(24))),
    ]
    let found = lifetimes.enumerated().map { place, kept in
      let value = SavedValue(
        Data([1]),
        updatedAt: Double(place),
        isInvalidated: false,
        version: "",
        maxAge: kept.1
      )
      return StoreRecord(key: "query/" + kept.0, value: value.data)
    }
    _ = records.loaded(StoreContents(generation: .first, records: found), at: 5)
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/a"])
    expectEqual(records.records.keys.sorted(), ["b", "c", "draft", "theme"].map { "query/" + $0 })
  }

  @Test(
    "a full store gives up nothing that nobody can fetch again for what can be fetched",
    arguments: [true, false]
  )
  func unlimitedWhileFull(isEternalNew: Bool) throws {
    var records = SavedRecords(limit: StoreLimit())
    func value(_ maxAge: TimeSpan, at date: Double) -> SavedValue {
      SavedValue(
        Data([1]),
        updatedAt: date,
        isInvalidated: false,
        version: "",
        maxAge: maxAge
      )
    }
    let day = TimeSpan(.hours(24))
    var found = (0..<10).map {
      StoreRecord(key: "query/e\($0)", value: value(.infinite, at: 0).data)
    }
    if isEternalNew {
      found += (0..<4).map { StoreRecord(key: "query/f\($0)", value: value(day, at: 1).data) }
    }
    _ = records.loaded(StoreContents(generation: .first, records: found), at: 5)
    let new = isEternalNew ? "e10" : "f0"
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    let saved = value(isEternalNew ? .infinite : day, at: 9)
    _ = records.encoded([(new, .save(saved, stamp))])
    _ = records.takeBatch()
    var left: [Set<String>] = []
    while records.failed(isFull: true) {
      left.append(Set(records.evicted.keys))
      _ = records.takeBatch()
    }
    let feeds = Set((0..<4).map { "query/f\($0)" })
    // For its like, after all else.
    #expect(left.allSatisfy { $0.isSubset(of: feeds) || $0.isSuperset(of: feeds) })
    expect(left.isEmpty != isEternalNew)
  }

  @Test("a mark on what left comes back with it")
  func markedWhileFull() throws {
    let a = #"Swift.Int["a"]"#
    var records = open(StoreLimit(), a, "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    records.apply(RecordFilter(.key("a" as QueryKey<Int>)), removes: false)
    while records.failed(isFull: true) {}
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), ["query/" + a, "query/c"])
    let marked = records.use(a)
    expectEqual(marked?.isInvalidated, true)
  }

  @Test("what was removed while a full store had no room for it does not come back")
  func removedWhileFull() {
    let a = #"Swift.Int["a"]"#
    var records = open(StoreLimit(), a, "b", "c")
    _ = records.encoded([("b", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    _ = records.takeBatch()
    records.apply(RecordFilter(.key("a" as QueryKey<Int>)), removes: true)
    while records.failed(isFull: true) { _ = records.takeBatch() }
    expectEqual(records.records.keys.sorted(), ["query/b", "query/c"])
  }

  @Test("what became one that must not be kept while it was left out does not come back")
  func redactedWhileFull() throws {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again && records.evicted.keys.sorted() == ["query/a"])
    _ = records.encoded([("a", .remove)])
    while records.failed(isFull: true) { _ = records.takeBatch() }
    expectEqual(records.records.keys.sorted(), ["query/b", "query/c"])
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/a"])
  }

  @Test("a mark that is settled for what left comes back with it")
  func settledMarkWhileFull() {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    _ = records.encoded([("a", .mark(isInvalidated: true))])
    while records.failed(isFull: true) { _ = records.takeBatch() }
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), ["query/a", "query/c"])
    let marked = records.use("a")
    expectEqual(marked?.isInvalidated, true)
  }

  @Test("what is saved in place of what left, and is too large, does not let that come back")
  func replacedWhileFull() throws {
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(maxBytes: 1000), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    _ = records.encoded([("a", .save(value(2, at: 9, size: 2000), stamp))])
    _ = records.takeBatch()
    while records.failed(isFull: true) { _ = records.takeBatch() }
    expectEqual(records.records.keys.sorted(), ["query/b", "query/c"])
  }

  @Test("a filter does not decide for cached entries, also of those that left")
  func filteredWhileFull() {
    let a = #"Swift.Int["a"]"#
    var records = open(StoreLimit(), a, "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again && records.evicted.keys.sorted() == ["query/" + a])
    records.apply(RecordFilter(.all), removes: true, except: [a, "b", "c"])
    while records.failed(isFull: true) { _ = records.takeBatch() }
    expectEqual(records.records.keys.sorted(), ["query/" + a, "query/b", "query/c"])
  }

  /// What stays of records with a lifetime of 32 seconds, by their dates.
  private func kept(
    of dates: [Double],
    at date: Double,
    for maxAge: Duration = .zero
  ) -> [Double] {
    var saved = SavedRecords(limit: StoreLimit())
    let records = dates.map { date in
      let value = SavedValue(
        Data(),
        updatedAt: date,
        isInvalidated: false,
        version: "old",
        maxAge: TimeSpan(.seconds(30))
      )
      return StoreRecord(key: "query/\(date)", value: value.data)
    }
    let contents = StoreContents(generation: .first, records: records)
    _ = saved.loaded(contents, at: date, for: TimeSpan(maxAge))
    return saved.records.values.map(\.value.updatedAt).sorted()
  }

  @Test("one launch with the clock ahead loses only what is too old without it as well")
  func clockAhead() {
    expectEqual(kept(of: [10, 50, 60, 90], at: 172_800), [60, 90])
    expectEqual(kept(of: [10], at: 172_800), [10])
    expectEqual(kept(of: [10, .nan, .infinity], at: 172_800), [10])
    // What that launch saved does not make anything older for the next one.
    expectEqual(kept(of: [60, 90, 172_800], at: 91), [60, 90, 172_800])
  }

  @Test("what is young enough for a raised age stays")
  func raisedAge() {
    expectEqual(kept(of: [10, 50, 90], at: 100, for: .seconds(60)), [50, 90])
    expectEqual(kept(of: [10, 50, 90], at: 100, for: .seconds(Int64.max)), [10, 50, 90])
  }

  @Test("what left a full store for good does not return when a later write fails")
  func leftForGood() {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let isTriedAgain = records.failed(isFull: true)
    expect(isTriedAgain && records.isFull)
    _ = records.takeBatch()
    records.written()
    expect(!records.isFull)
    _ = records.encoded([("b", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    _ = records.failed(isFull: false)
    expectEqual(records.records.keys.sorted(), ["query/b", "query/c"])
  }

  @Test("what returns to a full store takes its room again")
  func roomOfWhatReturns() {
    var records = open(StoreLimit(), "a", "b", "c")
    let count = records.byteCount
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    var counts: [Int] = []
    while records.failed(isFull: true) {
      counts.append(records.byteCount)
      _ = records.takeBatch()
    }
    expect(counts == [count / 3 * 2, count / 3] && records.byteCount == count)
    expectEmpty(records.evicted)
  }

  @Test("what left a full store does not return to a closed one")
  func closedWhileFull() throws {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let isTriedAgain = records.failed(isFull: true)
    expect(isTriedAgain)
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/a"])
    _ = records.close(.inUse)
    // The batch under way fails because of that.
    _ = records.failed(isFull: false)
    let found = ["a", "b", "c"].map { records.use($0) }
    expectEqual(found, [nil, nil, nil])
    expect(records.records.isEmpty && records.byteCount == 0)
  }

  @Test("records leave by their last use, and those that nobody used leave first, by their date")
  func byUse() {
    let left = [3, 2, 1].map { count in
      var records = open(
        StoreLimit(maxRecords: count, order: .leastRecentlyUsedFirst),
        "a",
        "b",
        "c",
        "d"
      )
      records.used(["b", "a"])
      return records.takeBatch()?.removals
    }
    expectEqual(
      left,
      [
        ["query/c"], ["query/c", "query/d"], ["query/b", "query/c", "query/d"],
      ]
    )
  }

  @Test("what left a full store does not return after everything was removed")
  func removalOfAllWhileFull() {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again && records.evicted.keys.sorted() == ["query/a"])
    _ = records.noteRemovalOfAll()
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/a", "query/b", "query/c"])
    let isTriedAgain = records.failed(isFull: true)
    expect(!isTriedAgain && records.records.isEmpty)
  }
}
