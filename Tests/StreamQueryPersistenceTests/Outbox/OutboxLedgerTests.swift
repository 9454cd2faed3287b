import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decisions of the outbox, without any client.
struct OutboxLedgerTests {
  private func id(_ number: Int) -> RunIdentity {
    RunIdentity(high: 0x4000, low: UInt64(number) | 1 << 63)
  }

  private func record(
    _ number: Int,
    revision: UInt64 = 0,
    scope: String? = "s",
    mutation: String = "m",
    _ text: String = ""
  ) -> OutboxRecord? {
    try? OutboxRecord(
      OutboxRecord.Header(
        id: id(number).uuid,
        revision: revision,
        mutation: mutation,
        scope: scope,
        date: 0,
        version: ""
      ),
      input: Data("\"\(number)\(text)\"".utf8)
    )
  }

  private func opened(_ numbers: Int...) throws -> OutboxLedger {
    var ledger = OutboxLedger()
    let records = try numbers.map { number in
      (serial: UInt64(number), record: try #require(record(number)))
    }
    ledger.loaded(.first, records, last: UInt64(numbers.max() ?? 0))
    return ledger
  }

  private func inputs(_ batch: StoreBatch?) -> [String] {
    (batch?.puts ?? []).compactMap { OutboxRecord($0.value) }
      .map { String(decoding: $0.input, as: UTF8.self) }
  }

  @Test func aRunIsReleasedWhenItsRecordIsWrittenAndNotBefore() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1)
    expectEmpty(ledger.released)
    let batch = ledger.takeBatch()
    expectEqual(inputs(batch), ["\"1\""])
    expectNil(ledger.takeBatch())
    ledger.failed()
    expect(ledger.hasFailed && ledger.released.isEmpty)
    expectEqual(inputs(ledger.takeBatch()), ["\"1\""])
    expectEqual(ledger.written(), [id(1)])
    expectEqual(ledger.released, [id(1)])
    expect(ledger.takeBatch() == nil && !ledger.hasFailed)
  }

  @Test func aReleasedRunIsNotReleasedAgainWhenItsInputIsRewritten() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1)
    _ = ledger.takeBatch()
    _ = ledger.written()
    ledger.rewrote(try #require(record(1, "b")))
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    expectEqual(ledger.written(), [id(1)])
    expectEqual(ledger.released, [id(1)])
  }

  @Test func anOpenItemThatGetsARunIsSavedAndReleasesWhatIsBehindIt() throws {
    var ledger = try opened(1)
    ledger.accepted(try #require(record(2)), number: 1)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expectEmpty(ledger.released)
    expectEqual(OutboxItems(ledger.shown()).map { "\($0.state)" }, ["unregistered", "saving"])
    ledger.accepted(try #require(record(1, revision: 1)), number: 0)
    expectEqual(ledger.released, [id(2)])
    expectEqual(OutboxItems(ledger.shown()).map { "\($0.state)" }, ["saving", "saving"])
    expectEqual(ledger.takeBatch()?.puts.count, 1)
  }

  @Test func nothingIsWrittenBeforeTheStoreIsRead() throws {
    var ledger = OutboxLedger()
    ledger.accepted(try #require(record(1)), number: 1)
    expectNil(ledger.takeBatch())
    ledger.loaded(.first, [], last: 0)
    expectEqual(ledger.takeBatch()?.puts.count, 1)
  }

  @Test func ofSeveralRecordsOfARunTheNewestCountsAndTheOthersAreRemoved() throws {
    var ledger = OutboxLedger()
    let records = try [(1, 0, "a"), (2, 1, "b"), (3, 0, "c")].map { serial, revision, text in
      let found = try #require(record(1, revision: UInt64(revision), text))
      return (serial: UInt64(serial), record: found)
    }
    ledger.loaded(.first, records, last: 3)
    expectEqual(ledger.all.map(\.serial), [2])
    expectEqual(ledger.open, ["s": [2]])
    let batch = ledger.takeBatch()
    expectEqual(inputs(batch), ["\"1b\""])
    expectEqual(batch?.removals, [OutboxRecord.key(1, id(1)), OutboxRecord.key(3, id(1))])
    expect(ledger.ended(id(1)) != nil)
    ledger.failed()
    expectEqual(ledger.takeBatch()?.removals.count, 3)
    _ = ledger.written()
    expectNil(ledger.takeBatch())
    expectEqual(ledger.open, [:])
  }

  @Test func aRunThatEndsWhileItIsWrittenIsRemovedNext() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1)
    expectEqual(ledger.takeBatch()?.puts.count, 1)
    expect(ledger.ended(id(1)) != nil)
    expect(!ledger.isSettled(id(1), nil))
    _ = ledger.written()
    expectEmpty(ledger.released)
    expectEqual(ledger.takeBatch()?.removals.count, 1)
    _ = ledger.written()
    expect(ledger.isSettled(id(1), nil))
    expectEqual(ledger.count, 0)
  }

  @Test func openItemsHoldUpWhatIsBehindThemInTheirScopeOnly() throws {
    var ledger = try opened(1, 2, 3)
    ledger.accepted(try #require(record(4)), number: 1)
    ledger.accepted(try #require(record(5, scope: nil)), number: 2)
    ledger.accepted(try #require(record(6, scope: "t")), number: 3)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expectEqual(ledger.released, [id(5), id(6)])
    let first = ledger.looked(at: [id(1), id(3)], [:])
    expectEqual(first.map(\.id), [id(1)])
    ledger.began(first)
    expectEmpty(ledger.looked(at: [id(3)], [id(2): ErrorBox(Boom(1))]))
    let rest = ledger.looked(at: [id(2), id(3)], [:])
    expectEqual(rest.map(\.id), [id(2), id(3)])
    expectEqual(ledger.released, [id(5), id(6)])
    ledger.began(rest)
    expectEqual(ledger.released, [id(5), id(6), id(4)])
  }

  @Test func aRunInFrontOfAnOpenItemIsNotHeldUpByIt() throws {
    var ledger = try opened(1, 2)
    let begun = ledger.looked(at: [id(1)], [:])
    expectEqual(begun.map(\.id), [id(1)])
    ledger.began(begun)
    ledger.accepted(try #require(record(1, revision: 1, "b")), number: 0)
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    expect(!ledger.isSettled(id(1), 1))
    _ = ledger.written()
    expect(ledger.isSettled(id(1), 1))
    expectEqual(ledger.released, [id(1)])
  }

  @Test func nothingIsReleasedInAScopeInWhichOthersAreAtWork() throws {
    var ledger = OutboxLedger()
    ledger.loaded(.first, [], last: 0, barred: ["s"])
    ledger.accepted(try #require(record(2)), number: 1)
    ledger.accepted(try #require(record(3, scope: "t")), number: 2)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expectEqual(ledger.released, [id(3)])
    // What the others leave comes first.
    ledger.loaded(.first, [(0, try #require(record(1)))], last: 0)
    expectEqual(ledger.released, [id(3)])
    ledger.began(ledger.looked(at: [id(1)], [:]))
    expectEqual(ledger.released, [id(3), id(2)])
  }

  @Test(arguments: [false, true])
  func aReplacedItemIsToldOfIfNobodyCouldReadIt(isUnreadable: Bool) throws {
    var ledger = try opened(1)
    if isUnreadable { _ = ledger.looked(at: [], [id(1): ErrorBox(Boom(1))]) }
    ledger.accepted(try #require(record(2)), number: 1, pacing: .newest)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expectEqual(ledger.released, [id(2)])
    expectEqual(ledger.replacedUnread.map(\.id), isUnreadable ? [id(1).uuid] : [])
    expectEqual(ledger.count, 1)
  }

  @Test func aRunIsKeptBeforeThoseThatBeganLaterWhateverOthersHaveKept() throws {
    var ledger = try opened(7)
    ledger.accepted(try #require(record(3)), number: 3)
    // Another client of the store has used the numbers up to 20.
    ledger.accepted(try #require(record(5)), number: 5, serial: 21)
    ledger.accepted(try #require(record(2)), number: 2, serial: 22)
    ledger.accepted(try #require(record(4)), number: 4, serial: 23)
    ledger.accepted(try #require(record(6)), number: 6, serial: 24)
    expectEqual(ledger.all.map(\.serial), [7, 9, 10, 20, 21, 24])
    expectEqual(ledger.all.map(\.id), [7, 2, 3, 4, 5, 6].map(id))
  }

  @Test func aRevisionThatComesDuringAWriteIsNotTakenForWritten() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1)
    _ = ledger.takeBatch()
    ledger.accepted(try #require(record(1, revision: 1, "b")), number: 1)
    _ = ledger.written()
    expectEmpty(ledger.released)
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    _ = ledger.written()
    expectEqual(ledger.released, [id(1)])
  }

  @Test func anotherInputWithTheRevisionOfAStoredOneIsWrittenBeforeItIsSent() throws {
    var ledger = try opened(1)
    ledger.accepted(try #require(record(1, "b")), number: 1)
    expectEmpty(ledger.released)
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    _ = ledger.written()
    expectEqual(ledger.released, [id(1)])
  }

  /// An identifier was replaced in the stored input, and that is being written.
  @Test func anotherInputWithTheRevisionThatIsBeingWrittenIsWrittenBeforeItIsSent() throws {
    var ledger = try opened(1)
    ledger.rewrote(try #require(record(1, "a")))
    expectEqual(inputs(ledger.takeBatch()), ["\"1a\""])
    ledger.accepted(try #require(record(1, "b")), number: 1)
    _ = ledger.written()
    expectEmpty(ledger.released)
    expect(!ledger.isSettled(id(1), 0))
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    _ = ledger.written()
    expectEqual(ledger.released, [id(1)])
  }

  @Test func aRevisionIsSettledWhenItIsWrittenAndNotWhenAnEarlierOneIs() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expect(ledger.isSettled(id(1), 0) && !ledger.isSettled(id(1), 1))
    ledger.accepted(try #require(record(1, revision: 1, "b")), number: 1)
    expect(!ledger.isSettled(id(1), 1))
    _ = ledger.takeBatch()
    _ = ledger.written()
    expect(ledger.isSettled(id(1), 1))
  }

  @Test func aRebasedOpenItemDoesNotBeginBeforeItIsWritten() throws {
    var ledger = try opened(1, 2)
    let replacement = try #require(record(1, revision: 1, "b"))
    let answers = [ledger.replaced(replacement), ledger.replaced(replacement)]
    expectEqual(answers, [true, false])
    let early = ledger.looked(at: [id(1), id(2)], [:])
    expectEmpty(early)
    _ = ledger.takeBatch()
    _ = ledger.written()
    let begun = ledger.looked(at: [id(1), id(2)], [:])
    expectEqual(begun.map(\.id), [id(1), id(2)])
  }

  /// The runs behind the item replace so many others that the ledger is compacted.
  @Test func anOpenItemTakesItsNewInputWhileOthersAreReplaced() throws {
    var ledger = OutboxLedger()
    ledger.loaded(.first, [(50, try #require(record(1, mutation: "a")))], last: 100)
    ledger.accepted(try #require(record(2)), number: 1, pacing: .newest)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expectEmpty(ledger.released)
    // Another client has left older versions of the run.
    let older = try (3...21).map { number in
      (serial: UInt64(number), record: try #require(record(number)))
    }
    ledger.loaded(.first, older, last: 100)
    ledger.accepted(try #require(record(1, revision: 1, mutation: "a", "b")), number: 0)
    expectEqual(ledger.released, [id(2)])
    expectEqual(ledger.all.map(\.id), [id(1), id(2)])
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
  }

  @Test func whatOthersLeaveIsPutInItsPlace() throws {
    var ledger = try opened(2, 5)
    ledger.accepted(try #require(record(9)), number: 4)
    let found = try [1, 2, 3, 4, 8, 12].map { number in
      (serial: UInt64(number), record: try #require(record(number)))
    }
    ledger.loaded(.first, found, last: 12)
    expectEqual(ledger.all.map(\.serial), [1, 2, 3, 4, 5, 8, 9, 12])
    for entry in ledger.all { expectEqual(ledger[entry.id]?.serial, entry.serial) }
    // Those of earlier processes are numbered as they are found.
    expectEqual(ledger.all.map(\.number), [3, 1, 4, 5, 2, 6, nil, 7])
  }

  @Test func recordsAreInTheOrderOfTheRunsHoweverLateTheyAreAccepted() throws {
    var ledger = try opened(3, 7)
    for number in [5, 1, 4, 2] {
      ledger.accepted(try #require(record(100 + number)), number: UInt64(number))
    }
    expectEqual(ledger.all.map(\.serial), [3, 7, 8, 9, 11, 12])
    expectEqual(ledger.takeBatch()?.puts.map { OutboxRecord.serial(of: $0.key) }, [8, 9, 11, 12])
    for number in [101, 104, 3, 7, 105] { _ = ledger.ended(id(number)) }
    expectEqual(ledger.all.map(\.id), [id(102)])
    expectEqual(ledger[id(102)]?.serial, 9)
  }

  @Test func mentionsAreFoundWhenTheyAreLookedForAndAfterwards() throws {
    var ledger = try opened(1, 2)
    expectEqual(ledger.mentioning(["1"]).map(\.id), [id(1)])
    ledger.accepted(try #require(record(3)), number: 1)
    expectEqual(ledger.mentioning(["3", "9"]).map(\.id), [id(3)])
    ledger.rewrote(try #require(record(2, "x")))
    expectEqual(ledger.mentioning(["2x"]).map(\.id), [id(2)])
    #expect(inputs(ledger.takeBatch()).contains("\"2x\""))
  }

  /// Two threads replace identifiers in one record: neither may undo what the other one did.
  @Test func aRecordThatWasRewrittenMeanwhileIsNotRewrittenFromItsFormerText() throws {
    var ledger = try opened(1)
    let edition = try #require(ledger[id(1)]).edition
    let first = ledger.rewrote(try #require(record(1, "b")), from: edition)
    let second = ledger.rewrote(try #require(record(1, "c")), from: edition)
    expectEqual([first, second], [true, false])
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    _ = ledger.written()
    let again = ledger.rewrote(try #require(record(1, "bc")), from: edition + 1)
    // An item that has another input or is gone needs no other try.
    let other = ledger.rewrote(try #require(record(1, revision: 1)), from: edition)
    let gone = ledger.rewrote(try #require(record(2)), from: edition)
    expectEqual([again, other, gone], [true, true, true])
    expectEqual(inputs(ledger.takeBatch()), ["\"1bc\""])
  }

  @Test func aTextIsFoundOnceUnlessItCouldNotBeReplaced() throws {
    var ledger = try opened(1, 2, 3)
    expectEqual(ledger.mentioning(["1", "2"]).map(\.id), [id(1), id(2)])
    ledger.restoreMentions(of: ["1", "9"], in: [id(1), id(2)])
    expectEmpty(ledger.mentioning(["2"]))
    ledger.accepted(try #require(record(4)), number: 1)
    expectEmpty(ledger.mentioning(["2"]))
    ledger.rewrote(try #require(record(3, "x")))
    expectEmpty(ledger.mentioning(["2"]))
    expectEqual(ledger.mentioning(["1", "3x", "4"]).map(\.id), [id(1), id(3), id(4)])
  }

  @Test func theIndexOfTextsIsEmptiedWithTheLastItemAndNotBefore() throws {
    var ledger = try opened(1, 2)
    expectEmpty(ledger.mentioning(["none"]))
    _ = ledger.ended(id(1))
    expectEqual(ledger.mentioning(["2"]).map(\.id), [id(2)])
    expectEqual(ledger.mentions?.isEmpty, false)
    _ = ledger.ended(id(2))
    expectEqual(ledger.mentions?.isEmpty, true)
  }

  @Test func anInputThatChangedIsDecodedOnceMoreByTheSameRegistration() throws {
    let changes: [(inout OutboxLedger) throws -> Void] = [
      { $0.rewrote(try #require(record(1, "b"))) },
      { _ = $0.replaced(try #require(record(1, revision: 1))) },
    ]
    for change in changes {
      var ledger = try opened(1)
      _ = ledger.looked(at: [], [id(1): ErrorBox(Boom(1))])
      ledger.entries[0]?.failedWith = 5
      try change(&ledger)
      expectNil(ledger[id(1)]?.failedWith)
    }
  }

  @Test func aClosedStoreReleasesRunsUnlessOthersAreStillAtWorkInTheirScope() throws {
    for barred in [[], ["s"]] as [Set<String>] {
      var ledger = OutboxLedger()
      ledger.loaded(.first, [], last: 0, barred: ["s"])
      ledger.accepted(try #require(record(1)), number: 1)
      _ = ledger.takeBatch()
      _ = ledger.written()
      expectEmpty(ledger.released)
      expectEqual(ledger.close(.closed, barred: barred), [])
      expectEqual(ledger.released, barred.isEmpty ? [id(1)] : [])
    }
  }

  @Test func aClosedStoreFailsWhatWaitsAndWritesNothing() throws {
    var ledger = try opened(1)
    ledger.accepted(try #require(record(2)), number: 1)
    expectEqual(ledger.close(.closed), [id(2)])
    expectNil(ledger.takeBatch())
    expect(ledger.isSettled(id(2), nil))
  }

  @Test func theEndOfARunWithoutARecordIsNoLossIfNoBatchHasTriedToWriteIt() throws {
    for (isTried, isWritten) in [(false, false), (true, false), (true, true)] {
      var ledger = try opened()
      ledger.accepted(try #require(record(1)), number: 1)
      if isTried { _ = ledger.takeBatch() }
      if isWritten { _ = ledger.written() } else if isTried { ledger.failed() }
      _ = ledger.ended(id(1))
      // The removal fails once, and then for good.
      _ = ledger.takeBatch()
      ledger.failed()
      _ = ledger.takeBatch()
      _ = ledger.close(.closed)
      // A failed batch may have been written nevertheless.
      expectEqual(ledger.loss != nil, isTried)
    }
  }

  @Test func aRecordThatWasFoundAndIsNotRemovedAnyMoreIsALoss() throws {
    var ledger = OutboxLedger()
    ledger.overEarly = [id(1)]
    let found = (serial: UInt64(1), record: try #require(record(1)))
    ledger.loaded(.first, [found], last: 1)
    _ = ledger.close(.closed)
    expect(ledger.loss != nil)
  }

  @Test func aClosedStoreIsNotBehindAndKeepsNoRunFromOtherClients() throws {
    var state = OutboxEngine.State()
    state.ledger = try opened()
    state.ledger.accepted(try #require(record(1)), number: 1)
    _ = state.ledger.takeBatch()
    state.ledger.failed()
    _ = state.ledger.takeBatch()
    state.ledger.accepted(try #require(record(2, scope: "t")), number: 2)
    expect(state.isBehind && state.held.runs == [id(1), id(2)])
    expectEqual(state.held.scopes, ["s", "t"])
    _ = state.ledger.close(.closed)
    expect(!state.isBehind && state.held.runs.isEmpty && state.held.scopes.isEmpty)
    // Nor is it tried again.
    expect(!state.hasFailed)
  }

  @Test func whatIsShownIsAlwaysWhatIsThere() throws {
    var ledger = try opened()
    var random: UInt64 = 1
    var live: [Int] = []
    for step in 1...1_500 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let roll = Int(random >> 33)
      if roll % 5 < 3 || live.isEmpty {
        // Some are accepted late: they come before others.
        let number = step * 4 - (roll % 7 == 0 ? roll % 200 : 0)
        guard number > 0, !live.contains(number) else { continue }
        ledger.accepted(try #require(record(number)), number: UInt64(number))
        live.append(number)
      } else if roll % 5 == 3 {
        _ = ledger.ended(id(live.remove(at: roll % live.count)))
      } else {
        let progress = RunProgress(
          phase: .stopped,
          failureCount: 1,
          failureReason: ErrorBox(Boom(1))
        )
        _ = ledger.progressed(id(live[roll % live.count]), progress)
      }
      guard step % 3 == 0 else { continue }
      let items = OutboxItems(ledger.shown())
      expectEqual(items.map(\.id), ledger.all.map(\.id.uuid))
      expectEqual(items.count, live.count)
      expectEqual(items.stopped.count, items.count(where: \.isStopped))
      ledger.garbage = Garbage()
    }
    expectEqual(ledger.all.map(\.serial), ledger.all.map(\.serial).sorted())
  }

  @Test func everyBitOfARecordIsCheckedOrHarmless() throws {
    let record = try #require(self.record(1))
    for place in record.data.indices {
      for bit in 0..<8 {
        var data = record.data
        data[place] ^= 1 << bit
        // It does not trap, and never reads beyond its bytes.
        if let read = OutboxRecord(data) { expectEqual(read.data.count, data.count) }
      }
    }
    // A length of 31, of 32 bits.
    for byte: UInt8 in [0x7F, 0x80, 0xFF] {
      var data = record.data
      data[data.startIndex + 7] = byte
      expectNil(OutboxRecord(data))
    }
    for count in 0..<record.data.count { _ = OutboxRecord(record.data.prefix(count)) }
    expectEqual(OutboxRecord.serial(of: "outbox/12-x"), 12)
    expectNil(OutboxRecord.serial(of: "outbox/99999999999999999999999-x"))
    #expect(OutboxRecord.key(7, id(1)).hasPrefix("outbox/00000000000000000007-"))
  }

  @Test func theIndexOfTextsForgetsWhatIsGone() throws {
    var ledger = try opened(1)
    expectEqual(ledger.mentioning(["1"]).map(\.id), [id(1)])
    for number in 2...2_000 {
      ledger.accepted(try #require(record(number, "text")), number: UInt64(number))
      _ = ledger.ended(id(number))
      if number % 10 == 0 { expectEmpty(ledger.mentioning(["none"])) }
    }
    #expect((ledger.mentions?.count ?? 0) < 100)
    ledger.accepted(try #require(record(3_000)), number: 3_000)
    expectEqual(ledger.mentioning(["3000"]).map(\.id), [id(3_000)])
  }

  @Test func aRunWithAPlaceOfItsOwnComesBeforeTheRunsAfterIt() throws {
    var ledger = try opened()
    ledger.accepted(try #require(record(1)), number: 1, serial: 100)
    ledger.accepted(try #require(record(2)), number: 2)
    expectEqual(ledger.all.map(\.id), [id(1), id(2)])
    expectEqual(ledger.all.map(\.serial), [100, 101])
  }

  @Test func anItemWhoseInputIsRewrittenStaysStoredAndOneWithAnotherInputDoesNot() throws {
    var ledger = try opened(1)
    ledger.rewrote(try #require(record(1, "b")))
    expectEqual(ledger.all.map(\.stored), [.present])
    expectEqual(inputs(ledger.takeBatch()), ["\"1b\""])
    let isReplaced = ledger.replaced(try #require(record(1, revision: 1, "c")))
    expect(isReplaced && ledger.all.map(\.stored) == [.earlier])
  }

  @Test func aRunThatGetsAnotherInputFollowsTheRuleOfItsPresentMutation() throws {
    var ledger = try opened(1)
    ledger.accepted(try #require(record(2)), number: 1)
    _ = ledger.takeBatch()
    _ = ledger.written()
    expect(ledger.released.isEmpty && ledger.all.map(\.id) == [id(1), id(2)])
    ledger.accepted(try #require(record(2, revision: 1, "b")), number: 1, pacing: .newest)
    expectEqual(inputs(ledger.takeBatch()), ["\"2b\""])
    _ = ledger.written()
    expectEqual(ledger.released, [id(2)])
    expectEqual(ledger.all.map(\.id), [id(2)])
  }

  @Test func aRunOfAnEarlierProcessReplacesVersionsThatNobodyCanSendByItsRule() throws {
    let left = try [OutboxLedger.Pacing.all, .newest, .newestWhenSent].map { pacing in
      var ledger = try opened(1, 2)
      ledger.began(ledger.looked(at: [id(2)], [:], pacing: [id(2): pacing]))
      return ledger.all.map { "\($0.serial) \($0.status.isOpen)" }
    }
    expectEqual(left, [["1 true", "2 true"], ["2 false"], ["1 true", "2 false"]])
  }

  @Test func theLedgerBecomesShortWhenMostOfManyRunsAreOver() throws {
    var ledger = try opened()
    for number in 1...40 {
      ledger.accepted(try #require(record(number)), number: UInt64(number))
    }
    let counts = (1...40).map { number in
      _ = ledger.ended(id(number))
      return ledger.entries.count
    }
    let long = Array(repeating: 40, count: 20)
    expectEqual(counts, long + Array(repeating: 19, count: 10) + Array(repeating: 9, count: 10))
  }

  /// An error of a user, whose `deinit` is user code.
  private final class Held: Error {}

  /// Whether an error is there after a change, and when the garbage of the change has been released.
  private func isThere(
    after change: (inout OutboxLedger) throws -> Void,
    in makeLedger: (ErrorBox) throws -> OutboxLedger
  ) throws -> [Bool] {
    var error: Held? = Held()
    weak let held = error
    var ledger = try makeLedger(ErrorBox(try #require(error)))
    error = nil
    try change(&ledger)
    let isThere = held != nil
    ledger.garbage = Garbage()
    return [isThere, held != nil]
  }

  @Test func anErrorThatIsNoLongerShownIsReleasedWithTheGarbageAndNotBefore() throws {
    let goesOn = RunProgress(phase: .waiting, failureCount: 0, failureReason: nil)
    let changes: [(inout OutboxLedger) throws -> Void] = [
      { _ = $0.progressed(id(2), goesOn) },
      { _ = $0.ended(id(2)) },
      // An item that comes before it moves it.
      {
        $0.loaded(.first, [(1, try #require(record(1)))], last: 1)
        _ = $0.progressed(id(2), goesOn)
      },
    ]
    for (place, change) in changes.enumerated() {
      let isThere = try isThere(after: change) { error in
        var ledger = try opened()
        ledger.accepted(try #require(record(2)), number: 2)
        let stopped = RunProgress(phase: .stopped, failureCount: 1, failureReason: error)
        _ = ledger.progressed(id(2), stopped)
        _ = ledger.shown()
        ledger.garbage = Garbage()
        return ledger
      }
      expectEqual(isThere, [true, false], "\(place)")
    }
  }

  @Test func theErrorOfAnUnreadableItemIsReleasedWithTheGarbageAndNotBefore() throws {
    let changes: [(inout OutboxLedger) throws -> Void] = [
      { _ = $0.looked(at: [], [id(1): ErrorBox(Boom(1))]) },
      { _ = $0.looked(at: [id(1)], [:]) },
      {
        $0.accepted(try #require(record(2)), number: 1, pacing: .newest)
        _ = $0.takeBatch()
        _ = $0.written()
      },
    ]
    for (place, change) in changes.enumerated() {
      let isThere = try isThere(after: change) { error in
        var ledger = try opened(1)
        _ = ledger.looked(at: [], [id(1): error])
        return ledger
      }
      expectEqual(isThere, [true, false], "\(place)")
    }
  }

  /// The edition tells that an input was decoded before it changed.
  @Test func eachChangeOfARecordIsANewEditionAndNothingElseIsOne() throws {
    let retry = RunProgress(phase: .waiting, failureCount: 1, failureReason: ErrorBox(Boom(1)))
    let inputs: [(String, (inout OutboxLedger) throws -> Void)] = [
      ("unreadable", { _ = $0.looked(at: [], [id(1): ErrorBox(Boom(1))]) }),
      ("rewrote", { $0.rewrote(try #require(record(1, "b"))) }),
      ("replaced", { _ = $0.replaced(try #require(record(1, revision: 1))) }),
      ("taken", { _ = $0.takeBatch() }),
      ("written", { _ = $0.written() }),
      ("readable", { $0.began($0.looked(at: [id(1)], [:])) }),
      ("progressed", { _ = $0.progressed(id(1), retry) }),
      ("accepted", { $0.accepted(try #require(record(1, revision: 2)), number: 1) }),
      ("accepted again", { $0.accepted(try #require(record(1, revision: 2)), number: 1) }),
    ]
    var ledger = try opened(1)
    var changes: [String] = []
    for (name, input) in inputs {
      let edition = ledger[id(1)]?.edition
      try input(&ledger)
      if ledger[id(1)]?.edition != edition { changes.append(name) }
    }
    expectEqual(changes, ["rewrote", "replaced", "accepted"])
  }

  /// The version is the only thing that tells observers of the items that there is news.
  @Test func eachVisibleChangeIsANewVersionAndAWriteIsNone() throws {
    let boom = ErrorBox(Boom(1))
    let retry = RunProgress(phase: .waiting, failureCount: 1, failureReason: boom)
    let inputs: [(String, (inout OutboxLedger) throws -> Void)] = [
      ("loaded", { $0.loaded(.first, [(1, try #require(record(1)))], last: 1) }),
      ("unreadable", { _ = $0.looked(at: [], [id(1): boom]) }),
      ("replaced", { _ = $0.replaced(try #require(record(1, revision: 1))) }),
      ("taken", { _ = $0.takeBatch() }),
      ("written", { _ = $0.written() }),
      ("readable", { _ = $0.looked(at: [id(1)], [:]) }),
      ("progressed", { _ = $0.progressed(id(1), retry) }),
      ("rewrote", { $0.rewrote(try #require(record(1, revision: 1, "b"))) }),
      ("accepted", { $0.accepted(try #require(record(2)), number: 1) }),
      ("taken", { _ = $0.takeBatch() }),
      ("failed", { $0.failed() }),
      ("ended", { _ = $0.ended(id(1)) }),
      ("closed", { _ = $0.close(.closed) }),
    ]
    var ledger = OutboxLedger()
    var changes: [String] = []
    var visible: [String] = []
    for (name, input) in inputs {
      let (version, items) = (ledger.version, shown(&ledger))
      try input(&ledger)
      if ledger.version != version { changes.append(name) }
      if shown(&ledger) != items { visible.append(name) }
      ledger.garbage = Garbage()
    }
    expectEqual(changes, visible)
    expectEqual(
      visible,
      [
        "loaded", "unreadable", "replaced", "readable", "progressed", "rewrote", "accepted",
        "ended",
      ]
    )
  }

  private func shown(_ ledger: inout OutboxLedger) -> [String] {
    OutboxItems(ledger.shown()).map { item in
      "\(item.id) \(item.state) \(item.attempts) \(item.idempotencyKey) \(Array(item.input))"
    }
  }
}
