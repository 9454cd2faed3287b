import StreamQueryShared
import Testing

@testable import StreamQuerySharedTesting

/// The rules of `SharedStore`, on the value that keeps them.
struct SharedStoreModelTests {
  var store = SharedStoreModel(
    history: SharedHistory("h"),
    limits: SharedStoreLimits(keyBytes: 10, valueBytes: 10, logLength: 3, batchLength: 2)
  )

  let key = SharedKey("k", marks: [SharedMark("k"), SharedMark("tag")])

  func value(_ text: String) -> SharedValue { SharedValue(Array(text.utf8), form: "1") }

  // MARK: Versions

  @Test mutating func versionsRiseWithinAMillisecondAndWhenTheClockIsSetBack() throws {
    let versions = try [5, 5, 6, 2].map { time in
      try store.invalidate([], now: .milliseconds(time))
    }
    let places = versions.map { [$0.milliseconds - SharedStoreModel.epoch, $0.sequence] }
    #expect(places == [[5, 0], [5, 1], [6, 0], [6, 1]])
  }

  // MARK: Entries

  /// An entry that was stored at the moment in which it was asked for.
  private func entry(_ version: SharedVersion, _ age: Duration) -> SharedEntry {
    SharedEntry(value: value("a"), version: version, age: age, requestAge: age)
  }

  @Test mutating func anEntryWasAskedForAfterItsLeaseWasTakenOrWhenItWasWritten() throws {
    let begun = try store.begin(key, maxAge: nil, lease: .seconds(60), now: .seconds(1))
    guard case .leads(let lease, entry: nil) = begun else {
      Issue.record("\(begun)")
      return
    }
    _ = store.renew(lease, for: .seconds(60), now: .seconds(2))
    _ = try store.commit(value("a"), with: lease, lifetime: .seconds(60), now: .seconds(4))
    let committed = store.entry("k", now: .seconds(10))
    #expect([committed?.age, committed?.requestAge] == [.seconds(6), .seconds(9)])
    _ = try store.write(value("b"), for: key, lifetime: .seconds(60), now: .seconds(11))
    let written = store.entry("k", now: .seconds(13))
    #expect([written?.age, written?.requestAge] == [.seconds(2), .seconds(2)])
  }

  @Test mutating func anEntryHasTheAgeOfItsCommit() throws {
    let version = try #require(try commit("a", at: 1))
    let begun = try store.begin(key, maxAge: .seconds(4), lease: .seconds(1), now: .seconds(5))
    #expect(begun == .entry(entry(version, .seconds(4))))
  }

  @Test mutating func anEntryThatIsTooOldIsShownToItsLeader() throws {
    let version = try #require(try commit("a", at: 1))
    let old = entry(version, .seconds(5))
    let begun = try store.begin(key, maxAge: .seconds(4), lease: .seconds(1), now: .seconds(6))
    guard case .leads(_, entry: old) = begun else {
      Issue.record("\(begun)")
      return
    }
  }

  @Test mutating func withoutAnAgeNoEntryIsAccepted() throws {
    let version = try #require(try commit("a", at: 1))
    let begun = try store.begin(key, maxAge: nil, lease: .seconds(1), now: .seconds(1))
    guard case .leads(_, let entry?) = begun else {
      Issue.record("\(begun)")
      return
    }
    #expect(entry == self.entry(version, .zero))
  }

  @Test mutating func anEntryEndsWithItsLifetime() throws {
    _ = try store.write(value("a"), for: key, lifetime: .seconds(2), now: .zero)
    #expect(store.entry("k", now: .milliseconds(1999)) != nil)
    #expect(store.entry("k", now: .seconds(2)) == nil)
  }

  @Test mutating func anInvalidationOfAnyMarkEndsTheEntryAndNotTheNextOne() throws {
    for mark in key.marks {
      _ = try commit("a", at: 1)
      #expect(store.entry("k", now: .seconds(1)) != nil)
      _ = try store.invalidate([SharedMark("other"), mark], now: .seconds(1))
      #expect(store.entry("k", now: .seconds(1)) == nil)
    }
    _ = try commit("b", at: 1)
    #expect(store.entry("k", now: .seconds(1))?.value == value("b"))
  }

  @Test mutating func theMarksOfAnEntryAreThoseOfItsLease() throws {
    var lease = try lead(at: 0)
    lease.key.marks = []
    _ = try commit("a", with: lease, at: 0)
    _ = try store.invalidate([SharedMark("tag")], now: .zero)
    #expect(store.entry("k", now: .zero) == nil)
  }

