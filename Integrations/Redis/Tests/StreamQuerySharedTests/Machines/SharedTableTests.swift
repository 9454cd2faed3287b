import Testing

@testable import StreamQueryShared

/// Which data is older than what the log told of.
struct SharedTableTests {
  private typealias Kind = SharedMessage.Kind
  private let history = SharedHistory("h")
  private let key = SharedKey("k", marks: [SharedMark("k"), SharedMark("tag")])

  private func version(_ number: UInt64) -> SharedVersion {
    SharedVersion(milliseconds: number, sequence: 0)
  }

  private func position(_ number: UInt64) -> SharedPosition {
    SharedPosition(history: history, version: version(number))
  }

  /// A table whose log is read, up to version 1.
  private func table() -> SharedTable {
    var table = SharedTable()
    _ = table.log.began()
    let start = SharedChanges(messages: [], position: position(1))
    _ = table.log.read(start, askedAt: .zero)
    return table
  }

  /// A table with data of a version.
  private func table(with number: UInt64) -> SharedTable {
    var table = table()
    let id = table.begun(key).id
    _ = table.answered(.stored(version(number)), by: id, of: "k", at: .seconds(1))
    return table
  }

  private func hear(
    _ table: inout SharedTable,
    _ messages: (UInt64, Kind)...,
    end: UInt64? = nil,
    askedAt: Duration = .zero
  ) -> SharedTable.Effects {
    let messages = messages.map { SharedMessage(version($0.0), $0.1) }
    let end = end.map(version) ?? messages.last?.version ?? version(1)
    let changes = SharedChanges(
      messages: messages,
      position: SharedPosition(history: history, version: end)
    )
    return table.received(changes, askedAt: askedAt)
  }

  /// What is forgotten because the client does not have the key.
  private func forget(
    _ table: inout SharedTable,
    cameUpTo sequence: UInt64? = nil,
    landedBefore time: Duration
  ) -> [String] {
    table.forget(["k"], cameUpTo: sequence ?? table.arrivals, landedBefore: time)
  }

  private func suspected(_ effects: SharedTable.Effects) -> Bool { effects.suspected == ["k"] }

  @Test func newerMessagesDoubtDataAndOlderOnesDoNot() {
    let kinds: [Kind] = [
      .committed(key: "k"), .written(key: "k"), .invalidated([SharedMark("tag")]),
    ]
    for kind in kinds {
      var table = table(with: 5)
      check(suspected(hear(&table, (4, kind))), is: false)
      check(suspected(hear(&table, (5, kind))), is: false)
      check(suspected(hear(&table, (6, kind))), is: true)
      #expect(table.rows["k"]?.isSuspect == true)
    }
  }

  @Test func messagesOfOtherKeysAndMarksDoNothing() {
    var table = table(with: 5)
    let effects = hear(
      &table,
      (6, .committed(key: "x")),
      (7, .abandoned(key: "k", failure: nil)),
      (8, .invalidated([SharedMark("x")]))
    )
    #expect(effects == SharedTable.Effects())
  }

  @Test func anEntryThatIsOlderThanAMessageDoesNotLand() {
    for kind: Kind in [.written(key: "k"), .invalidated([SharedMark("k")])] {
      var table = table()
      let id = table.begun(key).id
      _ = hear(&table, (6, kind))
      check(table.answered(.stored(version(5)), by: id, of: "k", at: .zero), is: .again)
      check(table.answered(.stored(version(7)), by: id, of: "k", at: .zero), is: .lands)
    }
  }

  @Test func anInvalidationFromBeforeTheFetchCountsAsWell() {
    var table = table()
    _ = hear(&table, (6, .invalidated([SharedMark("tag")])))
    let id = table.begun(key).id
    check(table.answered(.stored(version(5)), by: id, of: "k", at: .zero), is: .again)
  }

