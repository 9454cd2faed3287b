import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// Bulk calls, on changes that wait and on records, and removals of everything.
extension SavedRecordsTests {
  @Test("a bulk call removes or marks changes that wait, and no removal", arguments: [true, false])
  func bulkCallOnWaitingChanges(removes: Bool) throws {
    let keys = (0..<4).map { EntryKey(["a", $0] as QueryKey<Int>) }
    var records = open()
    _ = records.note(.changed(try entry(keys[0])), of: keys[0])
    // This one is being encoded, and the others wait for that.
    _ = records.takePendingChanges()
    for key in [keys[1], keys[3]] { _ = records.note(.changed(try entry(key)), of: key) }
    _ = records.note(.removed, of: keys[2])
    let mark = SavedRecords.Mark(filter: RecordFilter(.all), removes: removes)
    let replaced = records.apply(mark, to: Set(keys[0...2]))
    expectEqual(replaced.count, 1)
    let changes = keys.map { key in
      switch records.pendingChange(of: key) {
      case .changed(let entry): entry.isInvalidated ? "marked" : "changed"
      case .removed: "removed"
      case nil: "none"
      }
    }
    let expected = removes ? "removed" : "marked"
    expectEqual(changes, [expected, expected, "removed", "changed"])
  }

  @Test("after everything was removed, the store has room for as much as before")
  func roomAfterRemovalOfAll() throws {
    let keys = (0..<10).map { "k\($0)" }
    let size = keys.reduce(0) { $0 + $1.utf8.count + 6 + 112 }
    let stamp = SavedRecords.Stamp(try entry(EntryKey("a" as QueryKey<Int>)))
    var records = open(StoreLimit(maxBytes: size), keys)
    _ = records.noteRemovalOfAll()
    _ = records.encoded(keys.map { ($0, .save(value(2, size: 100), stamp)) })
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), keys.map { "query/" + $0 })
    expectEqual(batch?.removals, [])
  }

  @Test("bulk calls before a removal of everything have no effect after the store is read")
  func bulkCallsBeforeRemovalOfAll() {
    var records = SavedRecords(limit: StoreLimit())
    records.apply(RecordFilter(.key("c" as QueryKey<Int>)), removes: true)
    records.apply(RecordFilter(["n"]), removes: true)
    _ = records.noteRemovalOfAll()
    _ = records.loaded(contents("a", "b"), at: 0)
    // The store is not read once more for the prefix, and the key is not removed from it.
    let isReadAgain = records.takeSweeps()
    expect(!isReadAgain)
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/a", "query/b"])
  }

  /// They name keys, which must not outlive an account.
  @Test("a closed store keeps neither bulk calls nor removals before a value")
  func closedWithBulkCalls() throws {
    var records = open(StoreLimit(), "a")
    let key = EntryKey("n" as QueryKey<Int>)
    _ = records.note(.removed, of: key)
    _ = records.note(.changed(try entry(key, count: 1)), of: key)
    _ = records.takePendingChanges()
    records.apply(RecordFilter(["n"]), removes: true)
    expect(!records.calls.isEmpty && !records.sweeps.isEmpty)
    expectEqual(records.removedBefore, [key])
    _ = records.close(.closed)
    expect(records.calls.isEmpty)
    expect(records.sweeps.isEmpty)
    expectEqual(records.removedBefore, [])
    expect(records.obstacle != nil)
  }

  @Test("a removal that is repeated is performed for what was not cached at each call of it")
  func repeatedRemoval() {
    var records = open()
    for number in 0..<100 {
      let cached: Set<String> = number < 99 ? ["a", "b", "\(number)"] : ["a"]
      records.apply(RecordFilter(.inactive), removes: true, except: cached)
    }
    // However long the store is away, one filter is one removal.
    expectEqual(records.sweeps.count, 1)
    let isReadAgain = records.takeSweeps()
    expect(isReadAgain)
    records.swept(contents("a", "b", "7"))
    let batch = records.takeBatch()
    expectEqual(batch?.removals, ["query/7", "query/b"])
  }

  @Test("until removals are performed on the store, no more values wait than it may keep")
  func boundedUntilSwept() throws {
    let contents = contents()
    let steps: [(String, (inout SavedRecords) -> Void)] = [
      ("noted", { $0.apply(RecordFilter(["n"]), removes: true) }),
      ("read", { _ = $0.takeSweeps() }),
      ("failed", { $0.sweepFailed() }),
      ("read again", { _ = $0.takeSweeps() }),
      ("performed", { $0.swept(contents) }),
    ]
    var records = open(StoreLimit(maxRecords: 20))
    var bounded: [String] = []
    for (name, step) in steps {
      step(&records)
      for number in 0..<50 {
        let key = EntryKey(["a", number] as QueryKey<Int>)
        _ = records.note(.changed(try entry(key, number: UInt64(number), count: 1)), of: key)
      }
      if records.changedArrivals.count <= 22 { bounded.append(name) }
    }
    expectEqual(bounded, ["read", "failed", "read again"])
    // Nobody reads it once more.
    expect(!records.hasFailed)
  }

  @Test("a bulk call that comes while a value is encoded is about what was saved before")
  func bulkCallWhileEncoding() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    let change = try entry(key)
    var records = open(StoreLimit(), "a", "b")
    _ = records.note(.changed(change), of: key)
    _ = records.takePendingChanges()
    records.apply(RecordFilter(.all), removes: true)
    _ = records.encoded([("a", .save(value(2), SavedRecords.Stamp(change)))])
    let batch = records.takeBatch()
    expectEqual(batch?.puts.map(\.key), ["query/a"])
    expectEqual(batch?.removals, ["query/b"])
  }

  @Test("a value that is noted after a bulk call is compared with what the call has left")
  func changeAfterBulkCall() throws {
    let key = EntryKey("a" as QueryKey<Int>)
    let change = try entry(key)
    let stamp = SavedRecords.Stamp(change)
    var records = open()
    _ = records.encoded([("a", .save(value(1), stamp))])
    expect(!records.isOutdated("a", stamp))
    records.apply(RecordFilter(.all), removes: true)
    _ = records.note(.changed(change), of: key)
    _ = records.takePendingChanges()
    expect(records.isOutdated("a", stamp))
  }

  @Test("bulk calls that come while the store is read are done then, or forgotten if it is closed")
  func bulkCallWhileLoading() {
    let names = (1...2).map { #"Swift.Int["n",\#($0)]"# }
    var records = SavedRecords(limit: StoreLimit())
    records.apply(RecordFilter(["n", 1]), removes: true)
    expect(records.isBehind)
    var closed = records
    _ = closed.close(.inUse)
    expectEmpty(closed.pendingMarks)
    _ = records.loaded(contents(names[0], names[1]), at: 0)
    expectEqual(records.records.keys.sorted(), ["query/" + names[1]])
    expect(records.pendingMarks.isEmpty && !records.canSettle)
  }

  @Test("a bulk call finds changes that wait or are being encoded, by their newest states")
  func changedKeys() throws {
    let keys = (0..<4).map { EntryKey(["a", $0] as QueryKey<Int>) }
    let other = EntryKey("b" as QueryKey<Int>)
    var records = open()
    for key in keys.prefix(2) { _ = records.note(.changed(try entry(key)), of: key) }
    _ = records.takePendingChanges()
    for key in [keys[2], other] { _ = records.note(.changed(try entry(key)), of: key) }
    for key in [keys[1], keys[3]] { _ = records.note(.removed, of: key) }
    expectEqual(records.changedKeys(["a"]), [keys[0], keys[2]])
    expectEqual(records.changedKeys(.all), [keys[0], keys[2], other])
    expectEqual(records.changedKeys(.key(["a", 2] as QueryKey<Int>)), [keys[2]])
    expectEqual(records.changedKeys(.key(["a", 3] as QueryKey<Int>)), [])
    let arrivals = records.changedArrivals.map(\.key)
    expect(arrivals.count == 3 && Set(arrivals) == [keys[0], keys[2], other])
  }

  @Test("removals that are too many to wait are applied, unless they are taken back meanwhile")
  func manyRemovals() throws {
    let names = ["a", "b", "c"]
    let keys = names.map { EntryKey(QueryKey<Int>($0)) }
    var records = open(StoreLimit(maxRecords: 2), "a", "b")
    for key in keys.prefix(2) { _ = records.note(.removed, of: key) }
    expectEmpty(records.manyRemovals)
    _ = records.note(.removed, of: keys[2])
    expectEqual(Set(records.manyRemovals), Set(keys))
    _ = records.note(.changed(try entry(keys[1], count: 1)), of: keys[1])
    let removals: [(key: EntryKey, text: String?)] = zip(keys, names).map { ($0, $1) }
    records.settledRemovals(removals)
    expectEqual(records.records.keys.sorted(), ["query/b"])
    expectEqual(records.unwritten, ["query/a"])
    expectEmpty(records.pendingChanges.removed)
  }
}
