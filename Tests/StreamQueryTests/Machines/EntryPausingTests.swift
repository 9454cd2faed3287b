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
    expect(actions.paused)
    expectNil(actions.started)
    expect(driver.machine.isPaused)
    expect(!driver.machine.isFetching)
    let resumed = driver.online(true)
    expectEqual(resumed.started, driver.currentID)
    expect(!resumed.paused)
    expectEqual(driver.machine.cause, .subscribed)
  }

  @Test(arguments: [NetworkMode.always, .offlineFirst])
  func otherModesStartWhateverTheNetworkDoes(_ mode: NetworkMode) {
    var driver = Self.offline(mode)
    expectEqual(driver.observe().started, driver.currentID)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, true), (.always, false)])
  func retriesWaitForTheNetworkUnlessTheyNeedNone(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    driver.online(false)
    driver.fail(retryAfter: 1)
    let log = driver.run(to: 1)
    expectEqual(log.map(\.actions.paused), [waits])
    expectEqual(driver.machine.isPaused, waits)
    driver.pass(to: 9)
    expectEqual(driver.online(true).started != nil, waits)
    expect(driver.machine.isFetching)
  }

  @Test(arguments: [NetworkMode.online, .always, .offlineFirst])
  func retriesWaitForTheApp(_ mode: NetworkMode) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onActive: .never))
    driver.active(false)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    expect(driver.machine.isPaused)
    expectEqual(driver.active(true).started, driver.currentID)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, false), (.always, false)])
  func aFirstAttemptWhoseTurnComesOfflineIsPaused(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    expectEqual(driver.turn(), .none)
    driver.online(false)
    expectEqual(driver.turn().paused, waits)
    expectEqual(driver.machine.isPaused, waits)
    // Its turn came once.
    expect(!driver.turn().paused)
    expectEqual(driver.online(true).started != nil, waits)
    expect(driver.machine.isFetching && driver.machine.failureCount == 0)
  }

  @Test(arguments: [(NetworkMode.online, true), (.offlineFirst, true), (.always, false)])
  func aRetryWhoseTurnComesOfflineIsPaused(_ mode: NetworkMode, _ waits: Bool) {
    var driver = EntryDriver()
    driver.adopt(networkMode: mode)
    driver.observe(.make(onReconnect: .never))
    driver.fail(retryAfter: 1)
    expectEqual(driver.turn(), .none)
    driver.run(to: 1)
    driver.online(false)
    expectEqual(driver.turn().paused, waits)
    expectEqual(driver.online(true).started != nil, waits)
    expect(driver.machine.isFetching && driver.machine.failureCount == 1)
  }

  @Test func aStartNeedsNoFocusButItsResumptionDoes() {
    var driver = EntryDriver()
    driver.active(false)
    expect(driver.observe().started != nil)
    driver = Self.offline(.online)
    driver.active(false)
    driver.observe(.make(onReconnect: .never))
    expectEqual(driver.online(true), .none)
    expect(driver.machine.isPaused)
    expectEqual(driver.active(true).started, driver.currentID)
  }

  @Test func aRunningAttemptIsNotInterrupted() {
    var driver = EntryDriver()
    driver.observe()
    expectEqual(driver.online(false), .none)
    expectEqual(driver.active(false), .none)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  @Test func aWaitForTheNextAttemptGoesOnUntilItsTime() {
    var driver = EntryDriver()
    driver.observe()
    driver.fail(retryAfter: 10)
    driver.online(false)
    driver.pass(to: 5)
    expectEqual(driver.online(true), .none)
    expectEqual(driver.deadline, 10)
  }

  @Test func aPausedFetchIsToldOfOnce() {
    var driver = Self.offline(.online)
    driver.observe()
    expect(!driver.request(.manual).paused)
    expect(!driver.observe().paused)
  }

  @Test func aSupersedingRequestReplacesAPausedFetchByAPausedOne() {
    var driver = EntryDriver.withData()
    driver.online(false)
    driver.observe()
    let old = driver.currentID
    let actions = driver.request(.invalidated, superseding: true)
    expectEqual(actions.cancelled, .gone(old))
    expect(actions.paused)
    expect(driver.machine.isPaused)
  }

  @Test func aPausedFirstLoadIsGivenUpWithItsLastObserver() {
    var driver = Self.offline(.online)
    driver.observe()
    expectEqual(driver.leave().ended, .cancelled)
    expectEqual(driver.online(true), .none)
  }

  @Test func failuresAreStillCountedWhileARetryRests() {
    var driver = EntryDriver()
    driver.observe()
    driver.online(false)
    driver.fail(retryAfter: 1)
    driver.run(to: 1)
    expectEqual(driver.machine.failureCount, 1)
    driver.online(true)
    driver.fail()
    expectEqual(driver.machine.failureCount, 2)
  }
}