  @Test func anAnswerWithoutAVersionIsOutdatedByWhatCameAfterItBegan() {
    var table = table()
    _ = hear(&table, (2, .invalidated([SharedMark("k")])))
    let id = table.begun(key).id
    _ = hear(&table, (3, .invalidated([SharedMark("x")])))
    check(table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .zero), is: .lands)
    let next = table.begun(key).id
    _ = hear(&table, (4, .invalidated([SharedMark("k")])))
    check(
      table.answered(.unversioned(requestedAt: .zero), by: next, of: "k", at: .zero),
      is: .again
    )
    table.beganAgain(next, of: "k")
    check(
      table.answered(.unversioned(requestedAt: .zero), by: next, of: "k", at: .zero),
      is: .lands
    )
    // Nothing is known of its place, so every message concerns it.
    check(suspected(hear(&table, (5, .committed(key: "k")))), is: true)
  }

  @Test func theOwnInvalidationIsNoNewsWhenItComesBack() {
    var table = table(with: 5)
    let marks = [SharedMark("k")]
    check(suspected(table.invalidated(marks, version(6))), is: true)
    let id = table.begun(key).id
    check(table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .zero), is: .lands)
    check(suspected(hear(&table, (6, .invalidated(marks)))), is: false)
    check(suspected(hear(&table, (7, .invalidated(marks)))), is: true)
  }

  @Test func dataThatIsBeingFetchedIsDoubtedWithTheFetch() {
    var table = table(with: 5)
    let id = table.begun(key).id
    check(suspected(hear(&table, (5, .committed(key: "k")))), is: false)
    check(suspected(hear(&table, (6, .written(key: "k")))), is: true)
    table.ended(id, of: "k")
    // The fetch brought nothing: the data is what it was.
    #expect(table.rows["k"]?.landed == version(5))
  }

  @Test func aFetchThatWasReplacedDoesNotCountAnyMore() {
    var table = table(with: 5)
    let old = table.begun(key).id
    let new = table.begun(key).id
    check(table.answered(.stored(version(9)), by: old, of: "k", at: .zero), is: .ignored)
    // It did not land: the data is still that of version 5.
    check(suspected(hear(&table, (6, .written(key: "k")))), is: true)
    check(table.answered(.stored(version(7)), by: new, of: "k", at: .seconds(2)), is: .lands)
    check(table.rows["k"]?.landed, is: version(7))
    // One that goes on for ever hides no change from what has landed since.
    let stuck = table.begun(key).id
    let last = table.begun(key).id
    check(table.answered(.stored(version(8)), by: last, of: "k", at: .seconds(3)), is: .lands)
    check(suspected(hear(&table, (9, .written(key: "k")))), is: true)
    table.ended(stuck, of: "k")
    check(table.rows["k"]?.landed, is: version(8))
  }

  @Test func aFirstFetchHasNothingToDoubt() {
    var table = table()
    _ = table.begun(key)
    check(suspected(hear(&table, (6, .committed(key: "k")))), is: false)
  }

  // MARK: Following

  @Test func aFollowerIsToldWhatBecameOfTheKey() {
    let cases: [(Kind, SharedNews)] = [
      (.committed(key: "k"), .arrived), (.written(key: "k"), .arrived),
      (.abandoned(key: "k", failure: nil), .free),
      (.abandoned(key: "k", failure: "!boom"), .failed(.init("boom"))),
      (.abandoned(key: "k", failure: "="), .unshareable),
      (.invalidated([SharedMark("tag")]), .free),
    ]
    for (kind, news) in cases {
      var table = table()
      let id = table.begun(key).id
      check(table.follows(position(5), id, of: "k"), is: nil)
      check(hear(&table, (5, kind)).notified.isEmpty, is: true)
      check(hear(&table, (6, kind)).notified, is: [id: news])
      check(hear(&table, (7, kind)).notified.isEmpty, is: true)
      // The message may have come before the answer that says whom to follow.
      check(table.follows(position(5), id, of: "k") != nil, is: true)
      check(table.follows(position(7), id, of: "k"), is: nil)
    }
  }

  @Test func aFollowerIsToldThatAllWasForgotten() {
    var table = table()
    let id = table.begun(key).id
    check(table.follows(position(5), id, of: "k"), is: nil)
    check(table.forgot().notified, is: [id: .silence])
    check(table.follows(position(5), id, of: "k"), is: .silence)
  }

  // MARK: Trust

  @Test func whatIsForgottenIsDoubtedOnceAndWhatIsFetchedBeginsAgain() {
    var table = table(with: 5)
    let id = table.begun(SharedKey("other", marks: [])).id
    check(table.forgot().suspected, is: ["k"])
    check(table.forgot().suspected.isEmpty, is: true)
    check(table.answered(.stored(version(9)), by: id, of: "other", at: .zero), is: .unsure)
    table.beganAgain(id, of: "other")
    check(table.answered(.stored(version(9)), by: id, of: "other", at: .zero), is: .lands)
  }

  @Test func trustCountsFromTheLogAndFromTheAnswer() {
    var table = table(with: 5)
    check(table.expired(trust: .seconds(10), at: .seconds(10)).suspected.isEmpty, is: true)
    check(table.expired(trust: .seconds(10), at: .seconds(11)).suspected, is: ["k"])
    check(table.expired(trust: .seconds(10), at: .seconds(12)).suspected.isEmpty, is: true)
    let id = table.begun(key).id
    _ = table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .seconds(12))
    check(table.expired(trust: .seconds(10), at: .seconds(21)).suspected.isEmpty, is: true)
    let news = SharedChanges(messages: [], position: position(1))
    _ = table.log.read(news, askedAt: .seconds(21))
    check(table.expired(trust: .seconds(10), at: .seconds(30)).suspected.isEmpty, is: true)
    check(table.expired(trust: .seconds(10), at: .seconds(31)).suspected, is: ["k"])
  }

  @Test func withoutAReaderAnAnswerIsNotWatched() {
    var table = SharedTable()
    let id = table.begun(key).id
    check(table.answered(.stored(version(1)), by: id, of: "k", at: .zero), is: .landsUnwatched)
    check(table.begun(key).isSuspect, is: true)
  }

  @Test func aVersionAfterTheEndOfTheLogIsNotBelieved() {
    var table = table(with: 1_000)
    // It may be newer than what was asked for before it came.
    check(suspected(hear(&table, (6, .written(key: "k")), askedAt: .seconds(1))), is: false)
    check(suspected(hear(&table, (7, .written(key: "k")), askedAt: .seconds(2))), is: true)
  }

  @Test func anAnswerOfAnotherLifeOfTheLogIsNotFollowedByAnOlderOne() {
    var table = table(with: 5)
    _ = table.forgot()
    check(table.begun(key).bounds, is: SharedBounds(version: version(5)))
    _ = table.forgot()
    let id = table.begun(key).id
    check(table.begun(key).bounds, is: SharedBounds(version: version(5)))
    _ = id
  }

  @Test func dataThatMayBeOfTheNewLifeOfTheLogIsFollowedByItself() {
    var table = table()
    _ = table.forgot(in: history)
    let id = table.begun(key).id
    _ = table.answered(.stored(version(5)), by: id, of: "k", at: .seconds(1))
    _ = table.forgot(in: SharedHistory("another"))
    let bounds = table.begun(key).bounds
    check(bounds, is: SharedBounds(requestedAt: .seconds(1), same: version(5)))
    for (number, isAllowed) in [(4, false), (5, true), (6, false)] as [(UInt64, Bool)] {
      let entry = SharedEntry(
        value: SharedValue([], form: ""),
        version: version(number),
        age: .zero,
        requestAge: .milliseconds(1_001)
      )
      let allows = bounds.allow(entry, fetchedIn: .zero, askedAt: .seconds(2), slack: .zero)
      #expect(allows == isAllowed)
    }
    // Of what it landed before, the next life has nothing.
    _ = table.forgot(in: SharedHistory("third"))
    check(table.begun(key).bounds, is: SharedBounds(requestedAt: .seconds(1)))
  }

  @Test func anAnswerWithoutAVersionIsNotFollowedByOneThatWasRequestedBefore() {
    var table = table(with: 5)
    let id = table.begun(key).id
    let answer = SharedTable.Answer.unversioned(requestedAt: .seconds(10))
    check(table.answered(answer, by: id, of: "k", at: .seconds(11)), is: .lands)
    let bounds = table.begun(key).bounds
    check(bounds, is: SharedBounds(requestedAt: .seconds(10)))
    func allows(_ age: Duration) -> Bool {
      let entry = SharedEntry(value: SharedValue([], form: ""), version: version(9), age: age)
      return bounds.allow(
        entry,
        fetchedIn: .seconds(2),
        askedAt: .seconds(20),
        slack: .seconds(1)
      )
    }
    check(allows(.seconds(7)), is: true)
    check(allows(.milliseconds(7_001)), is: false)
  }

  @Test func anOutdatedAnswerThatIsShownLeavesTheBoundsOfTheDataBefore() {
    // Data that came from another life of the log, so that only the time of its request is known.
    var other = table(with: 5)
    _ = other.forgot(in: history)
    _ = other.forgot(in: SharedHistory("another"))
    check(other.begun(key).bounds, is: SharedBounds(requestedAt: .seconds(1)))
    for (requestedAt, bound) in [(nil, 1), (.milliseconds(500), 1), (.seconds(3), 3)]
      as [(Duration?, Int)]
    {
      var table = other
      let id = table.begun(key).id
      table.ended(id, of: "k", outdatedAt: .seconds(4), requestedAt: requestedAt)
      check(table.begun(key).bounds, is: SharedBounds(requestedAt: .seconds(bound)))
    }
    // Data with a version, of the present life.
    var same = table(with: 5)
    let id = same.begun(key).id
    _ = hear(&same, (7, .written(key: "k")))
    check(same.answered(.stored(version(4)), by: id, of: "k", at: .seconds(2)), is: .again)
    same.ended(id, of: "k", outdatedAt: .seconds(2), requestedAt: .milliseconds(1_500))
    let bounds = SharedBounds(version: version(5), requestedAt: .milliseconds(1_500))
    check(same.begun(key).bounds, is: bounds)
    // In another life of the log, the version says nothing, and the answer that is shown counts.
    var lost = same
    _ = lost.forgot(in: history)
    _ = lost.forgot(in: SharedHistory("another"))
    check(lost.begun(key).bounds, is: SharedBounds(requestedAt: .milliseconds(1_500)))
    // What lands after it is what counts.
    let next = same.begun(key).id
    check(same.answered(.stored(version(8)), by: next, of: "k", at: .seconds(3)), is: .lands)
    check(same.begun(key).bounds, is: SharedBounds())
  }

  @Test func ofAnEntryWhoseRequestIsKnownNothingIsGuessed() {
    let bounds = SharedBounds(requestedAt: .seconds(10))
    for (age, allowed) in [(10_000, true), (10_001, false), (0, true)] {
      let entry = SharedEntry(
        value: SharedValue([], form: ""),
        version: version(9),
        age: .zero,
        requestAge: .milliseconds(age)
      )
      let allows = bounds.allow(
        entry,
        fetchedIn: .seconds(100),
        askedAt: .seconds(20),
        slack: .seconds(100)
      )
      #expect(allows == allowed)
    }
  }

  // MARK: Marks

  @Test func theMarkOfAnEntryIsThatOfItsKey() {
    for (namespace, form) in [("shop", "json.1"), ("", ""), ("a:e1:", "é:"), ("1:", "9:k")] {
      let names = SharedNames(namespace)
      let key = names.key("[\"ü:e\"]", parts: "[\"ü:e\"]", tags: [], form: form)
      check(SharedNames.mark(ofEntry: key.text), is: key.marks[0])
    }
    for text in ["", ":", "9:x", "-1:e", "1:a:e", "1:a:e9:", "99999999999999999999:", "1:a:k1:b:x"]
    {
      check(SharedNames.mark(ofEntry: text), is: nil)
    }
  }

  @Test func nothingBeginsOrLandsWhileADoubtIsMarkedInTheClient() {
    var table = table(with: 5)
    let id = table.begun(key).id
    let effects = hear(&table, (6, .written(key: "k")))
    table.marking(effects.suspected)
    // The mark that is on its way would be one of this answer, and another request.
    check(table.answered(.stored(version(6)), by: id, of: "k", at: .zero), is: .waits)
    check(table.began(key), is: nil)
    // Another suspicion comes meanwhile.
    table.marking(["k"])
    check(table.marked(["k"]), is: [])
    check(table.answered(.stored(version(6)), by: id, of: "k", at: .zero), is: .waits)
    check(forget(&table, landedBefore: .seconds(9)), is: [])
    check(table.marked(["k"]), is: ["k"])
    check(table.answered(.stored(version(6)), by: id, of: "k", at: .zero), is: .lands)
    #expect(table.rows["k"]?.isSuspect == false)
  }

  @Test func anAnswerThatDidNotLandChangesNothing() {
    var table = table(with: 5)
    _ = hear(&table, (6, .written(key: "k")))
    let id = table.begun(key).id
    check(table.answered(.stored(version(6)), by: id, of: "k", at: .seconds(2)), is: .lands)
    let next = table.began(key, hasLanded: false)
    check(next?.landed, is: version(5))
    check(next?.isSuspect, is: true)
  }

  @Test func anAnswerThatNeverLandsIsDoubtedInTheEnd() {
    var table = table(with: 5)
    let id = table.begun(key).id
    check(table.answered(.stored(version(6)), by: id, of: "k", at: .seconds(2)), is: .lands)
    check(suspected(hear(&table, (6, .written(key: "k")))), is: false)
    check(suspected(table.lost(["k"])), is: true)
    check(table.rows["k"]?.landed, is: version(5))
  }

  // MARK: Writes and rows

  @Test func anOlderWriteDoesNotReplaceNewerData() {
    var table = table(with: 5)
    check(table.mayWrite(version(4), to: key, at: .zero), is: false)
    check(table.mayWrite(version(6), to: key, at: .zero), is: true)
    check(suspected(table.wrote(version(6), to: "k")), is: false)
    _ = hear(&table, (7, .invalidated([SharedMark("k")])))
    check(suspected(table.wrote(version(6), to: "k")), is: true)
  }

  @Test func rowsAreForgottenThatNobodyFetchesAndThatAreSettled() {
    var table = table(with: 5)
    check(forget(&table, landedBefore: .seconds(1)).isEmpty, is: true)
    let id = table.begun(key).id
    check(forget(&table, landedBefore: .seconds(2)).isEmpty, is: true)
    table.ended(id, of: "k")
    check(forget(&table, landedBefore: .seconds(2)), is: ["k"])
    #expect(table.rows.isEmpty)
    check(hear(&table, (6, .invalidated([SharedMark("k")]))), is: SharedTable.Effects())
  }

  @Test func whatTheLogToldCountsAlsoIfTheStoreForgetsIt() {
    for kind: Kind in [.invalidated([SharedMark("tag")]), .committed(key: "k")] {
      var table = table(with: 5)
      _ = hear(&table, (7, kind))
      _ = table.forgot(in: history)
      check(table.begun(key).bounds, is: SharedBounds(version: version(7)))
      // Versions of another life say nothing.
      var other = self.table(with: 5)
      _ = other.forgot(in: history)
      _ = hear(&other, (7, kind))
      _ = other.forgot(in: SharedHistory("other"))
      check(other.begun(key).bounds, is: SharedBounds(requestedAt: .seconds(1)))
    }
  }

  @Test func aFetchUnderWayTakesNothingThatTheLogHadOutdatedBeforeAllWasForgotten() {
    var table = table(with: 5)
    let id = table.begun(key).id
    _ = hear(&table, (7, .invalidated([SharedMark("tag")])))
    _ = table.forgot(in: history)
    table.beganAgain(id, of: "k")
    check(table.answered(.stored(version(5)), by: id, of: "k", at: .zero), is: .again)
    check(table.answered(.stored(version(8)), by: id, of: "k", at: .zero), is: .lands)
  }

  // MARK: Strangers

  /// Invalidations of what the peer does not have, so many that its memory of them starts anew.
  private func flood(_ table: inout SharedTable, from number: UInt64) {
    for each in number..<number + 10 {
      let effects = hear(&table, (each, .invalidated([SharedMark("stranger \(each)")])))
      check(effects, is: SharedTable.Effects())
    }
  }

  @Test func strangersMarksDoNotHideThatAnAnswerIsOutdated() {
    for answer in [
      SharedTable.Answer.unversioned(requestedAt: .zero), .stored(version(5)),
    ] {
      var table = table()
      table.recent = RecentMarks(limit: 4)
      let id = table.begun(key).id
      _ = hear(&table, (6, .invalidated([SharedMark("tag")])))
      flood(&table, from: 7)
      check(table.answered(answer, by: id, of: "k", at: .zero), is: .again)
      // What it gets then is from after the invalidation.
      table.beganAgain(id, of: "k")
      check(
        table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .zero),
        is: .lands
      )
    }
  }

  @Test func strangersMarksDoNotHideFromAFollowerThatTheLeaseIsFree() {
    var table = table()
    table.recent = RecentMarks(limit: 4)
    let id = table.begun(key).id
    _ = hear(&table, (6, .invalidated([SharedMark("k")])))
    flood(&table, from: 7)
    check(table.follows(position(5), id, of: "k"), is: .free)
    check(table.follows(position(6), id, of: "k"), is: nil)
  }

  @Test func theNewestInvalidationIsKeptInWhateverOrderTwoAreSeen() {
    var table = table()
    table.recent = RecentMarks(limit: 4)
    // What the peer did itself comes before messages that are older.
    let id = table.begun(key).id
    _ = table.invalidated([SharedMark("k")], version(9))
    table.beganAgain(id, of: "k")
    _ = hear(&table, (8, .invalidated([SharedMark("tag")])))
    flood(&table, from: 10)
    check(table.answered(.stored(version(8)), by: id, of: "k", at: .zero), is: .again)
    check(
      table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .zero),
      is: .again
    )
    check(table.answered(.stored(version(9)), by: id, of: "k", at: .zero), is: .lands)
  }

  @Test func otherTagsDoNotHideWhatWasInvalidatedWhileAFetchRuns() {
    var table = table()
    table.recent = RecentMarks(limit: 4)
    let id = table.begun(key).id
    _ = hear(&table, (6, .invalidated([SharedMark("tag")])))
    flood(&table, from: 7)
    _ = table.mayWrite(version(2), to: SharedKey("k", marks: [SharedMark("k")]), at: .zero)
    check(
      table.answered(.unversioned(requestedAt: .zero), by: id, of: "k", at: .zero),
      is: .again
    )
  }

  @Test func whatLandsWhileTheClientIsAskedIsNotForgotten() {
    let time = Duration.seconds(40)
    for isBefore in [false, true] {
      var table = table()
      let id = table.begun(key).id
      var look = table.arrivals
      check(table.answered(.stored(version(5)), by: id, of: "k", at: .seconds(100)), is: .lands)
      if isBefore { look = table.arrivals }
      // Somebody else sees that it is there.
      table.arrived(["k"])
      check(forget(&table, cameUpTo: look, landedBefore: time), is: [])
      check(suspected(hear(&table, (6, .invalidated([SharedMark("k")])))), is: true)
      check(forget(&table, landedBefore: time), is: ["k"])
    }
  }

  @Test func whatIsWrittenOrOutdatedWhileTheClientIsAskedIsNotForgotten() {
    var table = table(with: 5)
    var look = table.arrivals
    check(table.mayWrite(version(6), to: key, at: .seconds(2)), is: true)
    check(forget(&table, cameUpTo: look, landedBefore: .seconds(40)), is: [])
    look = table.arrivals
    let id = table.begun(key).id
    table.ended(id, of: "k", outdatedAt: .seconds(3))
    check(forget(&table, cameUpTo: look, landedBefore: .seconds(40)), is: [])
    check(forget(&table, landedBefore: .seconds(40)), is: ["k"])
  }

  @Test func theBytesOfTextsAreCounted() {
    var table = table()
    let id = table.begun(key).id
    #expect(table.bytes == "k".count + "k".count + "tag".count)
    _ = table.begun(SharedKey("k", marks: [SharedMark("k"), SharedMark("other")]))
    _ = table.begun(SharedKey("long", marks: []))
    #expect(table.bytes == "kkother".count + "long".count)
    table.ended(id, of: "k")
    check(forget(&table, landedBefore: .zero), is: [])
    #expect(table.bytes == "kkotherlong".count)
    table.ended(FlightID(rawValue: id.rawValue + 1), of: "k")
    check(forget(&table, landedBefore: .zero), is: ["k"])
    #expect(table.bytes == "long".count)
  }

  @Test func strangersMarksNeedBoundedMemory() {
    var marks = RecentMarks(limit: 4)
    let mark = SharedMark("mine")
    check(
      marks.saw(mark, RecentMarks.SeenInvalidation(version: version(9), messageNumber: 1)),
      is: true
    )
    check(
      marks.saw(mark, RecentMarks.SeenInvalidation(version: version(8), messageNumber: 2)),
      is: false
    )
    for number in 0..<4 {
      _ = marks.saw(
        SharedMark("\(number)"),
        RecentMarks.SeenInvalidation(version: version(10), messageNumber: 3)
      )
    }
    #expect(marks[mark]?.version == version(9))
    for number in 4..<8 {
      _ = marks.saw(
        SharedMark("\(number)"),
        RecentMarks.SeenInvalidation(version: version(10), messageNumber: 3)
      )
    }
    #expect(marks[mark] == nil)
  }
}

extension SharedTable {
  /// A fetch begins while nothing is being marked.
  fileprivate mutating func begun(_ key: SharedKey) -> Beginning {
    if let beginning = began(key) { return beginning }
    Issue.record("It waits.")
    return Beginning(id: FlightID(rawValue: 0), isSuspect: false, bounds: SharedBounds())
  }
}
