import Testing

@testable import StreamQuery

@Suite("Leases: law 6, T32, L04") struct EntryLeaseTests {
  @Test func oneOfTwoWaitersLeavesAndTheFetchGoesOn() {
    var driver = EntryDriver()
    driver.wait()
    driver.wait()
    expectEqual(driver.stopWaiting(), .none)
    expect(driver.machine.isFetching)
  }

  @Test func theLastWaiterTakesTheFetchWithIt() {
    var driver = EntryDriver()
    driver.wait()
    let id = driver.currentID
    let actions = driver.stopWaiting()
    expectEqual(actions.cancelled, .gone(id))
    expectEqual(actions.ended, .cancelled)
  }

  @Test func aFetchWhoseClosureBecameKnownIsAbandonedAsThatQuerySays() {
    var unknown = EntryDriver()
    unknown.adopt(abandonment: .finish)
    unknown.wait()
    unknown.adopt(abandonment: .cancel)
    var known = unknown
    known.machine.fetchBecameKnown()
    expectNil(unknown.stopWaiting().cancelled)
    expectEqual(known.stopWaiting().ended, .cancelled)
  }

  @Test func anObserverKeepsTheFetchOfALeavingWaiterAndTheOtherWayRound() {
    var driver = EntryDriver()
    driver.observe()
    driver.wait()
    expectEqual(driver.stopWaiting(), .none)
    driver.wait()
    expectEqual(driver.leave(), .none)
    expectEqual(driver.stopWaiting().ended, .cancelled)
  }

  @Test func aDisabledObserverIsALeaseToo() {
    var driver = EntryDriver()
    driver.observe(.disabled)
    driver.wait()
    expectEqual(driver.stopWaiting(), .none)
    expect(driver.machine.isFetching)
  }

  @Test func theClientsOwnLeaseKeepsAFetchThatNobodyWaitsFor() {
    var driver = EntryDriver()
    driver.request(clientLease: true)
    driver.observe()
    expectEqual(driver.leave(), .none)
    expect(driver.machine.isFetching)
  }

  @Test func theClientsLeasePassesToTheReplacement() {
    var driver = EntryDriver.withData()
    driver.request(clientLease: true)
    driver.request(superseding: true)
    driver.machine.waiterJoined()
    expectEqual(driver.stopWaiting(), .none)
    expect(driver.machine.isFetching)
  }

  @Test func joiningByTheClientGivesTheFetchItsLease() {
    var driver = EntryDriver()
    driver.wait()
    driver.request(clientLease: true)
    expectEqual(driver.stopWaiting(), .none)
    expect(driver.machine.isFetching)
  }

  @Test func aLeaseEndsWithItsFetch() {
    var driver = EntryDriver()
    driver.wait()
    driver.succeed()
    expectEqual(driver.machine.waiterCount, 0)
    let before = driver.machine
    expectEqual(driver.stopWaiting(), .none)
    expectEqual(driver.machine, before)
  }

  // MARK: Finish

