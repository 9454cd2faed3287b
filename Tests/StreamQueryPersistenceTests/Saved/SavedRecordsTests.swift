import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The records of a store, without the store.
struct SavedRecordsTests {
  func value(_ byte: UInt8, at date: Double = 0, size: Int = 1) -> SavedValue {
    SavedValue(
      Data(repeating: byte, count: size),
      updatedAt: date,
      isInvalidated: false,
      version: ""
    )
  }

  func contents(_ keys: String...) -> StoreContents {
    StoreContents(
      generation: StoreGeneration(number: 7),
      records: keys.map { StoreRecord(key: "query/" + $0, value: value(1).data) }
    )
  }

  func open(_ limit: StoreLimit = StoreLimit(), _ keys: String...) -> SavedRecords {
    open(limit, keys)
  }

  func open(_ limit: StoreLimit, _ keys: [String]) -> SavedRecords {
    var records = SavedRecords(limit: limit)
    _ = records.loaded(
      StoreContents(
        generation: StoreGeneration(number: 7),
        records: keys.enumerated().map { place, key in
          StoreRecord(key: "query/" + key, value: value(1, at: Double(place), size: 100).data)
        }
      ),
      at: 0
    )
    return records
  }

  func entry(_ key: EntryKey, number: UInt64 = 1, count: Int = 0) throws -> PersistedEntry {
    let query = ResolvedQuery(
      QueryDefinition(of: Int.self),
      for: key.key,
      defaults: DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    )
    let id = EntryID(index: 0, generation: number)
    var facts = SnapshotFacts()
    facts.dataUpdateCount = count
    let info = QueryInfo(
      key: key.key,
      observerCount: 0,
      waiterCount: 0,
      pollFailureCount: 0,
      isActive: false,
      isDisabled: false,
      isStatic: false,
      isStale: true,
      meta: QueryMeta(),
      age: nil,
      entryKey: key,
      snapshot: EntrySnapshot(version: 0, facts: facts, data: nil, error: nil, failureReason: nil)
    )
    return PersistedEntry(id: id, info: info, query: query)
  }

  @Test("records of others in the partition are left alone; unreadable ones of its own are removed")
  func loading() throws {
    var records = SavedRecords(limit: StoreLimit())
    var contents = contents("a")
    contents.records.append(StoreRecord(key: "run/1", value: Data([1])))
    contents.records.append(StoreRecord(key: "query/b", value: Data([1])))
    expectNil(records.takeBatch())
    let unreadable = records.loaded(contents, at: 0)
    expectEqual(unreadable, ["query/b"])
    let batchTaken = records.takeBatch()
    let batch = try #require(batchTaken)
    expectEqual(batch, StoreBatch(generation: contents.generation, removals: ["query/b"]))
    let use = records.use("a")
    expectEqual(use, value(1))
  }

  @Test("one batch at a time; what fails is a part of the next one, in its newest form")
  func batches() throws {
    var records = open()
    let key = EntryKey("a" as QueryKey<Int>)
    let stamp = SavedRecords.Stamp(try entry(key))
    _ = records.encoded([("a", .save(value(1), stamp)), ("b", .save(value(2), stamp))])
    let firstTaken = records.takeBatch()
    let first = try #require(firstTaken)
    expectEqual(first.puts.map(\.key), ["query/a", "query/b"])
    _ = records.encoded([("a", .save(value(3), stamp))])
    let none = records.takeBatch()
    expectNil(none)
    let again = records.failed(isFull: false)
    expect(!again)
    let secondTaken = records.takeBatch()
    let second = try #require(secondTaken)
    expectEqual(second.puts.map(\.value), [value(3).data, value(2).data])
    records.written()
    expect(!records.isDirty)
  }

