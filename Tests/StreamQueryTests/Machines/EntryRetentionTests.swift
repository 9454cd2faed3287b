import Testing

@testable import StreamQuery

@Suite("Retention: T07, L04, X01") struct EntryRetentionTests {
  @Test func anEntryGoesWhenNobodyWantedItForItsRetention() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    driver.pass(to: 100)
    #expect(driver.deadline == nil)
    driver.leave(.fresh)
    #expect(driver.deadline == 400)
    #expect(driver.run(to: 1_000).map(\.actions.expired) == [true])
  }

  @Test func theLongestRetentionThatWasAskedForHolds() {
    var driver = EntryDriver.withData()
    driver.adopt(gcTime: .seconds(900))
    driver.adopt(gcTime: .seconds(10))
    #expect(driver.deadline == 900)
  }

  @Test func theLastLeaversOwnRetentionRules() {
    var driver = EntryDriver.withData()
    let own = ResolvedObserverOptions.make(staleAfter: .infinite, gcTime: .seconds(7))
    driver.observe(own)
    driver.observe(.fresh)
    driver.leave(.fresh)
    driver.leave(own)
    #expect(driver.deadline == 7)
    // One that left earlier has no say.
    driver.observe(own)
    driver.observe(.fresh)
    driver.leave(own)
    driver.leave(.fresh)
    #expect(driver.deadline == 300)
  }

  @Test func aLeaversRetentionMayAlsoBeLonger() {
    var driver = EntryDriver.withData()
    let own = ResolvedObserverOptions.make(staleAfter: .infinite, gcTime: .seconds(900))
    driver.observe(own)
    driver.leave(own)
    #expect(driver.deadline == 900)
  }

  @Test(arguments: [false, true])
  func aWriteRenewsRetention(_ fencing: Bool) {
    var driver = EntryDriver.withData()
    driver.pass(to: 200)
    driver.write(fencing: fencing)
    #expect(driver.deadline == 500)
  }

  @Test func aReturningObserverStopsTheClock() {
    var driver = EntryDriver.withData()
    driver.pass(to: 299)
    driver.observe(.fresh)
    #expect(driver.run(to: 10_000).isEmpty)
  }

  @Test func anObserverThatComesAtTheVeryEndKeepsTheEntry() {
    var driver = EntryDriver.withData()
    driver.pass(to: 300)
    driver.observe(.fresh)
    #expect(!driver.machine.timeReached(in: driver.environment).expired)
  }

  @Test func nothingGoesWhileAFetchIsInFlight() {
    var driver = EntryDriver.withData()
    driver.request(clientLease: true)
    #expect(driver.run(to: 1_000).isEmpty)
    driver.succeed()
    #expect(driver.deadline == 1_300)
  }

  @Test func noRetentionGoesAtOnceAndAnInfiniteOneNever() {
    var driver = EntryDriver()
    driver.adopt(gcTime: .zero)
    driver.wait()
    driver.pass(to: 1)
    driver.succeed()
    #expect(driver.run(to: 1).map(\.actions.expired) == [true])
    driver.adopt(gcTime: .infinite)
    #expect(driver.deadline == nil)
  }

  @Test func whatIsKeptForNoTimeGoesAsItsLingeringFetchEnds() {
    var driver = EntryDriver()
    driver.adopt(abandonment: .linger(.seconds(5)), gcTime: .zero)
    driver.observe()
    driver.leave()
    driver.pass(to: 5)
    #expect(!driver.machine.isExpired(at: driver.environment.now.instant))
    let actions = driver.run(to: 5).map(\.actions)
    #expect(actions.map(\.ended) == [.cancelled])
    #expect(actions.map(\.expired) == [true])
  }

  @Test func afterAWaiterTheEntryIsKeptFromTheEndOfItsFetch() {
    var driver = EntryDriver()
    driver.adopt()
    driver.wait()
    driver.pass(to: 20)
    driver.fail()
    #expect(driver.deadline == 320)
  }

  @Test func afterACancelledFetchTheEntryIsKeptFromItsEnd() {
    var driver = EntryDriver()
    driver.adopt()
    driver.observe()
    driver.pass(to: 20)
    driver.leave()
    #expect(driver.deadline == 320)
  }

  @Test func clearingAnUnobservedEntryStartsItsRetentionAnew() {
    var driver = EntryDriver.withData()
    driver.pass(to: 100)
    _ = driver.machine.cleared(in: driver.environment)
    #expect(driver.deadline == 400)
  }
}
