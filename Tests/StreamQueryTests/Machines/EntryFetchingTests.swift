import Testing

@testable import StreamQuery

@Suite("Fetching: T08, T31, T33, T37, T38, Q05, Q06, L02") struct EntryFetchingTests {
  // MARK: Starting and joining

  @Test func aRequestStartsAFetchWithItsCause() {
    var driver = EntryDriver()
    let actions = driver.request(.trigger)
    expectEqual(actions.started, driver.currentID)
    expect(actions.changed)
    expectEqual(driver.machine.cause, .trigger)
    expect(driver.machine.isFetching)
  }

  @Test func aSecondRequestJoinsTheFirstFetch() {
    var driver = EntryDriver()
    driver.request(.subscribed)
    expectEqual(driver.request(.manual), .none)
    expectEqual(driver.machine.cause, .subscribed)
  }

  @Test func aSupersedingRequestReplacesAFetchOverData() {
    var driver = EntryDriver.withData()
    driver.request()
    let old = driver.currentID
    let actions = driver.request(.invalidated, superseding: true)
    expectEqual(actions.cancelled, .gone(old))
    expectEqual(actions.started, driver.currentID)
    expect(driver.currentID != old)
    expectNil(actions.ended)
    expectEqual(driver.machine.cause, .invalidated)
  }

  @Test func aSupersedingRequestJoinsAFirstLoad() {
    var driver = EntryDriver()
    driver.request()
    expectEqual(driver.request(superseding: true), .none)
  }

  @Test func aRequestThatReplacesAnyFetchReplacesAFirstLoad() {
    var driver = EntryDriver.failed()
    driver.request()
    let old = driver.currentID
    let actions = driver.replaceAny()
    expectEqual(actions.cancelled, .gone(old))
    expectEqual(actions.started, driver.currentID)
    expect(driver.currentID != old && !driver.machine.isError)
    driver.cancel()
    expect(driver.machine.isError)
  }

  @Test func aRequestThatReplacesAnyFetchDoesSoHoweverOftenOneWasReplaced() {
    var driver = EntryDriver.withData()
    driver.request()
    for _ in 0..<5 { expect(driver.replaceAny().started != nil) }
    expectEqual(driver.request(superseding: true), .none)
  }