  @Test func finishLetsTheRunningAttemptLand() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    expectEqual(driver.leave(), .none)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  @Test func finishStartsNoFurtherAttempt() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.leave()
    let actions = driver.fail(retryAfter: 1)
    expectEqual(actions.ended, .failed)
    expect(driver.machine.isError)
  }

  @Test func finishEndsAWaitForTheNextAttemptAsAFailure() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.fail(retryAfter: 1)
    driver.leave()
    let log = driver.run(to: 1)
    expectEqual(log.map(\.actions.ended), [.failed])
    expectEqual(log.map(\.actions.started), [nil])
    // As if the attempt that was given up had been made.
    expectEqual(driver.machine.failureCount, 2)
  }

  @Test func finishGivesUpAPausedFirstLoad() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.online(false)
    driver.observe()
    expectEqual(driver.leave().ended, .cancelled)
  }

  @Test func finishGivesUpAFirstLoadWhoseRetryIsDueOffline() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.fail(retryAfter: 1)
    driver.leave()
    driver.online(false)
    expectEqual(driver.run(to: 1).map(\.actions.ended), [.cancelled])
    expect(driver.machine.isIdle)
  }

  @Test func finishGivesUpAFirstLoadWhoseTurnComesOffline() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.leave()
    driver.online(false)
    expectEqual(driver.turn().ended, .cancelled)
    expect(driver.machine.isIdle)
  }

  @Test func finishGivesUpADeferredFirstLoadThatIsReleasedOffline() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.machine.deferred(driver.currentID, until: nil)
    driver.leave()
    driver.online(false)
    expectEqual(driver.machine.released(in: driver.environment).ended, .cancelled)
    expect(driver.machine.isIdle)
  }

  @Test func finishLetsAPausedRefetchLandLater() {
    var driver = EntryDriver.withData()
    driver.adopt(abandonment: .finish)
    driver.online(false)
    driver.observe()
    expectEqual(driver.leave(), .none)
    expectEqual(driver.online(true).started, driver.currentID)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  @Test func whoComesBackInTimeGetsItsRetriesBack() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.leave()
    driver.observe()
    expectNil(driver.fail(retryAfter: 1).ended)
  }

  // MARK: Linger

  @Test func lingerCancelsWhenNobodyReturnsInTime() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)))
    driver.observe()
    driver.pass(to: 1)
    expectEqual(driver.leave(), .none)
    expectEqual(driver.deadline, 6)
    expectEqual(driver.run(to: 6).map(\.actions.ended), [.cancelled])
  }

  @Test(arguments: ["observer", "waiter", "client"])
  func lingerEndsWhenSomebodyReturnsInTime(_ who: String) {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)))
    driver.observe()
    driver.leave()
    driver.pass(to: 4)
    switch who {
    case "observer": driver.observe()
    case "waiter": driver.wait()
    default: driver.request(clientLease: true)
    }
    expectEmpty(driver.run(to: 60))
    expect(driver.machine.isFetching)
  }

  @Test func anObserversOwnLingerWinsOverTheFetchsPolicy() {
    var driver = EntryDriver()
    driver.observe(.make(linger: .seconds(2)))
    expectEqual(driver.leave(.make(linger: .seconds(2))), .none)
    expectEqual(driver.deadline, 2)
  }

  // A view that comes back in time finds the fetch, whatever callers did meanwhile.
  @Test(arguments: [false, true])
  func callersThatComeAndGoDoNotEndTheLingerOfAnObserver(isBefore: Bool) {
    let lingering = ResolvedObserverOptions.make(linger: .seconds(5))
    var driver = EntryDriver()
    driver.observe(lingering)
    if isBefore { driver.wait() }
    driver.leave(lingering)
    driver.pass(to: 1)
    if !isBefore { driver.wait() }
    driver.pass(to: 2)
    expectEqual(driver.stopWaiting(), .none)
    expectEqual(driver.deadline, 5)
    expectEqual(driver.run(to: 5).map(\.actions.ended), [.cancelled])
  }

  // The policy of the fetch begins with the last who leaves, so it may end later.
  @Test func theLingerOfAnObserverDoesNotShortenThatOfTheFetch() {
    let lingering = ResolvedObserverOptions.make(linger: .seconds(5))
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(30)))
    driver.observe(lingering)
    driver.leave(lingering)
    expectEqual(driver.deadline, 5)
    driver.pass(to: 1)
    driver.wait()
    driver.pass(to: 2)
    expectEqual(driver.stopWaiting(), .none)
    expectEqual(driver.deadline, 32)
  }

  @Test func theLingerOfAnObserverEndsWithItsTimeAndWithTheNextObserver() {
    let lingering = ResolvedObserverOptions.make(linger: .seconds(5))
    for comesBack in [false, true] {
      var driver = EntryDriver()
      driver.observe(lingering)
      driver.wait()
      driver.leave(lingering)
      if comesBack {
        driver.observe()
        driver.leave()
      } else {
        driver.pass(to: 6)
      }
      expectEqual(driver.stopWaiting().ended, .cancelled)
    }
  }

  @Test func aLingeringFetchIsRetriedAndMayLand() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)))
    driver.observe()
    driver.leave()
    driver.fail(retryAfter: 1)
    expectEqual(driver.run(to: 1).map(\.actions.started), [driver.currentID])
    expectEqual(driver.succeed().ended, .succeeded)
    expectEqual(driver.deadline, 301)
  }

  @Test func lingeringForEverIsUntilTheFetchEnds() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.infinite))
    driver.observe()
    driver.leave()
    expectNil(driver.deadline)
    expect(driver.machine.isFetching)
  }

  @Test func lingeringForNoTimeEndsInTheSameInstant() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.zero))
    driver.observe()
    driver.leave()
    expectEqual(driver.run(to: 0).map(\.actions.ended), [.cancelled])
  }
}
