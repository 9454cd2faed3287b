import Testing

@testable import StreamQuery

struct RecentInvalidationsTests {
  private var invalidations = RecentInvalidations()

  private func named(_ name: String) -> EntryKey { EntryKey(QueryKey<String>(name)) }
  private func prefix(_ name: String) -> EntryFilter { .prefix(named(name).key) }
  private func at(_ time: Int64) -> Instant { Instant(nanoseconds: time) }

  private func last(_ name: String, entry: UInt64? = nil) -> Int64? {
    invalidations.last(of: KeyNotes.Candidate(info: .absent(named(name)), entry: entry))?
      .nanoseconds
  }

  @Test mutating func theLastOneCountsWhateverItNames() {
    expectNil(last("a"))
    _ = invalidations.invalidated(prefix("a"), at: at(0), newestEntry: 0)
    expectEqual(last("a"), 0)
    _ = invalidations.invalidated(.entry(named("a")), at: at(5), newestEntry: 0)
    _ = invalidations.invalidated([named("a"), named("b")], at: at(7))
    _ = invalidations.invalidated(prefix("a"), at: at(7), newestEntry: 0)
    expectEqual([last("a"), last("b"), last("c")], [7, 7, nil])
    _ = invalidations.invalidated(.all, at: at(9), newestEntry: 0)
    expectEqual([last("a"), last("c")], [9, 9])
  }

  /// What a filter says of entries that were there is told of each.
  @Test mutating func aFilterThatAsksMoreSaysNothingOfEntriesThatWereThere() {
    _ = invalidations.invalidated(.stale, at: at(5), newestEntry: 3)
    expectEqual([last("a", entry: 3), last("a", entry: 4), last("a")], [nil, 5, 5])
    _ = invalidations.invalidated([named("a")], at: at(5))
    expectEqual(last("a", entry: 3), 5)
    _ = invalidations.invalidated(.active, at: at(6), newestEntry: 3)
    expectEqual(last("a", entry: 4), 5)
  }

  @Test(arguments: [false, true])
  mutating func ofTooManyTheLastThatWasForgottenCountsForAllKeys(isByFilters: Bool) {
    _ = invalidations.invalidated(prefix("a"), at: at(1), newestEntry: 0)
    let limit = Int64(isByFilters ? KeyNotes.sweepLimit : KeyNotes.keyLimit)
    var forgotten: [KeyNotes] = []
    for time in 2...limit * 5 {
      let name = "x\(time)"
      if isByFilters {
        forgotten += [invalidations.invalidated(prefix(name), at: at(time), newestEntry: 0)]
          .compactMap(\.self)
      } else {
        forgotten += invalidations.invalidated([named(name)], at: at(time))
      }
      #expect(invalidations.count <= 2 * (Int(limit) + 1))
      expectEqual(last(name), time)
      #expect(last("x\(max(2, time - limit))") ?? -1 >= max(2, time - limit))
    }
    #expect(forgotten.count >= 3)
    // No key counts as never invalidated, and none as invalidated among those that are remembered.
    let all = last("other") ?? -1
    #expect(all >= limit * 2 && all < limit * 4 + 2)
    expectEqual(last("a"), all)
  }
}
