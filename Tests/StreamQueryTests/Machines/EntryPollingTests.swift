import Testing

@testable import StreamQuery

@Suite("Polling: T12, T13, X09") struct EntryPollingTests {
  static func polling(
    every seconds: Double,
    background: TimeSpan = .infinite
  ) -> ResolvedObserverOptions {
    .make(staleAfter: .infinite, interval: .seconds(seconds), inBackground: background)
  }

  /// An entry with data of time 0 and an observer that polls since then.
  static func polled(every seconds: Double, background: TimeSpan = .infinite) -> EntryDriver {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe(polling(every: seconds, background: background))
    driver.succeed()
    return driver
  }

  @Test func pollsAtTheIntervalWhetherStaleOrNot() {
    var driver = Self.polled(every: 10)
    expectEqual(driver.starts(to: 45), [10, 20, 30, 40])
    expectEqual(driver.machine.cause, .interval)
  }

  @Test func countsTheIntervalFromTheEndOfALongFetch() {
    var driver = Self.polled(every: 10)
    // Starts at 10, lasts until 35: the beats at 20 and 30 join it, the next counts from its end.
    expectEqual(driver.starts(to: 50, taking: 25), [10, 45])
  }

  @Test func aSuccessForAnyReasonEndsTheFailuresOfPolls() {
    var driver = Self.polled(every: 10)
    driver.run(to: 10)
    driver.fail()
    expectEqual(driver.machine.pollFailureCount, 1)
    driver.request(.manual)
    driver.succeed()
    expectEqual(driver.machine.pollFailureCount, 0)
    driver.request(.interval)
    driver.fail()
    expectEqual(driver.machine.pollFailureCount, 1)
    driver.write()
    expectEqual(driver.machine.pollFailureCount, 0)
  }

