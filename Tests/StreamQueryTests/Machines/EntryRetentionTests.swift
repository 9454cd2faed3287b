import Testing

@testable import StreamQuery

@Suite("Retention: T07, L04, X01") struct EntryRetentionTests {
  @Test func anEntryGoesWhenNobodyWantedItForItsRetention() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    driver.pass(to: 100)
    expectNil(driver.deadline)
    driver.leave(.fresh)
    expectEqual(driver.deadline, 400)
    expectEqual(driver.run(to: 1_000).map(\.actions.step), [.drop])
  }

  @Test func theRetentionOfAnEntryThatNobodyWantedYetCountsFromItsBeginning() {
    var driver = EntryDriver()
    driver.pass(to: 5)
    driver.machine.begin(at: driver.environment.now.instant)
    driver.adopt(gcTime: .seconds(10))
    expectEqual(driver.deadline, 15)
  }

  @Test func theLongestRetentionThatWasAskedForHolds() {
    var driver = EntryDriver.withData()
    driver.adopt(gcTime: .seconds(900))
    driver.adopt(gcTime: .seconds(10))
    expectEqual(driver.deadline, 900)
  }

  @Test func theLastLeaversOwnRetentionRules() {
    var driver = EntryDriver.withData()
    let own = ResolvedObserverOptions.make(staleAfter: .infinite, gcTime: .seconds(7))
    driver.observe(own)
    driver.observe(.fresh)
    driver.leave(.fresh)
    driver.leave(own)
    expectEqual(driver.deadline, 7)
    // One that left earlier has no say.
    driver.observe(own)
    driver.observe(.fresh)
    driver.leave(own)
    driver.leave(.fresh)
    expectEqual(driver.deadline, 300)
  }

  @Test func aLeaversRetentionMayAlsoBeLonger() {
    var driver = EntryDriver.withData()
    let own = ResolvedObserverOptions.make(staleAfter: .infinite, gcTime: .seconds(900))
    driver.observe(own)
    driver.leave(own)
    expectEqual(driver.deadline, 900)
  }

  @Test(arguments: [false, true])
  func aWriteRenewsRetention(_ fencing: Bool) {
    var driver = EntryDriver.withData()
    driver.pass(to: 200)
    driver.write(fencing: fencing)
    expectEqual(driver.deadline, 500)
  }

  @Test func aReturningObserverStopsTheClock() {
    var driver = EntryDriver.withData()
    driver.pass(to: 299)
    driver.observe(.fresh)
    expectEmpty(driver.run(to: 10_000))
  }

  @Test func anObserverThatComesAtTheVeryEndKeepsTheEntry() {
    var driver = EntryDriver.withData()
    driver.pass(to: 300)
    driver.observe(.fresh)
    expect(driver.machine.timeReached(in: driver.environment).step != .drop)
  }

  @Test func nothingGoesWhileAFetchIsInFlight() {
    var driver = EntryDriver.withData()
    driver.request(clientLease: true)
    expectEmpty(driver.run(to: 1_000))
    driver.succeed()
    expectEqual(driver.deadline, 1_300)
  }

  @Test func noRetentionGoesAtOnceAndAnInfiniteOneNever() {
    var driver = EntryDriver()
    driver.adopt(gcTime: .zero)
    driver.wait()
    driver.pass(to: 1)
    driver.succeed()
    expectEqual(driver.run(to: 1).map(\.actions.step), [.drop])
    driver.adopt(gcTime: .infinite)
    expectNil(driver.deadline)
  }

  @Test func whatIsKeptForNoTimeGoesAsItsLingeringFetchEnds() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)), gcTime: .zero)
    driver.observe()
    driver.leave()
    driver.pass(to: 5)
    expect(!driver.machine.isExpired(at: driver.environment.now.instant))
    let actions = driver.run(to: 5).map(\.actions)
    expectEqual(actions.map(\.ended), [.cancelled])
    expectEqual(actions.map(\.step), [.drop])
  }

  @Test func afterAWaiterTheEntryIsKeptFromTheEndOfItsFetch() {
    var driver = EntryDriver()
    driver.adopt()
    driver.wait()
    driver.pass(to: 20)
    driver.fail()
    expectEqual(driver.deadline, 320)
  }

  @Test func afterACancelledFetchTheEntryIsKeptFromItsEnd() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    driver.pass(to: 20)
    driver.leave()
    expectEqual(driver.deadline, 320)
  }

  @Test func clearingAnUnobservedEntryStartsItsRetentionAnew() {
    var driver = EntryDriver.withData()
    driver.pass(to: 100)
    _ = driver.machine.cleared(in: driver.environment)
    expectEqual(driver.deadline, 400)
  }

  @Test func theRetentionOfALeaverCountsOnlyUntilACallerWaits() {
    var driver = EntryDriver.withData()
    let own = ResolvedObserverOptions.make(staleAfter: .infinite, gcTime: .seconds(7))
    driver.observe(own)
    driver.leave(own)
    expectEqual(driver.deadline, 7)
    driver.wait()
    driver.succeed()
    expectEqual(driver.deadline, 300)
  }
}