  @Test("what arrives answers for its key until it is settled, and also while it is being settled")
  func arrivals() throws {
    var records = open()
    let key = EntryKey("a" as QueryKey<Int>)
    _ = records.note(.changed(try entry(key)), of: key)
    expect(records.pendingChange(of: key) != nil)
    let taken = records.takePendingChanges()
    expectEqual(taken.count, 1)
    expect(records.pendingChange(of: key) != nil)
    _ = records.note(.removed, of: key)
    guard case .removed? = records.pendingChange(of: key) else { return #expect(Bool(false)) }
    let nothing = records.takePendingChanges()
    expectEmpty(nothing)
    _ = records.encoded([])
    let removed = records.takePendingChanges()
    expectEqual(removed.count, 1)
    _ = records.encoded([("a", .remove)])
    expectNil(records.pendingChange(of: key))
  }

  @Test("while a store cannot be read, no more values wait for it than it may keep, the newest")
  func boundedArrivals() throws {
    var records = SavedRecords(limit: StoreLimit(maxRecords: 20))
    let keys = (0..<100).map { EntryKey(["a", $0] as QueryKey<Int>) }
    let removed = EntryKey("removed" as QueryKey<Int>)
    _ = records.note(.removed, of: removed)
    var dropped = 0
    for (number, key) in keys.enumerated() {
      let entry = try entry(key, number: UInt64(number), count: 1)
      dropped += records.note(.changed(entry), of: key).count
      #expect(records.changedArrivals.count <= 22)
    }
    expectEqual(dropped, 100 - records.changedArrivals.count)
    let left = Set(records.changedArrivals.map(\.key))
    expectEqual(left, Set(keys.suffix(left.count)))
    #expect(left.count >= 20)
    // What is too much is not what the store kept before, either.
    for key in keys + [removed] where !left.contains(key) {
      guard case .removed? = records.pendingChange(of: key) else { return #expect(Bool(false)) }
    }
    // As soon as it is read, they are written in turn.
    _ = records.loaded(contents("b"), at: 0)
    for number in 0..<100 {
      let key = EntryKey(["b", number] as QueryKey<Int>)
      _ = records.note(.changed(try entry(key)), of: key)
    }
    expectEqual(records.changedArrivals.count, left.count + 100)
  }

  @Test("however often values change that wait, no more of them wait, also after all was removed")
  func boundedArrivalsOfKnownKeys() throws {
    var records = SavedRecords(limit: StoreLimit(maxRecords: 20))
    let keys = (0..<100).map { EntryKey(["a", $0] as QueryKey<Int>) }
    for round in 0..<4 {
      if round == 2 { _ = records.noteRemovalOfAll() }
      for (number, key) in keys.enumerated() {
        let entry = try entry(key, number: UInt64(round * 100 + number), count: 1)
        _ = records.note(.changed(entry), of: key)
        #expect(records.changedArrivals.count <= 22)
        expect(records.pendingChange(of: key) != nil)
      }
      let left = Set(records.changedArrivals.map(\.key))
      #expect(left == Set(keys.suffix(left.count)) && left.count >= 20)
    }
  }

  @Test("what is as it began leaves first while it waits, and what the store has of it stays")
  func boundedArrivalsAsTheyBegan() throws {
    var records = SavedRecords(limit: StoreLimit(maxRecords: 2))
    let keys = (0..<4).map { EntryKey(["a", $0] as QueryKey<Int>) }
    for (number, key) in keys.enumerated() {
      let entry = try entry(key, number: UInt64(number), count: number % 2 == 0 ? 1 : 0)
      _ = records.note(.changed(entry), of: key)
    }
    expectEqual(Set(records.changedArrivals.map(\.key)), [keys[0], keys[2]])
    expect(records.pendingChange(of: keys[1]) == nil && records.pendingChange(of: keys[3]) == nil)
  }

  @Test("limits of any size hold", arguments: [.min, -1, 0, 1, .max])
  func oddLimits(_ count: Int) throws {
    var limit = StoreLimit()
    (limit.maxRecords, limit.maxBytes) = (count, count)
    var records = SavedRecords(limit: limit)
    for number in 0..<5 {
      let key = EntryKey(["a", number] as QueryKey<Int>)
      _ = records.note(.changed(try entry(key, number: UInt64(number), count: 1)), of: key)
    }
    expectEqual(records.changedArrivals.count, min(5, max(0, count)))
    _ = records.loaded(contents("b"), at: 0)
    let taken = records.takePendingChanges()
    expectEqual(taken.count, 5)
  }

  @Test("removing everything also removes what is being settled and what is not loaded yet")
  func removalOfAll() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    var records = open(StoreLimit(), "b")
    _ = records.note(.changed(try entry(key)), of: key)
    _ = records.takePendingChanges()
    _ = records.noteRemovalOfAll()
    _ = records.encoded([("a", .save(value(1), SavedRecords.Stamp(try entry(key))))])
    let rest = records.takePendingChanges()
    expectEqual(rest.count, 1)
    _ = records.encoded([("a", .remove)])
    let batchTaken = records.takeBatch()
    let batch = try #require(batchTaken)
    expectEmpty(batch.puts)
    expectEqual(batch.removals, ["query/a", "query/b"])

    var loading = SavedRecords(limit: StoreLimit())
    _ = loading.noteRemovalOfAll()
    let unreadable = loading.loaded(contents("a", "b"), at: 0)
    expectEmpty(unreadable)
    let allTaken = loading.takeBatch()
    let all = try #require(allTaken)
    expectEqual(all.removals, ["query/a", "query/b"])
  }

  @Test("what bulk calls say while loading applies to what is loaded")
  func pendingMarks() throws {
    var records = SavedRecords(limit: StoreLimit())
    records.apply(RecordFilter(.key("a" as QueryKey<Int>)), removes: true)
    records.apply(RecordFilter(.key("b" as QueryKey<Int>)), removes: false)
    _ = records.loaded(contents(#"Swift.Int["a"]"#, #"Swift.Int["b"]"#), at: 0)
    let batchTaken = records.takeBatch()
    let batch = try #require(batchTaken)
    expectEqual(batch.removals, [#"query/Swift.Int["a"]"#])
    expectEqual(batch.puts.map(\.key), [#"query/Swift.Int["b"]"#])
    let marked = records.use(#"Swift.Int["b"]"#)
    expectEqual(marked?.isInvalidated, true)
  }

  @Test("a limit of bytes counts keys and values, and leaves nine tenths of it")
  func bytes() throws {
    let keys = (0..<10).map { "k\($0)" }
    let size = keys.reduce(0) { $0 + $1.utf8.count + 6 + 112 }
    var within = open(StoreLimit(maxBytes: size), keys)
    let none = within.takeBatch()
    expectNil(none)
    var beyond = open(StoreLimit(maxBytes: size - 1), keys)
    let batchTaken = beyond.takeBatch()
    let batch = try #require(batchTaken)
    expectEqual(batch.removals, ["query/k0"])
  }

  @Test("of an entry that was restored while its change waits, only the invalidation is new")
  func invalidationOfARestoredEntry() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    var records = open(StoreLimit(), "a")
    _ = records.note(.changed(try entry(key, number: 1, count: 1)), of: key)
    var restored = try entry(key, number: 2)
    restored.isInvalidated = true
    _ = records.note(.changed(restored), of: key)
    guard case .changed(let waiting)? = records.pendingChange(of: key) else {
      return #expect(Bool(false))
    }
    expectEqual(waiting.id.generation, 1)
    expect(waiting.isInvalidated)
  }

  @Test("a record that is written counts as used, whatever its date")
  func writingIsAUse() throws {
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(maxRecords: 2, order: .leastRecentlyUsedFirst))
    for (key, date) in [("n0", 30.0), ("n1", 20), ("n2", 10)] {
      _ = records.encoded([(key, .save(value(2, at: date), stamp))])
    }
    let batchTaken = records.takeBatch()
    let batch = try #require(batchTaken)
    expectEqual(batch.puts.map(\.key).sorted(), ["query/n1", "query/n2"])
  }

  @Test("a store that is full of one record loses it")
  func full() throws {
    var records = open(StoreLimit(), "a")
    _ = records.encoded([("a", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    let batchTaken = records.takeBatch()
    let batch = try #require(batchTaken)
    expectEqual(batch.removals, ["query/a"])
    let rest = records.failed(isFull: true)
    expect(!rest)
  }

  /// What a store says of ten records and two new ones, until it has room.
  private func tryInVain(
    _ records: inout SavedRecords,
    until hasRoom: (StoreBatch) -> Bool = { _ in false }
  ) -> [StoreBatch] {
    var batches: [StoreBatch] = []
    while let batch = records.takeBatch() {
      batches.append(batch)
      if hasRoom(batch) {
        records.written()
        break
      }
      if !records.failed(isFull: true) { break }
    }
    return batches
  }

  @Test("for a store that is always full at most half of it leaves, and all is as it was then")
  func floor() throws {
    let keys = (0..<10).map { "k\($0)" }
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(), keys)
    _ = records.encoded([
      ("n0", .save(value(2, at: 20), stamp)), ("n1", .save(value(2, at: 21), stamp)),
    ])
    for _ in 1...3 {
      let batches = tryInVain(&records)
      expectEqual(batches.map(\.removals.count), [0, 1, 2, 3, 4, 5, 6])
      // The newest is never left out: without it nothing would be gained.
      expectEqual(batches.map(\.puts.count), [2, 2, 2, 2, 2, 2, 1])
      expectEqual(batches.last?.puts.map(\.key), ["query/n1"])
      expectEqual(records.records.count, 12)
    }
    // What the store has is not written again.
    let lastTaken = records.takeBatch()
    expectEqual(lastTaken?.puts.map(\.key), ["query/n0", "query/n1"])
    expectEqual(lastTaken?.removals, [])
    records.written()
    expect(!records.isDirty)
  }

  @Test("the floor counts what the store has in a former form")
  func floorOfChanged() throws {
    let keys = (0..<10).map { "k\($0)" }
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(), keys)
    _ = records.encoded(keys.map { ($0, .save(value(2, at: 20), stamp)) })
    let batches = tryInVain(&records)
    expectEqual(batches.map(\.removals.count), [0, 1, 2, 3, 4, 5])
    let all = records.takeBatch()
    expectEqual(all?.puts.count, 10)
  }

  @Test("of what a full store has, no more than half leaves, also if several leave at a time")
  func floorOfMany() throws {
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(), (0..<4).map { "k\($0)" })
    _ = records.encoded(
      (10..<40).map { ("n\($0)", .save(value(2, at: Double(40 + $0)), stamp)) }
    )
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again)
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/k0", "query/k1", "query/n10"])
  }

  @Test("what is new leaves down to the last one, so that something has room")
  func manyNew() throws {
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(), "k")
    _ = records.encoded(
      (0..<30).map { ("n\($0)", .save(value(2, at: Double(20 + $0)), stamp)) }
    )
    let batches = tryInVain(&records) { $0.puts.count <= 3 }
    expectEqual(batches.last?.puts.map(\.key), ["query/n27", "query/n28", "query/n29"])
    expectEqual(batches.last?.removals.first, "query/k")
  }

  @Test("after another failure it is not known what the store still has of what left")
  func failedWhileFull() throws {
    var records = open(StoreLimit(), "a", "b", "c")
    _ = records.encoded([("c", .mark(isInvalidated: true))])
    _ = records.takeBatch()
    let again = records.failed(isFull: true)
    expect(again && records.isFull)
    _ = records.takeBatch()
    let third = records.failed(isFull: false)
    expect(!third && !records.isFull)
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), ["query/a", "query/c"])
  }

  @Test("what is too old for whoever kept it leaves when the store is read")
  func purged() throws {
    let records = [10.0, 50, 90, 200].map { date in
      StoreRecord(
        key: "query/\(Int(date))",
        value: SavedValue(
          Data(),
          updatedAt: date,
          isInvalidated: date == 10,
          version: "old",
          maxAge: TimeSpan(.seconds(30))
        ).data
      )
    }
    var saved = SavedRecords(limit: StoreLimit())
    let contents = StoreContents(generation: .first, records: records + contents("x").records)
    let unreadable = saved.loaded(contents, at: 100)
    expectEqual(unreadable, [])
    expectEqual(saved.records.keys.sorted(), ["query/200", "query/90", "query/x"])
    expectEqual(saved.byteCount, 67)
    let batch = saved.takeBatch()
    expectEqual(batch?.removals, ["query/10", "query/50"])
    expectEqual(batch?.puts, [])
  }

  @Test("a record that could not be used is forgotten, but not the one that has taken its place")
  func dropped() throws {
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(), "a", "b")
    let found = records.use("a")
    let bad = try #require(found)
    _ = records.encoded([("a", .save(value(9), stamp))])
    records.drop("a", bad)
    let other = records.use("b")
    records.drop("b", try #require(other))
    expectEqual(records.records.mapValues(\.value), ["query/a": value(9)])
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), ["query/a"])
    expectEqual(batch?.removals, ["query/b"])
  }