  @Test func waitersOfASupersededFetchWaitForTheNewOne() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.request(superseding: true)
    expectEqual(driver.machine.waiterCount, 1)
    expectEqual(driver.succeed().ended, .succeeded)
    expectEqual(driver.machine.waiterCount, 0)
  }

  // MARK: Endings

  @Test func aSuccessLandsAndClearsErrorAndInvalidation() {
    var driver = EntryDriver.withData()
    driver.invalidate()
    driver.request()
    driver.fail()
    driver.request()
    driver.pass(to: 3)
    let actions = driver.succeed()
    expectEqual(actions.ended, .succeeded)
    expect(actions.changed)
    expect(driver.machine.isIdle)
    expect(!driver.machine.isError)
    expect(!driver.machine.isInvalidated)
    expectEqual(driver.machine.failureCount, 0)
    expectEqual(driver.machine.dataUpdatedAt, .seconds(3))
    expectEqual(driver.machine.dataUpdateCount, 2)
    expectEqual(driver.machine.errorUpdateCount, 1)
  }

  @Test func aFailedRefetchKeepsDataAndMarksTheEntryInvalidated() {
    var driver = EntryDriver.withData()
    driver.pass(to: 4)
    driver.request()
    let actions = driver.fail()
    expectEqual(actions.ended, .failed)
    expect(driver.machine.hasData)
    expect(driver.machine.isError)
    expect(driver.machine.isInvalidated)
    expectEqual(driver.machine.errorUpdatedAt, .seconds(4))
    expectEqual(driver.machine.dataUpdatedAt, .seconds(0))
  }

  @Test("X13: freshness by age alone survives a failure if so configured")
  func failureNeedNotInvalidate() {
    var driver = EntryDriver.withData()
    driver.adopt(failureInvalidates: false)
    driver.request()
    driver.fail()
    expect(!driver.machine.isInvalidated)
    expect(!driver.machine.isStale(.after(.seconds(1)), at: .zero))
  }

  @Test func aRefetchKeepsTheErrorBesideItsDataUntilItEnds() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.fail()
    driver.request()
    expect(driver.machine.isError)
    expectEqual(driver.machine.failureCount, 0)
    driver.succeed()
    expect(!driver.machine.isError)
  }

  @Test func aLoadThatStartsAgainIsPendingAgain() {
    var driver = EntryDriver.failed()
    expect(driver.machine.isError)
    driver.request()
    expect(!driver.machine.isError)
  }

  @Test func termsGivenDuringAFetchDoNotChangeIt() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.adopt(failureInvalidates: false)
    driver.fail()
    expect(driver.machine.isInvalidated)
  }

  // MARK: Retries

  @Test func aFailedAttemptIsTriedAgainAfterTheWait() {
    var driver = EntryDriver()
    driver.wait()
    let actions = driver.fail(retryAfter: 2)
    expect(actions.changed)
    expectNil(actions.ended)
    expectEqual(driver.machine.failureCount, 1)
    expect(driver.machine.isFetching)
    expect(!driver.machine.isError)
    expectEqual(driver.deadline, 2)
    let log = driver.run(to: 2)
    expectEqual(log.map(\.actions.started), [driver.currentID])
    driver.succeed()
    expectEqual(driver.machine.failureCount, 0)
  }

  @Test func noWaitAtAllTriesAgainAtOnce() {
    var driver = EntryDriver()
    driver.request()
    driver.fail(retryAfter: 0)
    expectEqual(driver.deadline, 0)
    expectEqual(driver.machine.timeReached(in: driver.environment).started, driver.currentID)
  }

  @Test func anInfiniteWaitIsNoRetry() {
    var driver = EntryDriver()
    driver.request()
    let actions = driver.machine.attemptFailed(
      driver.currentID,
      retryAfter: .infinite,
      in: driver.environment
    ).actions
    expectEqual(actions.ended, .failed)
  }

  @Test func aSuccessOrFailureBetweenAttemptsIsNobodys() {
    var driver = EntryDriver()
    driver.request()
    driver.fail(retryAfter: 2)
    let before = driver.machine
    expectEqual(driver.succeed(), .none)
    expectEqual(driver.fail(), .none)
    expectEqual(driver.machine.attemptCancelled(driver.currentID, in: driver.environment), .late)
    expectEqual(driver.machine, before)
  }

  @Test func aNewRequestDoesNotShortenTheWait() {
    var driver = EntryDriver()
    driver.request()
    driver.fail(retryAfter: 2)
    expectEqual(driver.request(), .none)
    expectEqual(driver.deadline, 2)
  }

  // MARK: Late answers

  @Test(
    "Late answers of old fetches change nothing",
    arguments: [
      "superseded", "cancelled", "fenced", "cleared", "ended",
    ]
  )
  func lateAnswers(_ reason: String) {
    var driver = EntryDriver.withData()
    driver.request()
    let old = driver.currentID
    switch reason {
    case "superseded": driver.request(superseding: true)
    case "cancelled": driver.cancel()
    case "fenced": driver.write(fencing: true)
    case "cleared": _ = driver.machine.cleared(in: driver.environment)
    default: driver.succeed()
    }
    driver.pass(to: 9)
    let before = driver.machine
    expectEqual(driver.machine.attemptSucceeded(old, in: driver.environment), .late)
    expectEqual(driver.machine.attemptFailed(old, retryAfter: nil, in: driver.environment), .late)
    expectEqual(
      driver.machine.attemptFailed(old, retryAfter: .seconds(1), in: driver.environment),
      .late
    )
    expectEqual(driver.machine.attemptCancelled(old, in: driver.environment), .late)
    expectEqual(driver.machine, before)
  }

  // MARK: Cancellation

  @Test func cancellingNothingDoesNothing() {
    var driver = EntryDriver.withData()
    expectEqual(driver.cancel(), .none)
  }

  @Test func cancellingAFirstLoadLeavesItPendingAndIdle() {
    var driver = EntryDriver()
    driver.request()
    driver.fail(retryAfter: 1)
    let id = driver.currentID
    let actions = driver.cancel()
    expectEqual(actions.cancelled, .gone(id))
    expectEqual(actions.ended, .cancelled)
    expect(driver.machine.isIdle)
    expect(!driver.machine.isError)
    expectEqual(driver.machine.failureCount, 0)
    expectNil(driver.machine.cause)
    expect(driver.deadline == 300 || driver.deadline == 0)
  }

  @Test func cancellingAReloadBringsTheOldErrorBack() {
    var driver = EntryDriver.failed()
    driver.request(.subscribed)
    driver.cancel()
    expect(driver.machine.isError)
    expectEqual(driver.machine.failureCount, 1)
    expectEqual(driver.machine.errorUpdateCount, 1)
    expectEqual(driver.machine.cause, .manual)
  }

  @Test func cancellingTheReplacementOfAFetchLeadsBackToItsStart() {
    var driver = EntryDriver.withData()
    driver.request(.subscribed)
    driver.fail()
    driver.request(.interval)
    driver.request(.manual, superseding: true)
    driver.cancel()
    expect(driver.machine.isError)
    expectEqual(driver.machine.failureCount, 0)
    expectEqual(driver.machine.cause, .subscribed)
  }

  @Test func cancellationKeepsAWriteThatCameMeanwhile() {
    var driver = EntryDriver.failed()
    driver.request()
    driver.write()
    driver.cancel()
    expect(driver.machine.hasData)
    expect(!driver.machine.isError)
    expectEqual(driver.machine.failureCount, 0)
  }

  @Test func cancellingTheReplacementOfARetryingFetchBringsBackItsFailures() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.fail(retryAfter: 1)
    driver.request(.manual, superseding: true)
    expectEqual(driver.machine.failureCount, 0)
    driver.cancel()
    expect(!driver.machine.isError)
    expectEqual(driver.machine.failureCount, 1)
  }

  @Test func cancellingAFetchThatWasWrittenToLeadsBackToTheWrite() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.fail(retryAfter: 1)
    driver.write()
    driver.fail(retryAfter: 1)
    driver.cancel()
    expectEqual(driver.machine.failureCount, 0)
  }

  @Test func cancellationKeepsAnInvalidationThatCameMeanwhile() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.invalidate()
    driver.cancel()
    expect(driver.machine.isInvalidated)
  }

  @Test func anAttemptThatCancelledItselfIsNoError() {
    var driver = EntryDriver()
    driver.wait()
    let actions = driver.machine.attemptCancelled(driver.currentID, in: driver.environment).actions
    expectEqual(actions.ended, .cancelled)
    expectNil(actions.cancelled)
    expect(!driver.machine.isError)
    expectEqual(driver.machine.errorUpdateCount, 0)
  }

  @Test func settledFetchesAreCountedAndCancelledOnesAreNot() {
    var driver = EntryDriver()
    driver.request()
    driver.cancel()
    expectEqual(driver.machine.counts, .zero)
    driver.request()
    driver.fail()
    driver.request()
    driver.succeed()
    expectEqual(driver.machine.counts, SettledCounts(data: 1, errors: 1))
    _ = driver.machine.cleared(in: driver.environment)
    expectEqual(driver.machine.counts, .zero)
  }

  @Test func anAttemptThatCancelledItselfBringsBackWhatWasThereBeforeItsFetch() {
    var driver = EntryDriver.failed()
    driver.request(.subscribed)
    _ = driver.machine.attemptCancelled(driver.currentID, in: driver.environment)
    expect(driver.machine.isError)
    expectEqual(driver.machine.failureCount, 1)
    expectEqual(driver.machine.cause, .manual)
  }

  // MARK: Fetches that follow

  /// An observed entry whose fetch another one follows: in any case, or if the answer says that it is
  /// outdated.
  private func followed(onlyIfOutdated: Bool) -> EntryDriver {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    driver.request()
    _ = driver.machine.invalidated(isJoining: onlyIfOutdated, in: driver.environment)
    driver.request(.invalidated)
    return driver
  }

  @Test func aFetchFollowsForObserversOnlyIfTheClientDoesNotWantItItself() {
    for onlyIfOutdated in [false, true] {
      var driver = followed(onlyIfOutdated: onlyIfOutdated)
      let id = driver.currentID
      expect(driver.machine.isFollowedForObservers(id))
      var leased = driver
      leased.request(clientLease: true)
      expect(!leased.machine.isFollowedForObservers(id))
      driver.cancel()
      expect(!driver.machine.isFollowedForObservers(id))
    }
  }

  @Test func nothingFollowsForObserversThatTheAnswerTurnsOff() {
    for onlyIfOutdated in [false, true] {
      let undisturbed = followed(onlyIfOutdated: onlyIfOutdated)
      var turnedOff = undisturbed
      turnedOff.machine.observersTurnOff(turnedOff.currentID)
      let follows = [undisturbed, turnedOff].map { driver in
        var driver = driver
        let age = AnswerAge(updatedAt: .seconds(0), isOutdated: true)
        let outcome = driver.machine.attemptSucceeded(
          driver.currentID,
          age,
          in: driver.environment
        )
        return outcome.actions.started != nil
      }
      expectEqual(follows, [true, false])
    }
  }
}
