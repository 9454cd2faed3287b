import Foundation
import Testing

@testable import StreamQuery

struct RecordRingTests {
  private func ring(_ capacity: Int) -> RecordRing {
    RecordRing(capacity: capacity, maxBytes: nil, date: 0)
  }

  private func key(_ number: Int) -> EntryKey { EntryKey(QueryKey<Int>("n", number)) }

  private func state(_ updates: UInt32) -> RecordedState {
    var state = RecordedState()
    state.bits = RecordedState.Bit.present
    state.dataUpdateCount = updates
    return state
  }

  private func record(_ ring: RecordRing) -> QueryRecord {
    QueryRecord(ring.wholeExcerpt(lostCount: ring.first - 1), at: 0)
  }

  private func end(_ ring: inout RecordRing) -> Int {
    var garbage = Garbage()
    _ = ring.transactionEnded(&garbage, at: 0)
    return garbage.count
  }

  @Test func aRowIsAtMostSixtyFourBytes() {
    expectEqual(MemoryLayout<RecordRow>.stride, 56)
  }

  @Test func aFurtherEventTakesOnlyItsRow() {
    var ring = ring(1_000)
    let room = ring.rows.capacity
    #expect(room < 1_100)
    ring.added(0, key(1), state(0))
    for number in 0..<5_000 {
      ring.log(RecordRow(time: Int64(number), subject: 0, code: .written))
      _ = end(&ring)
    }
    expectEqual(ring.rows.capacity, room)
    expectEqual(ring.keys.count, 1)
    expectEqual(ring.extraRoom, 0)
    expectEmpty(ring.garbage)
    // An error, a name or a filter is beside the row of its event.
    #expect(MemoryLayout<RecordRow.Extra>.stride <= 64)
  }

