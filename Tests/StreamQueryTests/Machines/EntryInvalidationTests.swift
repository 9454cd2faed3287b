import Testing

@testable import StreamQuery

/// What becomes of an invalidation while a fetch is in flight: contract X03.
@Suite("Invalidating while fetching: X03") struct EntryInvalidationTests {
  /// Marks and asks, as the client does for an entry that somebody observes.
  @discardableResult
  private func invalidate(_ driver: inout EntryDriver) -> EntryActions {
    driver.invalidate()
    return driver.request(.invalidated, superseding: true)
  }

  @Test func aMarkOutlivesTheAnswerOfAFirstLoadThatIsFetchedOnceMore() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    let first = driver.currentID
    expectEqual(invalidate(&driver), .none)
    expectEqual(driver.currentID, first)
    let actions = driver.succeed()
    expectEqual(actions.ended, .succeeded)
    expectEqual(actions.started, driver.currentID)
    expect(driver.currentID != first)
    expect(driver.machine.isInvalidated)
    expectEqual(driver.machine.cause, .invalidated)
    expectNil(driver.succeed().started)
    expect(!driver.machine.isInvalidated)
    expectEqual(driver.machine.dataUpdateCount, 2)
  }

  @Test(arguments: ["left", "disabled", "never asked"])
  func withoutAnActiveObserverTheAnswerStaysMarked(_ how: String) {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    if how == "never asked" { driver.invalidate() } else { invalidate(&driver) }
    switch how {
    case "left": driver.leave()
    case "disabled":
      _ = driver.machine.reobserved(
        from: .make(),
        since: .zero,
        to: .disabled,
        in: driver.environment
      )
    default: break
    }
    let actions = driver.succeed()
    expectEqual(actions.ended, .succeeded)
    expectNil(actions.started)
    expect(driver.machine.isIdle)
    expect(driver.machine.isInvalidated)
  }

  @Test func theClientsOwnFetchIsFollowedToo() {
    var driver = EntryDriver()
    driver.adopt()
    driver.wait()
    driver.invalidate()
    driver.request(.invalidated, superseding: true, clientLease: true)
    expect(driver.succeed().started != nil)
    expectEqual(driver.machine.fetch?.hasClientLease, true)
  }

  @Test func whatWasKeptIsAsOldAsTheAnswerAndFollowedToo() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    for _ in 0..<5 { invalidate(&driver) }
    driver.pass(to: 3)
    let actions = driver.machine.attemptKept(driver.currentID, in: driver.environment).actions
    expectEqual(actions.ended, .kept)
    expectEqual(actions.started, driver.currentID)
    expect(driver.machine.isInvalidated)
    expectEqual(driver.machine.dataUpdatedAt, .seconds(3))
    let last = driver.machine.attemptKept(driver.currentID, in: driver.environment).actions
    expectNil(last.started)
    expect(!driver.machine.isInvalidated)
    expectEqual(driver.machine.attemptKept(driver.currentID, in: driver.environment), .late)
  }

  @Test func whoJoinsOnPurposeTakesTheAnswerForNewEnough() {
    for hasData in [true, false] {
      var driver = hasData ? EntryDriver.withData() : EntryDriver()
      driver.adopt()
      driver.observe()
      let first = driver.currentID
      _ = driver.machine.invalidated(isJoining: true, in: driver.environment)
      driver.request(.invalidated, superseding: false)
      expectEqual(driver.currentID, first)
      expectNil(driver.succeed().started)
      expect(!driver.machine.isInvalidated)
    }
  }

  @Test func anAttemptThatBeganAfterTheMarkClearsIt() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    invalidate(&driver)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    expectNil(driver.succeed().started)
    expect(!driver.machine.isInvalidated)

    var resting = EntryDriver()
    resting.adopt()
    resting.online(false)
    resting.observe()
    invalidate(&resting)
    resting.online(true)
    expectNil(resting.succeed().started)
    expect(!resting.machine.isInvalidated)
  }

  @Test("a retry that goes on where it failed does not, but one that kept nothing does")
  func aRetryThatGoesOn() {
    for (keepsPart, isEarly) in [(true, true), (true, false), (false, true), (false, false)] {
      var driver = EntryDriver()
      driver.adopt()
      driver.observe()
      if isEarly { invalidate(&driver) }
      driver.fail(retryAfter: 1, keepsPart: keepsPart)
      if !isEarly { invalidate(&driver) }
      driver.run(to: 1)
      expectEqual(driver.succeed().started != nil, keepsPart)
      expectEqual(driver.machine.isInvalidated, keepsPart)
    }
  }

  @Test("an answer over data that nobody observes, or that is not refetched, stays marked")
  func anAnswerOverDataStaysMarked() {
    for isObserved in [true, false] {
      var driver = EntryDriver.withData()
      if isObserved { driver.observe(.fresh) }
      driver.wait()
      driver.pass(to: 1)
      driver.invalidate()
      driver.pass(to: 2)
      expectNil(driver.succeed().started)
      expect(driver.machine.isInvalidated)
      expectEqual(driver.machine.dataUpdatedAt, .seconds(2))
      // The next one began later.
      driver.wait()
      driver.succeed()
      expect(!driver.machine.isInvalidated)
    }
  }

  @Test("an attempt that waited for its turn meanwhile clears the mark, and nothing follows it")
  func anAttemptThatWaitedForItsTurn() {
    for hasData in [true, false] {
      var driver = hasData ? EntryDriver.withData() : EntryDriver()
      driver.adopt()
      driver.wait()
      driver.invalidate()
      driver.request(.invalidated, clientLease: true)
      driver.turn()
      expectNil(driver.succeed().started)
      expect(!driver.machine.isInvalidated)
    }
  }

  @Test func anAnswerThatSaysThatItIsFromBeforeStaysMarked() {
    for (age, isMarked) in [(1.0, false), (3.0, true)] {
      var driver = EntryDriver.withData()
      driver.pass(to: 8)
      driver.invalidate()
      driver.wait()
      driver.pass(to: 10)
      let said = AnswerAge(updatedAt: .seconds(10 - age))
      _ = driver.machine.attemptSucceeded(driver.currentID, said, in: driver.environment)
      expectEqual(driver.machine.isInvalidated, isMarked)
    }
  }

  @Test("an answer with an age marks data that was never invalidated only if it says so")
  func anAnswerThatSaysThatItIsOutdated() {
    for isOutdated in [nil, false, true] {
      var driver = EntryDriver.withData()
      driver.pass(to: 8)
      driver.wait()
      driver.pass(to: 10)
      let said = AnswerAge(updatedAt: .seconds(7), isOutdated: isOutdated)
      _ = driver.machine.attemptSucceeded(driver.currentID, said, in: driver.environment)
      expectEqual(driver.machine.dataUpdatedAt, .seconds(7))
      let isMarked = isOutdated == true
      expectEqual(driver.machine.isInvalidated, isMarked)
      // Since when it is so is not known: data of any date is older.
      expectEqual(driver.machine.invalidatedAt, isMarked ? Instant.distantPast : nil)
      expectEqual(driver.machine.isOutdated(from: .seconds(10)), isMarked)
    }
  }

  @Test("what a store or an archive says of older data does not take a mark back")
  func anOlderMark() {
    var driver = EntryDriver.withData()
    driver.pass(to: 8)
    driver.invalidate()
    _ = driver.machine.invalidated(isJoining: true, at: .seconds(5), in: driver.environment)
    driver.wait()
    driver.pass(to: 9)
    let said = AnswerAge(updatedAt: .seconds(7))
    _ = driver.machine.attemptSucceeded(driver.currentID, said, in: driver.environment)
    expect(driver.machine.isInvalidated)
  }

  @Test("whoever asks after the mark gets one more fetch; whoever takes anything does not")
  func whoeverAsksAfterTheMark() {
    for acceptsOlder in [false, true] {
      var driver = EntryDriver.withData()
      driver.wait()
      driver.invalidate()
      _ = driver.machine.requested(
        .manual,
        joining: acceptsOlder ? .any : .upToDate,
        in: driver.environment
      )
      let id = driver.currentID
      let actions = driver.machine.attemptSucceeded(
        id,
        isAwaited: true,
        in: driver.environment
      ).actions
      expectEqual(actions.started == nil, acceptsOlder)
      expect(driver.machine.isInvalidated)
    }
  }

  @Test func aFailureIsNotFollowed() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    invalidate(&driver)
    let actions = driver.fail()
    expectEqual(actions.ended, .failed)
    expectNil(actions.started)
    expect(driver.machine.isIdle)
    expect(driver.machine.isInvalidated)
  }

  @Test("a write clears the mark, and the older answer that lands over it is marked again")
  func aWriteClearsTheMark() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    invalidate(&driver)
    driver.write()
    expect(!driver.machine.isInvalidated)
    expect(driver.succeed().started != nil)
    expect(driver.machine.isInvalidated)
    driver.succeed()
    expect(!driver.machine.isInvalidated)
  }

  @Test func whatWasKeptUnderAWriteLeavesTheWriteAsItIs() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.invalidate()
    driver.write()
    _ = driver.machine.attemptKept(driver.currentID, in: driver.environment)
    expect(!driver.machine.isInvalidated)
  }

  @Test func afterThreeSupersessionsTheNextOneJoinsAndIsFetchedAfterIt() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    var started: [FetchID] = []
    for _ in 0..<10 {
      let actions = invalidate(&driver)
      if let id = actions.started { started.append(id) }
    }
    expectEqual(started.count, 4)
    let actions = driver.succeed()
    expectEqual(actions.ended, .succeeded)
    expect(driver.machine.isInvalidated)
    expectEqual(actions.started, driver.currentID)
    // Something landed: the count starts again.
    expectEqual(invalidate(&driver).cancelled, actions.started.map { .gone($0) })
  }

  @Test func aPageCommandJoinsOnlyTheSamePageAndAPageInFlightIsReplacedOnlySoOften() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    func page(_ part: FetchPart) -> EntryActions {
      driver.machine.requested(.manual, joining: .irreplaceable, part: part, in: driver.environment)
    }
    let starts = (0..<6).map { _ in page(.nextPage).started != nil }
    expectEqual(starts, [true, true, true, true, false, false])
    expectNil(page(.previousPage).started, "it follows")
    var undisturbed = driver
    expect(undisturbed.succeed().started != nil)
    expectEqual(undisturbed.machine.fetch?.part, .previousPage)
    expectNil(invalidate(&driver).cancelled)
    let actions = driver.succeed()
    expect(actions.started != nil)
    expectEqual(driver.machine.fetch?.part, .whole)
    expect(driver.machine.isInvalidated)
  }

  @Test func aPartThatIsShownLeavesTheMarkAndEndsTheCount() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    for _ in 0..<4 { invalidate(&driver) }
    invalidate(&driver)
    _ = driver.machine.attemptProgressed(driver.currentID, in: driver.environment)
    expect(driver.machine.isInvalidated)
    expect(invalidate(&driver).cancelled != nil)
  }

  /// Whatever the storm, at most four fetches begin for each answer.
  @Test(arguments: Seeds.few(2))
  func noStormKeepsAnswersAway(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var driver = random.next(below: 2) == 0 ? EntryDriver.withData() : EntryDriver()
    driver.adopt()
    var startsSinceAnswer = driver.observe(.fresh).started == nil ? 0 : 1
    var finishesAt = startsSinceAnswer > 0 ? 0.3 : nil
    var answers = 0
    for step in 0..<400 {
      driver.pass(to: Double(step) / 10)
      if let time = finishesAt, time <= Double(step) / 10 {
        finishesAt = nil
        answers += 1
        startsSinceAnswer = 0
        if driver.succeed().started != nil {
          startsSinceAnswer += 1
          finishesAt = Double(step) / 10 + 0.3
        }
      }
      guard random.next(below: 4) > 0 else { continue }
      let actions =
        random.next(below: 3) == 0
        ? driver.request(.manual, superseding: true) : invalidate(&driver)
      if actions.started != nil {
        startsSinceAnswer += 1
        finishesAt = Double(step) / 10 + 0.3
      }
      #expect(startsSinceAnswer <= 4)
    }
    #expect(answers >= 40)
  }
}
