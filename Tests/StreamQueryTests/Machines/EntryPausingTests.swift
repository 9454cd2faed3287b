import Testing

@testable import StreamQuery

@Suite("Pausing: T10, T34") struct EntryPausingTests {
  static func offline(_ mode: NetworkMode) -> EntryDriver {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.online(false)
    return driver
  }

  @Test func onlineFetchesRestBeforeTheirStartWhileOffline() {
    var driver = Self.offline(.online)
    let actions = driver.observe()
    #expect(actions.paused)
    #expect(actions.started == nil)
    #expect(driver.machine.isPaused)
    #expect(!driver.machine.isFetching)
    let resumed = driver.online(true)
    #expect(resumed.started == driver.currentID)
    #expect(!resumed.paused)
    #expect(driver.machine.cause == .subscribed)
  }

  @Test(arguments: [NetworkMode.always, .offlineFirst])
  func otherModesStartWhateverTheNetworkDoes(_ mode: NetworkMode) {
    var driver = Self.offline(mode)
    #expect(driver.observe().started == driver.currentID)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, true), (.always, false)])
  func retriesWaitForTheNetworkUnlessTheyNeedNone(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    driver.online(false)
    driver.fail(retryAfter: 1)
    let log = driver.run(to: 1)
    #expect(log.map(\.actions.paused) == [waits])
    #expect(driver.machine.isPaused == waits)
    driver.pass(to: 9)
    #expect((driver.online(true).started != nil) == waits)
    #expect(driver.machine.isFetching)
  }

  @Test(arguments: [NetworkMode.online, .always, .offlineFirst])
  func retriesWaitForTheApp(_ mode: NetworkMode) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onActive: .never))
    driver.active(false)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    #expect(driver.machine.isPaused)
    #expect(driver.active(true).started == driver.currentID)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, false), (.always, false)])
  func aFirstAttemptWhoseTurnComesOfflineIsPaused(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    #expect(driver.turn() == .none)
    driver.online(false)
    #expect(driver.turn().paused == waits)
    #expect(driver.machine.isPaused == waits)
    // Its turn came once.
    #expect(!driver.turn().paused)
    #expect((driver.online(true).started != nil) == waits)
    #expect(driver.machine.isFetching && driver.machine.failureCount == 0)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, true), (.always, false)])
  func aRetryWhoseTurnComesOfflineIsPaused(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    driver.fail(retryAfter: 1)
    #expect(driver.turn() == .none)
    driver.run(to: 1)
    driver.online(false)
    #expect(driver.turn().paused == waits)
    #expect((driver.online(true).started != nil) == waits)
    #expect(driver.machine.isFetching && driver.machine.failureCount == 1)
  }

  @Test func aStartNeedsNoFocusButItsResumptionDoes() {
    var driver = EntryDriver()
    driver.active(false)
    #expect(driver.observe().started != nil)
    driver = Self.offline(.online)
    driver.active(false)
    driver.observe(.make(onReconnect: .never))
    #expect(driver.online(true) == .none)
    #expect(driver.machine.isPaused)
    #expect(driver.active(true).started == driver.currentID)
  }

  @Test func aRunningAttemptIsNotInterrupted() {
    var driver = EntryDriver()
    driver.observe()
    #expect(driver.online(false) == .none)
    #expect(driver.active(false) == .none)
    #expect(driver.succeed().ended == .succeeded)
  }

  @Test func aWaitForTheNextAttemptGoesOnUntilItsTime() {
    var driver = EntryDriver()
    driver.observe()
    driver.fail(retryAfter: 10)
    driver.online(false)
    driver.pass(to: 5)
    #expect(driver.online(true) == .none)
    #expect(driver.deadline == 10)
  }

  @Test func aPausedFetchIsToldOfOnce() {
    var driver = Self.offline(.online)
    driver.observe()
    #expect(!driver.request(.manual).paused)
    #expect(!driver.observe().paused)
  }

  @Test func aSupersedingRequestReplacesAPausedFetchByAPausedOne() {
    var driver = EntryDriver.withData()
    driver.online(false)
    driver.observe()
    let old = driver.currentID
    let actions = driver.request(.invalidated, superseding: true)
    #expect(actions.cancelled == old)
    #expect(actions.paused)
    #expect(driver.machine.isPaused)
  }

  @Test func aPausedFirstLoadIsGivenUpWithItsLastObserver() {
    var driver = Self.offline(.online)
    driver.observe()
    #expect(driver.leave().ended == .cancelled)
    #expect(driver.online(true) == .none)
  }

  @Test func failuresAreStillCountedWhileARetryRests() {
    var driver = EntryDriver()
    driver.observe()
    driver.online(false)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    #expect(driver.machine.failureCount == 1)
    driver.online(true)
    driver.fail()
    #expect(driver.machine.failureCount == 2)
  }
}