  @Test func theStateOfAnEventIsTheOneAfterIt() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    ring.logUnfinished(.written, 0, at: 5_000)
    ring.logUnfinished(.observed, 0, at: 5_000)
    ring.changed(0, state(1), at: 5_000)
    expectEqual(record(ring).events.map(\.time), [.microseconds(5), .microseconds(5)])
    expectEqual(record(ring).lines, ["1 written: pending idle", "1 observed: pending idle"])
    expectEqual(record(ring).updates, [1, 1])
  }

  @Test func anEventThatBeganHasTheStateThatFollows() {
    var ring = ring(10)
    ring.added(3, key(1), state(0))
    ring.began(.fetchStarted, of: 3, detail: 7, at: 5_000)
    expectEmpty(record(ring).events)
    ring.reached(state(1), 3, at: 5_000)
    expectEqual(end(&ring), 0)
    ring.began(.written, of: 3, at: 6_000)
    ring.reached(state(2), 3, at: 6_000)
    expectEqual(record(ring).events.map(\.time), [.microseconds(5), .microseconds(6)])
    expectEqual(record(ring).steps, ["1 fetch 7 started", "1 written"])
    expectEqual(record(ring).updates, [1, 2])
  }

  @Test func anEventThatBeganComesBeforeTheNextOneAndHasTheStateAfterBoth() {
    var ring = ring(10)
    for slot in 0..<2 { ring.added(slot, key(slot), state(0)) }
    ring.began(.written, of: 0, at: 1)
    ring.began(.fetchCancelled, of: 0, detail: 1, at: 1)
    ring.began(.invalidated, of: 1, at: 1)
    ring.reached(state(1), 1, at: 1)
    ring.reached(state(2), 0, at: 1)
    expectEqual(record(ring).steps, ["1 written", "1 fetch 1 cancelled", "2 invalidated"])
    expectEqual(record(ring).updates, [2, 2, 1])
  }

  @Test func anEventThatBeganEndsWithItsTransaction() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    ring.began(.written, of: 0, at: 1)
    expectEqual(end(&ring), 0)
    expectEqual(record(ring).steps, ["1 written"])
    ring.reached(state(1), 0, at: 2)
    expectEqual(record(ring).steps, ["1 written", "1 changed"])
    expectEqual(record(ring).updates, [0, 1])
  }

  @Test func anEventThatBeganIsBeforeTheRemovalOfItsEntry() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    ring.began(.written, of: 0, at: 1)
    ring.removed(0, .removed, at: 1)
    ring.added(0, key(2), state(5))
    ring.reached(state(6), 0, at: 1)
    expectEqual(record(ring).steps, ["1 written", "1 removed (removed)", "2 changed"])
  }

  @Test func aReaderThatWaitsIsToldOnce() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    var garbage = Garbage()
    func write() -> Bool {
      ring.began(.written, of: 0, at: 0)
      ring.reached(state(1), 0, at: 0)
      return ring.hasNews && ring.transactionEnded(&garbage, at: 0)
    }
    expect(!write())
    ring.duties.insert(.reader)
    expect(!ring.hasNews)
    expect(write())
    expect(!write())
  }

  @Test func aChangeWithoutAnEventIsOneOfItsOwnButOnlyIfSomethingChanged() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    ring.changed(0, state(0), at: 1)
    expectEmpty(record(ring).events)
    ring.changed(0, state(1), at: 2)
    ring.changed(0, state(1), at: 3)
    expectEqual(record(ring).steps, ["1 changed"])
  }

  @Test func aLaterTransactionDoesNotFinishAnEventOfAnEarlierOne() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    ring.logUnfinished(.written, 0, at: 1)
    _ = end(&ring)
    ring.changed(0, state(1), at: 1)
    expectEqual(record(ring).steps, ["1 written", "1 changed"])
  }

  @Test func anOverwrittenEventBecomesTheBase() {
    var ring = ring(2)
    ring.added(0, key(1), state(0))
    for update in 1...5 {
      ring.logUnfinished(.written, 0, at: Int64(update))
      ring.changed(0, state(UInt32(update)), at: Int64(update))
      _ = end(&ring)
    }
    let record = record(ring)
    expectEqual(record.firstNumber, 4)
    expectEqual(record.lostCount, 3)
    expectEqual(record.keys.first?.base?.dataUpdateCount, 3)
    expectEqual(record.finalStates[1]?.dataUpdateCount, 5)
  }

  @Test func partsOfKeysComeBackFromAFile() throws {
    var ring = ring(10)
    let numbers: [Double] = [2, -0.0, 0.5, -3e9, 1e15, 1e18, 1e19, 1e300, 1e-300, .infinity, .nan]
    ring.added(0, EntryKey(QueryKey<Int>("n", numbers)), state(0))
    ring.added(1, EntryKey(QueryKey<Int>("x", 2.0, Float(0.1), Float(4))), state(0))
    let record = record(ring)
    expectEqual(
      record.keys.map(\.parts),
      [
        [
          .text("n"),
          .list([
            .int(2), .int(0), .number(0.5), .int(-3_000_000_000), .int(1_000_000_000_000_000),
            .int(1_000_000_000_000_000_000), .number(1e19), .number(1e300), .number(1e-300),
            .text("inf"), .text("nan"),
          ]),
        ],
        [.text("x"), .int(2), .number(Double(Float(0.1))), .int(4)],
      ]
    )
    try expectEqual(QueryRecord(json: record.json()), record)
  }

  @Test func theDateComesBackFromAFile() throws {
    for date in [0, 0.1, 786_123_456.123_456_7, 786_123_456.999_999_9] {
      let ring = RecordRing(capacity: 1, maxBytes: nil, date: date)
      let record = record(ring)
      try expectEqual(QueryRecord(json: record.json()), record)
      #expect(abs(record.date.timeIntervalSinceReferenceDate - date) < 0.000_001)
    }
  }

  @Test func aKeyThatIsGoneLeavesWithItsLastEventAndItsNumberIsNotUsedAgain() {
    var ring = ring(3)
    ring.added(7, key(1), state(0))
    ring.logUnfinished(.written, 0, at: 0)
    ring.removed(7, .expired, at: 0)
    expectEqual(end(&ring), 0)
    expectEqual(record(ring).lines, ["1 written: pending idle", "1 removed (expired): gone"])
    ring.added(7, key(2), state(0))
    expectEqual(record(ring).keys.map(\.number), [1, 2])
    for _ in 0..<3 { ring.logUnfinished(.written, 1, at: 0) }
    expectEqual(record(ring).keys.map(\.number), [2])
    // The key goes out, to be released outside of the lock.
    expectEqual(end(&ring), 1)
    ring.added(8, key(3), state(0))
    expectEqual(record(ring).keys.map(\.number), [2, 3])
    expectEqual(ring.keys.count, 2)
  }

  @Test func theTableOfKeysStaysBounded() {
    var ring = ring(100)
    for number in 0..<10_000 {
      ring.added(0, key(number), state(0))
      ring.logFinished(RecordRow(time: 0, subject: UInt32(ring.place(of: 0) ?? 0), code: .added))
      ring.removed(0, .evicted, at: 0)
      _ = end(&ring)
    }
    #expect(ring.keys.count <= 52)
    expectEqual(record(ring).keys.count, 50)
    expectEqual(record(ring).firstNumber, 19_901)
  }

  @Test func entriesThatMoveKeepTheirNumbersAndTheOthersAreRemoved() {
    var ring = ring(10)
    for slot in 0..<4 { ring.added(slot, key(slot), state(0)) }
    ring.clearing = .cleared
    ring.moved([3, 1], at: 0)
    expectEqual(record(ring).lines, ["1 removed (cleared): gone", "3 removed (cleared): gone"])
    ring.logUnfinished(.written, ring.place(of: 0) ?? 9, at: 0)
    ring.logUnfinished(.written, ring.place(of: 1) ?? 9, at: 0)
    expectEqual(record(ring).steps.suffix(2), ["4 written", "2 written"])
    expectNil(ring.place(of: 2))
  }

  @Test func anErrorGoesWithItsEvent() {
    var ring = ring(2)
    ring.added(0, key(1), state(0))
    for number in 1...5 {
      ring.logUnfinished(
        RecordRow(time: 0, subject: 0, detail: 1, code: .fetchFailed),
        RecordRow.Extra(error: Boom(number))
      )
    }
    let record = record(ring)
    expectEqual(record.errors.map(\.number), [4, 5])
    expectEqual(record.steps, ["1 fetch 1 failed (boom 4)", "1 fetch 1 failed (boom 5)"])
  }

  @Test func manyErrorsTakeBoundedRoom() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    for number in 1...10_000 {
      ring.logUnfinished(
        RecordRow(time: 0, subject: 0, code: .fetchFailed),
        RecordRow.Extra(error: Boom(number))
      )
      _ = end(&ring)
    }
    expectEqual(ring.extras(since: 0).count, 10)
    #expect(ring.extraRoom < 200)
  }

  @Test func aReaderGetsTheTextsThatAreNewAndWhoseEventsAreThere() {
    var texts = RecordedTexts(maxBytes: 1_000)
    func rows(after serial: UInt64, first: UInt64) -> [String] {
      texts.rows(after: serial, first: first).map(\.text)
    }
    expectEmpty(rows(after: 0, first: 1))
    for number: UInt64 in 1...300 { texts.keepText("\(number)", of: 2 * number, first: 500) }
    expectEqual(rows(after: 0, first: 0), (250...300).map(String.init))
    expectEqual(rows(after: 0, first: 590), ["295", "296", "297", "298", "299", "300"])
    expectEqual(rows(after: 49, first: 0), ["299", "300"])
    expectEqual(rows(after: 49, first: 600), ["300"])
    expectEmpty(rows(after: texts.last, first: 0))
  }

  @Test func aReaderGetsEverythingAndThenTheNews() {
    var ring = ring(3)
    var position = RecordExcerpt.Position()
    ring.added(0, key(1), state(0))
    ring.logUnfinished(.written, 0, at: 0)
    func read() -> QueryRecord? {
      ring.excerpt(since: &position).map { QueryRecord($0, at: 0) }
    }
    expectEqual(read()?.steps, ["1 written"])
    expectNil(read())
    ring.added(1, key(2), state(0))
    ring.logUnfinished(.observed, 0, at: 0)
    ring.logUnfinished(.written, 1, at: 0)
    let news = read()
    expectEqual(news?.steps, ["1 observed", "2 written"])
    expectEqual(news?.keys.map(\.number), [2])
    expectEqual(news?.firstNumber, 2)
    expectEqual(news?.lostCount, 0)
    for _ in 0..<5 { ring.logUnfinished(.written, 0, at: 0) }
    let late = read()
    expectEqual(late?.lostCount, 2)
    expectEqual(late?.steps, ["1 written", "1 written", "1 written"])
    expectEqual(late?.keys.map(\.number), [1, 2])
  }

  @Test func aReaderGetsTheOptionsOfTheEventsAlsoIfItHadThemBefore() {
    var ring = ring(100)
    var position = RecordExcerpt.Position()
    let terms = QueryTerms(gcTime: TimeSpan(.seconds(1)))
    for slot in 0..<3 {
      ring.added(slot, key(slot), state(0), slot == 1 ? nil : terms, at: 0)
      let part = ring.excerpt(since: &position).map { QueryRecord($0, at: 0) }
      expectEqual(part?.keys.map(\.number), [slot + 1])
      expectEqual(part?.options.map(\.number), slot == 1 ? [] : [1])
    }
  }

  @Test func runsStayWhileTheyAreNeeded() {
    var ring = ring(2)
    ring.added(0, key(1), state(0))
    let run = RecordRing.Run(serial: 9, key: key(5), scope: "s", startedAt: 0)
    let number = ring.runStarted(run)
    ring.log(RecordRow(time: 0, subject: number, code: .runStarted))
    ring.log(RecordRow(time: 0, subject: number, code: .runPerforming))
    ring.log(RecordRow(time: 0, subject: number, code: .runPaused))
    expectEqual(record(ring).runs.map(\.base), [.started])
    for _ in 0..<3 { ring.logUnfinished(.written, 0, at: 0) }
    expectEqual(record(ring).runs.map(\.base), [.paused])
    ring.log(RecordRow(time: 0, subject: number, code: .runSucceeded))
    ring.logUnfinished(.written, 0, at: 0)
    expectEqual(record(ring).runs.map(\.base), [.paused])
    ring.logUnfinished(.written, 0, at: 0)
    expectEmpty(record(ring).runs)
    expectEqual(ring.number(ofRun: 9), 0)
  }

  @Test func theNetworkBeforeTheFirstEventIsKnown() {
    var ring = ring(1)
    ring.environmentChanged(to: .init(isOnline: false, isActive: true), at: 0)
    ring.environmentChanged(to: .init(isOnline: false, isActive: false), at: 0)
    expectEqual(record(ring).base, .init(isOnline: false, isActive: true))
    expectEqual(record(ring).lines, ["inactive"])
  }

  @Test func equalOptionsAreWrittenOnceAndUnusedOnesGo() {
    var ring = ring(10)
    ring.added(0, key(1), state(0))
    let terms = QueryTerms(gcTime: TimeSpan(.seconds(1)))
    ring.adopted(0, terms, at: 0)
    ring.adopted(0, terms, at: 0)
    expectEqual(record(ring).options.map(\.number), [1])
    for second in 0..<5_000 {
      ring.adopted(0, QueryTerms(gcTime: TimeSpan(.seconds(second + 2))), at: 0)
    }
    #expect(ring.options.terms.count <= 1_024)
    let record = record(ring)
    let known = Set(record.options.map(\.number))
    expectEqual(record.finalStates[1]?.options.map(known.contains), true)
  }

  /// Compares a ring that is too short with one that loses nothing.
  @Test(arguments: Seeds.few(20))
  func theBasesAreThoseOfARecordThatLostNothing(seed: UInt64) {
    var chance = Chance(seed: seed)
    var (short, long) = (ring(1 + chance.below(30)), ring(100_000))
    var slots: [Bool] = Array(repeating: false, count: 8)
    var date: Int64 = 0
    func both(_ body: (inout RecordRing) -> Void) {
      body(&short)
      body(&long)
    }
    for step in 0..<600 {
      let slot = chance.below(8)
      date += Int64(chance.below(3))
      if !slots[slot] {
        slots[slot] = true
        both { $0.added(slot, key(step), state(0)) }
      } else if chance.oneIn(8) {
        slots[slot] = false
        both { $0.removed(slot, .removed, at: date) }
      } else {
        let (events, change) = (chance.below(3), UInt32(chance.below(50)))
        let begins = chance.oneIn(4)
        both { ring in
          guard let place = ring.place(of: slot) else { return }
          for _ in 0..<events { ring.began(.written, of: slot, at: date) }
          if begins { ring.logUnfinished(.observed, place, at: date) }
          ring.reached(state(change), slot, at: date)
        }
      }
      if chance.oneIn(3) { both { _ = end(&$0) } }
    }
    let (whole, part) = (record(long), record(short))
    expectEqual(part.events, whole.events.suffix(part.events.count))
    var before = whole
    before.events.removeLast(part.events.count)
    let expected = before.finalStates
    for key in part.keys { expectEqual(key.base, expected[key.number], "key \(key.number)") }
    // Every key that was there has a base.
    expect(Set(expected.keys).isSubset(of: part.keys.map(\.number)))
  }
}