  @Test("a closed store takes nothing")
  func closed() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    var records = open(StoreLimit(), "a")
    _ = records.note(.removed, of: key)
    let dropped = records.close(.inUse)
    expectEqual(dropped.map(\.count), [1, 0])
    _ = records.note(.removed, of: key)
    expect(!records.isDirty)
    let batch = records.takeBatch()
    expectNil(batch)
    let use = records.use("a")
    expectNil(use)
  }

  @Test("nothing waits for a closed store, however far it was on its way")
  func closedInTheMiddle() throws {
    let keys = (0..<2).map { EntryKey(["a", $0] as QueryKey<Int>) }
    let stamp = SavedRecords.Stamp(try entry(keys[0]))
    var records = open()
    _ = records.encoded([("written", .save(value(1), stamp))])
    _ = records.takeBatch()
    _ = records.encoded([("unwritten", .save(value(1), stamp))])
    records.apply(RecordFilter(["n"]), removes: true)
    _ = records.takeSweeps()
    for key in keys {
      _ = records.note(.changed(try entry(key)), of: key)
      _ = records.takePendingChanges()
    }
    expect(records.unwritten == ["query/unwritten"] && records.underWay == ["query/written"])
    expect(records.isBehind)
    let dropped = records.close(.inUse)
    expectEqual(dropped.map(\.count), [1, 1])
    expect(records.unwritten.isEmpty && records.underWay.isEmpty && records.encoding.isEmpty)
    expect(!records.isBehind)
  }

  @Test("a store that is still read is an obstacle for changes, and for nothing else")
  func obstacleWhileLoading() throws {
    var records = SavedRecords(limit: StoreLimit())
    expectNil(records.obstacle)
    let key = EntryKey("a" as QueryKey<Int>)
    _ = records.note(.changed(try entry(key, count: 1)), of: key)
    expect(!records.hasFailed)
    expectEqual(
      records.obstacle.map { "\($0)" },
      "\(QueryStoreError.failed(SavedValueError.slowStore))"
    )
  }

  @Test("a closed store is an obstacle as soon as something changed that it will not have")
  func obstacle() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    var unused = open(StoreLimit(), "a")
    expectNil(unused.obstacle)
    _ = unused.close(.inUse)
    // An entry that began with the data of the store has nothing new for it.
    _ = unused.note(.changed(try entry(key)), of: key)
    expectNil(unused.obstacle)
    var changed = unused
    _ = changed.note(.changed(try entry(key, count: 1)), of: key)
    expect(changed.obstacle != nil)
    let changes: [(inout SavedRecords) -> Void] = [
      { _ = $0.note(.removed, of: key) },
      { _ = $0.noteRemovalOfAll() },
      { $0.apply(RecordFilter(.all), removes: true) },
      { _ = $0.encoded([("a", .remove)]) },
    ]
    for (place, change) in changes.enumerated() {
      var before = open(StoreLimit(), "a")
      change(&before)
      _ = before.close(.inUse)
      expect(before.obstacle != nil, "\(place)")
      var after = unused
      change(&after)
      // What is settled then was lost before.
      expectEqual(after.obstacle != nil, place < 3, "\(place)")
    }
  }

  @Test("a removal concerns the store if there was data, or a change that it does not have")
  func removals() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    let entry = try entry(key)
    let cases = [(false, false), (false, true), (true, false), (true, true)]
    let outcomes = cases.map { hadData, hasChange in
      var records = open(StoreLimit(), "a")
      if hasChange { _ = records.note(.changed(entry), of: key) }
      let replaced = records.noteRemoval(of: key, hadData: hadData)
      guard case .removed? = records.pendingChange(of: key) else { return "none" }
      return "removed, instead of \(replaced.count)"
    }
    let (alone, replacing) = ("removed, instead of 0", "removed, instead of 1")
    expectEqual(outcomes, ["none", replacing, alone, replacing])
  }

  @Test("each reader learns once that it cannot read a record, and nothing about a newer one")
  func unreadable() throws {
    let readers = [
      SavedRecords.Reader(valueType: ObjectIdentifier(Int.self), version: "1"),
      SavedRecords.Reader(valueType: ObjectIdentifier(Int.self), version: "2"),
    ]
    var records = open(StoreLimit(), "a")
    let found = records.use("a")
    let old = try #require(found)
    let areNew = [readers[0], readers[0], readers[1]].map {
      records.noteUnreadable("a", old, by: $0)
    }
    expectEqual(areNew, [true, false, true])
    expectEqual(readers.map { records.isUnreadable("a", by: $0) }, [true, true])
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    _ = records.encoded([("a", .save(value(2), stamp))])
    let isNew = records.noteUnreadable("a", old, by: readers[0])
    expect(isNew)
    expectEqual(readers.map { records.isUnreadable("a", by: $0) }, [false, false])
  }
}