  @Test func joinsARunningFetchWhenTheBeatComes() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe(Self.polling(every: 10))
    let first = driver.currentID
    for (_, actions) in driver.run(to: 35) { expectEqual(actions, .none) }
    expectEqual(driver.currentID, first)
  }

  @Test func observersOfOneIntervalThatCameLaterDoNotDelayTheFirst() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 3)
    driver.observe(Self.polling(every: 10))
    expectEqual(driver.starts(to: 35), [10, 20, 30])
  }

  @Test func theShorterOfTwoIntervalsSetsTheRhythm() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 2)
    driver.observe(Self.polling(every: 25))
    expectEqual(driver.starts(to: 45), [10, 20, 30, 40])
  }

  @Test func theLongerIntervalGoesOnWhenTheShorterOneLeft() {
    var driver = Self.polled(every: 10)
    driver.observe(Self.polling(every: 25))
    driver.pass(to: 4)
    driver.leave(Self.polling(every: 10))
    expectEqual(driver.starts(to: 55), [25, 50])
  }

  @Test func pollsFromTheSubscriptionWhenTheLastFetchIsOlder() {
    var driver = EntryDriver.withData()
    driver.pass(to: 7)
    driver.observe(Self.polling(every: 10))
    expectEqual(driver.starts(to: 30), [17, 27])
  }

  @Test func theSecondOfTwoTakesOverWhenTheFirstLeavesBeforeItsBeat() {
    var driver = EntryDriver.withData()
    driver.pass(to: 1)
    driver.observe(Self.polling(every: 10))
    driver.pass(to: 4)
    driver.observe(Self.polling(every: 10))
    expectEqual(driver.deadline, 11)
    driver.leave(Self.polling(every: 10), since: 1)
    expectEqual(driver.deadline, 14)
  }

  @Test func anObserverThatKeepsItsRhythmThroughAnotherOptionIsNotDelayedByThoseItJoins() {
    var driver = EntryDriver.withData()
    let calm = Self.polling(every: 10)
    var never = calm
    never.onActive = .never
    driver.pass(to: 1)
    driver.observe(calm)
    driver.pass(to: 4)
    driver.observe(never)
    driver.pass(to: 5)
    let (_, base) = driver.machine.reobserved(
      from: calm,
      since: .seconds(1),
      to: never,
      in: driver.environment
    )
    expectEqual(base, .seconds(1))
    expectEqual(driver.deadline, 11)
  }

  @Test func aChangedIntervalCountsFromTheChange() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 4)
    let (_, base) = driver.machine.reobserved(
      from: Self.polling(every: 10),
      since: .zero,
      to: Self.polling(every: 5),
      in: driver.environment
    )
    expectEqual(base, .seconds(4))
    expectEqual(driver.starts(to: 20), [9, 14, 19])
  }

  @Test("whether it polls in the background does not begin the rhythm anew")
  func theBackgroundFlagKeepsTheRhythm() {
    for isActive in [true, false] {
      var driver = Self.polled(every: 10)
      driver.active(isActive)
      driver.pass(to: 6)
      let (_, base) = driver.machine.reobserved(
        from: Self.polling(every: 10),
        since: .zero,
        to: Self.polling(every: 10, background: .seconds(10)),
        in: driver.environment
      )
      expectEqual(base, .zero)
      expectEqual(driver.starts(to: 35), [10, 20, 30])
    }
  }

  @Test func beatsThatWereMissedInTheBackgroundAreNotMadeUpForWhenItMayPollThere() {
    var driver = Self.polled(every: 10)
    driver.active(false)
    driver.pass(to: 24)
    let (_, base) = driver.machine.reobserved(
      from: Self.polling(every: 10),
      since: .zero,
      to: Self.polling(every: 10, background: .seconds(10)),
      in: driver.environment
    )
    expectEqual(base, .seconds(20))
    expectEqual(driver.starts(to: 45), [30, 40])
  }

  @Test func aSlowerRhythmOfTheBackgroundDoesNotTouchThatOfTheForeground() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 6)
    _ = driver.machine.reobserved(
      from: Self.polling(every: 10),
      since: .zero,
      to: Self.polling(every: 10, background: .seconds(25)),
      in: driver.environment
    )
    expectEqual(driver.starts(to: 25), [10, 20])
  }

  @Test func aWriteDoesNotChangeTheRhythm() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 6)
    driver.write()
    expectEqual(driver.starts(to: 25), [10, 20])
  }

  @Test func aFetchOfAnotherCauseStartsTheRhythmAnew() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 6)
    driver.request()
    driver.succeed()
    expectEqual(driver.starts(to: 30), [16, 26])
  }

  @Test func aFailedFetchIsPolledAgainAfterTheInterval() {
    var driver = Self.polled(every: 10)
    driver.run(to: 10)
    driver.pass(to: 11)
    driver.fail()
    expectEqual(driver.deadline, 21)
  }

  @Test func theStartOfAFetchItsFailuresItsPauseAndItsResumptionEachBeginTheRhythmAnew() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 6)
    driver.request()
    expectEqual(driver.deadline, 16)
    driver.pass(to: 8)
    driver.fail(retryAfter: 9)
    // The retry is at 17, and the next beat after it.
    expectEqual(driver.deadline, 17)
    driver.online(false)
    expectEqual(driver.run(to: 17).map(\.actions.paused), [true])
    expectEqual(driver.deadline, 27)
    driver.pass(to: 20)
    expectEqual(driver.online(true).started, driver.currentID)
    expectEqual(driver.deadline, 30)
  }

  @Test func clearingAnEntryBeginsTheRhythmAnewAndForgetsTheFailuresOfPolls() {
    var driver = Self.polled(every: 10)
    driver.run(to: 10)
    driver.fail()
    driver.pass(to: 16)
    _ = driver.machine.cleared(in: driver.environment)
    expectEqual(driver.machine.pollFailureCount, 0)
    expectEqual(driver.deadline, 26)
  }

  @Test func restsInTheBackgroundByDefault() {
    var driver = Self.polled(every: 10)
    driver.active(false)
    expectNil(driver.deadline)
    driver.pass(to: 100)
    driver.active(true)
    expectEqual(driver.deadline, 110)
  }

  @Test func doesNotMakeUpForBeatsMissedInTheBackground() {
    var driver = Self.polled(every: 10)
    driver.active(false)
    driver.pass(to: 25)
    let actions = driver.active(true)
    expectNil(actions.started)
    expectEqual(driver.starts(to: 45), [30, 40])
  }

  @Test func pollsInTheBackgroundAtTheIntervalForIt() {
    var driver = Self.polled(every: 10, background: .seconds(60))
    driver.active(false)
    expectEqual(driver.starts(to: 130), [60, 120])
    driver.pass(to: 125)
    driver.active(true)
    expectEqual(driver.starts(to: 145), [130, 140])
  }

  @Test func pollsOnlyInTheBackgroundIfToldSo() {
    var driver = EntryDriver.withData()
    driver.observe(
      .make(staleAfter: .infinite, interval: .infinite, inBackground: .seconds(5))
    )
    expectNil(driver.deadline)
    driver.active(false)
    expectEqual(driver.deadline, 5)
  }

  @Test func aFailedPollInTheBackgroundIsTriedAgainThereAndPollingGoesOn() {
    var driver = Self.polled(every: 10, background: .seconds(60))
    driver.active(false)
    driver.run(to: 60)
    driver.fail(retryAfter: 5)
    expectEqual(driver.deadline, 65)
    driver.run(to: 65)
    expect(driver.machine.isFetching)
    expect(!driver.machine.isPaused)
    driver.pass(to: 66)
    driver.fail()
    // The next one is as far from the end of this fetch as ever.
    expectEqual(driver.starts(to: 260), [126, 186, 246])
  }

  @Test func aRetryThatWaitsForTheAppGoesOnForAnObserverThatPollsInTheBackground() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    driver.request()
    driver.active(false)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    expect(driver.machine.isPaused)
    driver.observe(Self.polling(every: 10, background: .seconds(60)))
    driver.run(to: 61)
    expect(driver.machine.isFetching)
  }

  @Test func aPausedRetryGoesOnAtOnceForAnObserverThatPollsInTheBackground() {
    for isNew in [true, false] {
      var driver = EntryDriver.withData()
      driver.observe(.fresh)
      driver.request()
      driver.active(false)
      driver.fail(retryAfter: 1)
      driver.run(to: 1)
      expect(driver.machine.isPaused)
      let polling = Self.polling(every: 10, background: .seconds(60))
      if isNew {
        expectEqual(driver.observe(polling).started, driver.currentID)
      } else {
        let (actions, _) = driver.machine.reobserved(
          from: .fresh,
          since: .zero,
          to: polling,
          in: driver.environment
        )
        expectEqual(actions.started, driver.currentID)
      }
      expectEqual(driver.machine.stage, .running)
    }
  }

  @Test func aRetryInTheBackgroundWaitsForTheNetworkAllTheSame() {
    var driver = Self.polled(every: 10, background: .seconds(60))
    driver.active(false)
    driver.run(to: 60)
    driver.fail(retryAfter: 5)
    driver.online(false)
    driver.run(to: 65)
    expect(driver.machine.isPaused)
    driver.pass(to: 70)
    expectEqual(driver.online(true).started, driver.currentID)
  }

  @Test func makesUpForNoBeatsAfterALateTimer() {
    var driver = Self.polled(every: 10)
    driver.pass(to: 47)
    expect(driver.machine.timeReached(in: driver.environment).started != nil)
    driver.succeed()
    expectEqual(driver.deadline, 57)
  }

  @Test(
    "A beat is not lost to another input that comes at its time before the timer",
    arguments: [
      "observed", "written", "invalidated", "reobserved", "unobserved", "seeded", "offline",
    ]
  )
  func beatSurvives(_ input: String) {
    var driver = Self.polled(every: 10)
    driver.observe(.fresh)
    driver.pass(to: 10.5)
    switch input {
    case "observed": driver.observe(.fresh)
    case "written": driver.write()
    case "invalidated": driver.invalidate()
    case "unobserved": driver.leave(.fresh)
    case "seeded":
      _ = driver.machine.initialDataPlaced(
        updatedAt: driver.environment.now,
        in: driver.environment
      )
    case "offline": driver.online(false)
    default:
      _ = driver.machine.reobserved(from: .fresh, since: .zero, to: .make(), in: driver.environment)
    }
    expectEqual(driver.deadline, 10)
    let actions = driver.machine.timeReached(in: driver.environment)
    expect(actions.started != nil || actions.paused)
    expectEqual(driver.machine.cause, .interval)
  }

  @Test func disabledObserversDoNotPoll() {
    var driver = EntryDriver.withData()
    var resolvedOptions = Self.polling(every: 10)
    resolvedOptions.isEnabled = false
    driver.observe(resolvedOptions)
    expectNil(driver.deadline)
  }

  @Test func pollingAnEntryThatIsOfflineRestsUntilTheNetworkIsBack() {
    var driver = Self.polled(every: 10)
    driver.online(false)
    let log = driver.run(to: 10)
    expectEqual(log.map(\.actions.paused), [true])
    expect(driver.machine.isPaused)
    // Later beats find it resting, which is no news.
    for (_, actions) in driver.run(to: 35) { expectEqual(actions, .none) }
    expectEqual(driver.online(true).started, driver.currentID)
  }

  @Test(
    "No interval traps, however absurd",
    arguments: [
      TimeSpan.zero, TimeSpan(.nanoseconds(1)), .longest, .infinite,
    ]
  )
  func absurdInterval(_ interval: TimeSpan) {
    var driver = EntryDriver.withData()
    driver.observe(.make(staleAfter: .infinite, interval: interval, inBackground: interval))
    driver.environment.now = Timestamp(
      instant: Instant(nanoseconds: TimeSpan.longest.nanoseconds),
      date: .infinity
    )
    driver.online(false)
    _ = driver.machine.deadline(in: driver.environment)
    _ = driver.machine.timeReached(in: driver.environment)
    if let deadline = driver.machine.deadline(in: driver.environment) {
      #expect(deadline > driver.environment.now.instant)
    }
  }
}
