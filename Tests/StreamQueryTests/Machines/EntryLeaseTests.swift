import Testing

@testable import StreamQuery

@Suite("Leases: law 6, T32, L04") struct EntryLeaseTests {
  @Test func oneOfTwoWaitersLeavesAndTheFetchGoesOn() {
    var driver = EntryDriver()
    driver.wait()
    driver.wait()
    #expect(driver.stopWaiting() == .none)
    #expect(driver.machine.isFetching)
  }

  @Test func theLastWaiterTakesTheFetchWithIt() {
    var driver = EntryDriver()
    driver.wait()
    let id = driver.currentID
    let actions = driver.stopWaiting()
    #expect(actions.cancelled == id)
    #expect(actions.ended == .cancelled)
  }

  @Test func anObserverKeepsTheFetchOfALeavingWaiterAndTheOtherWayRound() {
    var driver = EntryDriver()
    driver.observe()
    driver.wait()
    #expect(driver.stopWaiting() == .none)
    driver.wait()
    #expect(driver.leave() == .none)
    #expect(driver.stopWaiting().ended == .cancelled)
  }

  @Test func aDisabledObserverIsALeaseToo() {
    var driver = EntryDriver()
    driver.observe(.disabled)
    driver.wait()
    #expect(driver.stopWaiting() == .none)
    #expect(driver.machine.isFetching)
  }

  @Test func theClientsOwnLeaseKeepsAFetchThatNobodyWaitsFor() {
    var driver = EntryDriver()
    driver.request(clientLease: true)
    driver.observe()
    #expect(driver.leave() == .none)
    #expect(driver.machine.isFetching)
  }

  @Test func theClientsLeasePassesToTheReplacement() {
    var driver = EntryDriver.withData()
    driver.request(clientLease: true)
    driver.request(superseding: true)
    driver.machine.waiterJoined()
    #expect(driver.stopWaiting() == .none)
    #expect(driver.machine.isFetching)
  }

  @Test func joiningByTheClientGivesTheFetchItsLease() {
    var driver = EntryDriver()
    driver.wait()
    driver.request(clientLease: true)
    #expect(driver.stopWaiting() == .none)
    #expect(driver.machine.isFetching)
  }

  @Test func aLeaseEndsWithItsFetch() {
    var driver = EntryDriver()
    driver.wait()
    driver.succeed()
    #expect(driver.machine.waiterCount == 0)
    let before = driver.machine
    #expect(driver.stopWaiting() == .none)
    #expect(driver.machine == before)
  }

  // MARK: Finish

  @Test func finishLetsTheRunningAttemptLand() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    #expect(driver.leave() == .none)
    #expect(driver.succeed().ended == .succeeded)
  }

  @Test func finishStartsNoFurtherAttempt() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.leave()
    let actions = driver.fail(retryAfter: 1)
    #expect(actions.ended == .failed)
    #expect(driver.machine.isError)
  }

  @Test func finishEndsAWaitForTheNextAttemptAsAFailure() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.fail(retryAfter: 1)
    driver.leave()
    let log = driver.run(to: 1)
    #expect(log.map(\.actions.ended) == [.failed])
    #expect(log.map(\.actions.started) == [nil])
  }

  @Test func finishGivesUpAPausedFirstLoad() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.online(false)
    driver.observe()
    #expect(driver.leave().ended == .cancelled)
  }

  @Test func finishLetsAPausedRefetchLandLater() {
    var driver = EntryDriver.withData()
    driver.adopt(abandonment: .finish)
    driver.online(false)
    driver.observe()
    #expect(driver.leave() == .none)
    #expect(driver.online(true).started == driver.currentID)
    #expect(driver.succeed().ended == .succeeded)
  }

  @Test func whoComesBackInTimeGetsItsRetriesBack() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .finish)
    driver.observe()
    driver.leave()
    driver.observe()
    #expect(driver.fail(retryAfter: 1).ended == nil)
  }

  // MARK: Linger

  @Test func lingerCancelsWhenNobodyReturnsInTime() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)))
    driver.observe()
    driver.pass(to: 1)
    #expect(driver.leave() == .none)
    #expect(driver.deadline == 6)
    #expect(driver.run(to: 6).map(\.actions.ended) == [.cancelled])
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
    #expect(driver.run(to: 60).isEmpty)
    #expect(driver.machine.isFetching)
  }

  @Test func anObserversOwnLingerWinsOverTheFetchsPolicy() {
    var driver = EntryDriver()
    driver.observe(.make(linger: .seconds(2)))
    #expect(driver.leave(.make(linger: .seconds(2))) == .none)
    #expect(driver.deadline == 2)
  }

  @Test func aLingeringFetchIsRetriedAndMayLand() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)))
    driver.observe()
    driver.leave()
    driver.fail(retryAfter: 1)
    #expect(driver.run(to: 1).map(\.actions.started) == [driver.currentID])
    #expect(driver.succeed().ended == .succeeded)
    #expect(driver.deadline == 301)
  }

  @Test func lingeringForEverIsUntilTheFetchEnds() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.infinite))
    driver.observe()
    driver.leave()
    #expect(driver.deadline == nil)
    #expect(driver.machine.isFetching)
  }

  @Test func lingeringForNoTimeEndsInTheSameInstant() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.zero))
    driver.observe()
    driver.leave()
    #expect(driver.run(to: 0).map(\.actions.ended) == [.cancelled])
  }
}