  @Test mutating func whoKnowsAMarkThatTheLeaseDoesNotGetsNoEntryFromBeforeItsInvalidation() throws
  {
    let plain = SharedKey("k", marks: [SharedMark("k")])
    _ = try store.write(value("a"), for: plain, lifetime: .seconds(9), now: .zero)
    _ = try store.invalidate([SharedMark("tag")], now: .zero)
    let others = try store.begin(plain, maxAge: .seconds(9), lease: .seconds(1), now: .zero)
    guard case .entry = others else { throw NotLeading(begun: others) }
    let begun = try store.begin(key, maxAge: .seconds(9), lease: .seconds(1), now: .zero)
    guard case .leads(_, entry: nil) = begun else { throw NotLeading(begun: begun) }
  }

  @Test mutating func anEntryIsAsOldAsItsLeaseForWhoKnowsMoreMarks() throws {
    let plain = SharedKey("k", marks: [SharedMark("k")])
    guard
      case .leads(let lease, _) = try store.begin(
        plain,
        maxAge: nil,
        lease: .seconds(9),
        now: .zero
      )
    else { return }
    _ = try store.invalidate([SharedMark("tag")], now: .zero)
    let version = try commit("a", with: lease, at: 0)
    #expect(version != nil)
    let begun = try store.begin(key, maxAge: .seconds(9), lease: .seconds(1), now: .zero)
    guard case .leads(_, entry: nil) = begun else { throw NotLeading(begun: begun) }
  }

  @Test mutating func whoKnowsAMarkThatTheLeaseDoesNotTakesItOver() throws {
    let plain = SharedKey("k", marks: [SharedMark("k")])
    let first = try store.begin(plain, maxAge: nil, lease: .seconds(9), now: .zero)
    guard case .leads(let old, _) = first else { throw NotLeading(begun: first) }
    _ = try store.invalidate([SharedMark("tag")], now: .zero)
    let next = try lead(at: 0)
    #expect(next.token > old.token)
    let late = try commit("a", with: old, at: 0)
    #expect(late == nil)
    let isRenewed = store.renew(next, for: .seconds(9), now: .zero)
    #expect(isRenewed)
  }

  // MARK: Leases

  @Test mutating func oneLeadsAndTheOthersFollow() throws {
    _ = try lead(at: 0)
    let begun = try store.begin(key, maxAge: nil, lease: .seconds(9), now: .seconds(4))
    #expect(begun == .follows(position: store.position, remaining: .seconds(6), entry: nil))
  }

  @Test mutating func aLeaseEndsWithItsTimeAndTheNextHasAHigherToken() throws {
    let first = try lead(at: 0)
    let second = try lead(at: 10)
    #expect(second.token > first.token)
    let isRenewed = store.renew(first, for: .seconds(10), now: .seconds(10))
    #expect(!isRenewed)
    let late = try commit("a", with: first, at: 10)
    #expect(late == nil)
    #expect(store.lease(second, now: .seconds(10)) != nil)
  }

  @Test mutating func aRenewedLeaseLastsFromThenOn() throws {
    let lease = try lead(at: 0)
    let isRenewed = store.renew(lease, for: .seconds(10), now: .seconds(9))
    #expect(isRenewed)
    #expect(store.lease(lease, now: .milliseconds(18_999)) != nil)
    #expect(store.lease(lease, now: .seconds(19)) == nil)
  }

  @Test mutating func aLeaseEndsWhenItIsCommitted() throws {
    let lease = try lead(at: 0)
    let version = try commit("a", with: lease, at: 0)
    #expect(version == store.position.version)
    let late = try commit("b", with: lease, at: 0)
    #expect(late == nil)
    #expect(store.entry("k", now: .zero)?.value == value("a"))
  }

  @Test mutating func aLeaseEndsWhenItIsAbandonedOnce() throws {
    let lease = try lead(at: 0)
    store.abandon(lease, failure: "no", now: .zero)
    store.abandon(lease, failure: "again", now: .zero)
    #expect(kinds(after: start) == [.abandoned(key: "k", failure: "no")])
    let next = try lead(at: 0)
    #expect(next.token > lease.token)
  }

  @Test mutating func aLeaseEndsWhenOneOfItsMarksIsInvalidated() throws {
    let lease = try lead(at: 0)
    _ = try store.invalidate([SharedMark("tag")], now: .zero)
    let late = try commit("a", with: lease, at: 0)
    #expect(late == nil)
    let next = try lead(at: 0)
    #expect(next.token > lease.token)
  }

  @Test mutating func aLeaseEndsWhenItsKeyIsWritten() throws {
    let lease = try lead(at: 0)
    _ = try store.write(value("w"), for: key, lifetime: .seconds(9), now: .zero)
    let late = try commit("a", with: lease, at: 0)
    #expect(late == nil)
    #expect(store.entry("k", now: .zero)?.value == value("w"))
  }

  @Test mutating func aLeaseOfAnotherHistoryIsNotValid() throws {
    var lease = try lead(at: 0)
    lease.history = SharedHistory("before")
    let isRenewed = store.renew(lease, for: .seconds(9), now: .zero)
    #expect(!isRenewed)
    let late = try commit("a", with: lease, at: 0)
    #expect(late == nil)
  }

