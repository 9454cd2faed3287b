import Testing

@testable import StreamQuery

/// What becomes of an invalidation while a fetch is in flight: contract X03.
@Suite("Invalidating while fetching: X03") struct EntryInvalidationTests {
  /// Marks and asks, as the client does for an entry that somebody observes.
  @discardableResult
  private func invalidate(_ driver: inout EntryDriver) -> EntryEffects {
    driver.invalidate()
    return driver.request(.invalidated, superseding: true)
  }

  @Test func aMarkOutlivesTheAnswerOfAFirstLoadThatIsFetchedOnceMore() {
    var driver = EntryDriver()
    driver.plan()
    driver.observe()
    let first = driver.currentID
    #expect(invalidate(&driver) == .none)
    #expect(driver.currentID == first)
    let effects = driver.succeed()
    #expect(effects.ended == .succeeded)
    #expect(effects.started == driver.currentID)
    #expect(driver.currentID != first)
    #expect(driver.machine.isInvalidated)
    #expect(driver.machine.cause == .invalidated)
    #expect(driver.succeed().started == nil)
    #expect(!driver.machine.isInvalidated)
    #expect(driver.machine.dataUpdateCount == 2)
  }

  @Test(arguments: ["left", "disabled", "never asked"])
  func withoutAnActiveObserverTheAnswerStaysMarked(_ how: String) {
    var driver = EntryDriver()
    driver.plan(abandonment: .finish)
    driver.observe()
    if how == "never asked" { driver.invalidate() } else { invalidate(&driver) }
    switch how {
    case "left": driver.leave()
    case "disabled":
      _ = driver.machine.reobserved(from: .make(), since: .zero, to: .disabled, in: driver.world)
    default: break
    }
    let effects = driver.succeed()
    #expect(effects.ended == .succeeded)
    #expect(effects.started == nil)
    #expect(driver.machine.isIdle)
    #expect(driver.machine.isInvalidated)
  }

  @Test func theClientsOwnFetchIsFollowedToo() {
    var driver = EntryDriver()
    driver.plan()
    driver.wait()
    driver.invalidate()
    driver.request(.invalidated, superseding: true, clientLease: true)
    #expect(driver.succeed().started != nil)
    #expect(driver.machine.current?.hasClientLease == true)
  }

  @Test func whatWasKeptIsAsOldAsTheAnswerAndFollowedToo() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    for _ in 0..<5 { invalidate(&driver) }
    driver.pass(to: 3)
    let effects = driver.machine.attemptKept(driver.currentID, in: driver.world)
    #expect(effects.ended == .kept)
    #expect(effects.started == driver.currentID)
    #expect(driver.machine.isInvalidated)
    #expect(driver.machine.dataUpdatedAt == .seconds(3))
    let last = driver.machine.attemptKept(driver.currentID, in: driver.world)
    #expect(last.started == nil)
    #expect(!driver.machine.isInvalidated)
    #expect(driver.machine.attemptKept(driver.currentID, in: driver.world) == .none)
  }

  @Test func whoJoinsOnPurposeTakesTheAnswerForNewEnough() {
    for hasData in [true, false] {
      var driver = hasData ? EntryDriver.withData() : EntryDriver()
      driver.plan()
      driver.observe()
      let first = driver.currentID
      _ = driver.machine.invalidated(isJoining: true, in: driver.world)
      driver.request(.invalidated, superseding: false)
      #expect(driver.currentID == first)
      #expect(driver.succeed().started == nil)
      #expect(!driver.machine.isInvalidated)
    }
  }

  @Test func anAttemptThatBeganAfterTheMarkClearsIt() {
    var driver = EntryDriver()
    driver.plan()
    driver.observe()
    invalidate(&driver)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    #expect(driver.succeed().started == nil)
    #expect(!driver.machine.isInvalidated)

    var resting = EntryDriver()
    resting.plan()
    resting.online(false)
    resting.observe()
    invalidate(&resting)
    resting.online(true)
    #expect(resting.succeed().started == nil)
    #expect(!resting.machine.isInvalidated)
  }

  @Test func aRetryThatGoesOnWhereItFailedDoesNot() {
    var driver = EntryDriver()
    var terms = FetchTerms()
    terms.keepsProgress = true
    driver.machine.planned(terms: terms, gcTime: .infinite)
    driver.observe()
    driver.fail(retryAfter: 1)
    invalidate(&driver)
    driver.run(to: 1)
    #expect(driver.succeed().started != nil)
    #expect(driver.machine.isInvalidated)
  }

  @Test func aFailureIsNotFollowed() {
    var driver = EntryDriver()
    driver.plan()
    driver.observe()
    invalidate(&driver)
    let effects = driver.fail()
    #expect(effects.ended == .failed)
    #expect(effects.started == nil)
    #expect(driver.machine.isIdle)
    #expect(driver.machine.isInvalidated)
  }

  @Test func aWriteClearsTheMarkForGoodAndTheFetchThatWasAskedForFollows() {
    var driver = EntryDriver()
    driver.plan()
    driver.observe()
    invalidate(&driver)
    driver.write()
    #expect(!driver.machine.isInvalidated)
    #expect(driver.succeed().started != nil)
    #expect(!driver.machine.isInvalidated)
  }

  @Test func afterThreeSupersessionsTheNextOneJoinsAndIsFetchedAfterIt() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    var started: [FetchID] = []
    for _ in 0..<10 {
      let effects = invalidate(&driver)
      if let id = effects.started { started.append(id) }
    }
    #expect(started.count == 4)
    let effects = driver.succeed()
    #expect(effects.ended == .succeeded)
    #expect(driver.machine.isInvalidated)
    #expect(effects.started == driver.currentID)
    // Something landed: the count begins anew.
    #expect(invalidate(&driver).cancelled == effects.started)
  }

  @Test func aPageCommandIsNeverJoinedAndAPageInFlightIsReplacedOnlySoOften() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    for _ in 0..<5 {
      let effects = driver.machine.requested(
        .manual,
        superseding: true,
        direction: .next,
        in: driver.world
      )
      #expect(effects.started != nil)
    }
    #expect(invalidate(&driver).cancelled == nil)
    let effects = driver.succeed()
    #expect(effects.started != nil)
    #expect(driver.machine.current?.direction == nil)
    #expect(driver.machine.isInvalidated)
  }

  @Test func aPartThatIsShownLeavesTheMarkAndEndsTheCount() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    for _ in 0..<4 { invalidate(&driver) }
    invalidate(&driver)
    _ = driver.machine.attemptProgressed(driver.currentID, in: driver.world)
    #expect(driver.machine.isInvalidated)
    #expect(invalidate(&driver).cancelled != nil)
  }

  /// Whatever the storm, at most four fetches begin for each answer.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func noStormKeepsAnswersAway(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var driver = random.next(below: 2) == 0 ? EntryDriver.withData() : EntryDriver()
    driver.plan()
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
      let effects =
        random.next(below: 3) == 0
        ? driver.request(.manual, superseding: true) : invalidate(&driver)
      if effects.started != nil {
        startsSinceAnswer += 1
        finishesAt = Double(step) / 10 + 0.3
      }
      #expect(startsSinceAnswer <= 4)
    }
    #expect(answers >= 40)
  }
}