  // MARK: The log

  @Test mutating func theLogTellsEveryChangeInOrder() throws {
    _ = try commit("a", at: 0)
    store.abandon(try lead(at: 0), failure: nil, now: .zero)
    _ = try store.write(value("w"), for: key, lifetime: .seconds(9), now: .zero)
    let first = store.changes(after: start)
    let kinds: [SharedMessage.Kind] = [
      .committed(key: "k"), .abandoned(key: "k", failure: nil),
    ]
    #expect(first.messages.map(\.kind) == kinds)
    let second = store.changes(after: first.position)
    #expect(second.messages.map(\.kind) == [.written(key: "k")])
    #expect(second.position == store.position)
    let end = SharedChanges(messages: [], position: store.position)
    #expect(store.changes(after: second.position) == end)
  }

  @Test func theEndOfTheLogHasNoMessages() {
    #expect(store.changes(after: nil) == SharedChanges(messages: [], position: start))
  }

  @Test mutating func whoReadsFromAPositionThatIsGoneIsToldOfTheGap() throws {
    var positions = [start]
    for _ in 0..<5 {
      _ = try store.invalidate([], now: .zero)
      positions.append(store.position)
    }
    let gaps = positions.map { store.changes(after: $0).isGap }
    #expect(gaps == [true, true, false, false, false, false])
  }

  @Test mutating func anotherHistoryAndAVersionThatWasNeverGivenAreGaps() throws {
    let replica = store
    _ = try store.invalidate([], now: .zero)
    let position = store.position
    #expect(replica.changes(after: position).isGap)
    let other = SharedPosition(history: SharedHistory("other"), version: position.version)
    let gap = SharedChanges(messages: [], position: position, isGap: true)
    #expect(store.changes(after: other) == gap)
  }

  @Test mutating func aLongLogKeepsItsOrder() throws {
    var log = SharedLog(limit: 100)
    var versions: [SharedVersion] = []
    for time in 0..<1000 {
      versions.append(log.append(.written(key: "\(time)"), milliseconds: UInt64(time)))
    }
    #expect(log.count == 100)
    #expect(log.after(versions[949], limit: 1000).map(\.version) == Array(versions[950...]))
    #expect(log.reaches(back: versions[899]))
    #expect(!log.reaches(back: versions[898]))
  }

  // MARK: Limits

  @Test mutating func largeKeysMarksAndValuesAreRefused() throws {
    let long = String(repeating: "k", count: 11)
    let lease = try lead(at: 0)
    let value = value(long)
    let key = key
    let errors = [
      error { _ = try $0.begin(SharedKey(long, marks: []), maxAge: nil, lease: .zero, now: .zero) },
      error { _ = try $0.invalidate([SharedMark(long)], now: .zero) },
      error { _ = try $0.write(value, for: key, lifetime: .zero, now: .zero) },
      error { _ = try $0.commit(value, with: lease, lifetime: .zero, now: .zero) },
    ]
    #expect(errors == Array(repeating: .tooLarge(bytes: 11, limit: 10), count: 4))
    #expect(store.lease(lease, now: .zero) != nil)
  }

  @Test mutating func enormousTimesDoNotOverflow() throws {
    let endless = Duration.seconds(Int64.max)
    _ = try store.begin(key, maxAge: nil, lease: endless, now: endless)
    _ = try store.write(value("a"), for: key, lifetime: endless, now: endless)
    #expect(store.entry("k", now: endless)?.age == .zero)
    _ = try store.begin(key, maxAge: nil, lease: .zero - endless, now: .zero - endless)
  }

  // MARK: Steps

  var start: SharedPosition {
    SharedPosition(history: store.history, version: SharedVersion(milliseconds: 0, sequence: 0))
  }

  mutating func lead(at seconds: Int) throws -> SharedLease {
    let begun = try store.begin(key, maxAge: nil, lease: .seconds(10), now: .seconds(seconds))
    guard case .leads(let lease, _) = begun else { throw NotLeading(begun: begun) }
    return lease
  }

  mutating func commit(_ text: String, at seconds: Int) throws -> SharedVersion? {
    let lease = try lead(at: seconds)
    return try commit(text, with: lease, at: seconds)
  }

  mutating func commit(
    _ text: String,
    with lease: SharedLease,
    at seconds: Int
  ) throws -> SharedVersion? {
    try store.commit(value(text), with: lease, lifetime: .seconds(60), now: .seconds(seconds))
  }

  mutating func error(_ body: (inout SharedStoreModel) throws -> Void) -> SharedStoreError? {
    do { try body(&store) } catch { return error as? SharedStoreError }
    return nil
  }

  func kinds(after position: SharedPosition) -> [SharedMessage.Kind] {
    store.changes(after: position).messages.map(\.kind)
  }
}

struct NotLeading: Error {
  var begun: SharedBeginning
}
