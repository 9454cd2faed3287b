import Testing

@testable import StreamQuery

@Suite("Staleness: T06, T29, S07, X02, X29, X31") struct EntryFreshnessTests {
  @Test func missingDataIsStaleUnderEveryStaleTime() {
    let machine = EntryDriver().machine
    for freshness in [Freshness.after(.zero), .after(.infinite), .static] {
      expect(machine.isStale(freshness, at: .zero))
    }
  }

  @Test func dataIsStaleExactlyWhenItsAgeEqualsTheStaleTime() {
    let machine = EntryDriver.withData(at: 1).machine
    let tenSeconds = Freshness.after(.seconds(10))
    expect(!machine.isStale(tenSeconds, at: Instant(nanoseconds: 10_999_999_999)))
    expect(machine.isStale(tenSeconds, at: .seconds(11)))
  }

  @Test func aStaleTimeOfZeroIsStaleAtOnce() {
    expect(EntryDriver.withData().machine.isStale(.after(.zero), at: .zero))
  }

  @Test func anInfiniteStaleTimeEndsByInvalidationOnly() {
    var driver = EntryDriver.withData()
    let late = Instant(nanoseconds: TimeSpan.longest.nanoseconds)
    expect(!driver.machine.isStale(.after(.infinite), at: late))
    driver.invalidate()
    expect(driver.machine.isStale(.after(.infinite), at: .zero))
  }

  @Test func staticDataIsNeverStale() {
    var driver = EntryDriver.withData()
    driver.invalidate()
    expect(!driver.machine.isStale(.static, at: .seconds(1e9)))
  }

  @Test func dataOlderThanTheClientIsAsOldAsItsDateSays() {
    var driver = EntryDriver()
    driver.write(updatedAt: -60)
    expect(driver.machine.isStale(.after(.seconds(60)), at: .zero))
    expect(!driver.machine.isStale(.after(.seconds(61)), at: .zero))
  }

  @Test func nothingIsStaleForADisabledObserver() {
    var driver = EntryDriver.withData()
    driver.invalidate()
    expect(!driver.machine.isStale(for: .disabled, at: .seconds(9)))
    expect(driver.machine.isStale(for: .fresh, at: .seconds(9)))
  }

  @Test func filtersAskTheObserversWhereThereAreAny() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    expect(!driver.machine.isStale(at: .zero))
    driver.observe(.make(staleAfter: .seconds(5)))
    expect(!driver.machine.isStale(at: .seconds(4)))
    expect(driver.machine.isStale(at: .seconds(5)))
  }

  @Test func withoutObserversDataIsStaleForFiltersIfMissingOrMarkedT61() {
    expect(EntryDriver().machine.isStale(at: .zero))
    var driver = EntryDriver.withData()
    expect(!driver.machine.isStale(at: .seconds(9)))
    driver.invalidate()
    expect(driver.machine.isStale(at: .seconds(9)))
  }

  @Test func tellsObserversWhenTheirDataTurnsStale() {
    var driver = EntryDriver.withData()
    driver.observe(.make(staleAfter: .seconds(5)))
    driver.observe(.make(staleAfter: .seconds(9)))
    let log = driver.run(to: 60)
    expectEqual(log.map(\.at), [5, 9])
    expectEqual(log.map(\.actions.changed), [true, true])
  }

  @Test func setsNoTimerForWhatIsStaleAlready() {
    var driver = EntryDriver.withData()
    driver.pass(to: 20)
    driver.observe(.make(staleAfter: .seconds(5), onSubscribe: .never))
    expectNil(driver.deadline)
    driver.request()
    driver.pass(to: 21)
    driver.succeed()
    expectEqual(driver.deadline, 26)
  }

  @Test func aStaleTimeOfZeroSetsNoTimerAfterAFetch() {
    var driver = EntryDriver()
    driver.observe()
    driver.pass(to: 1)
    driver.succeed()
    expectNil(driver.deadline)
  }

  @Test func setsNoTimerForDisabledStaticAndInvalidated() {
    var driver = EntryDriver.withData()
    driver.observe(.make(enabled: false, staleAfter: .seconds(5)))
    driver.observe(.make(static: true))
    expectNil(driver.deadline)
    driver.observe(.make(staleAfter: .seconds(5)))
    expectEqual(driver.deadline, 5)
    driver.invalidate()
    expectNil(driver.deadline)
  }

  @Test(
    "What turned stale is told with an input that comes before the timer",
    arguments: [
      "observed", "unobserved", "requested", "waiterLeft", "worldChanged",
    ]
  )
  func flipSurvives(_ input: String) {
    var driver = EntryDriver.withData()
    driver.observe(.make(staleAfter: .seconds(5)))
    driver.observe(.fresh)
    if input == "waiterLeft" { driver.wait() }
    driver.pass(to: 5)
    let actions =
      switch input {
      case "observed": driver.observe(.fresh)
      case "unobserved": driver.leave(.fresh)
      case "requested": driver.request()
      case "waiterLeft": driver.stopWaiting()
      default: driver.online(false)
      }
    expect(actions.changed)
    expectNil(driver.deadline)
  }

  @Test func dynamicFreshnessOfManyObserversCostsOneTimerEach() {
    var driver = EntryDriver.withData()
    for seconds in 1...50 { driver.observe(.make(staleAfter: .seconds(Double(seconds)))) }
    expectEqual(driver.run(to: 100).map(\.at), (1...50).map(Double.init))
  }

  // X21
  @Test func anAnswerFromAfterTheInvalidationThatIsOutdatedItselfLeavesTheMarkOfASharedCache() {
    var driver = EntryDriver.withData()
    driver.pass(to: 1)
    driver.invalidate()
    driver.pass(to: 2)
    driver.wait()
    driver.pass(to: 3)
    let age = AnswerAge(updatedAt: .seconds(2), isOutdated: true)
    _ = driver.machine.attemptSucceeded(driver.currentID, age, in: driver.environment)
    expectEqual(driver.machine.mark, .doubted(at: .seconds(1)))
  }

  @Test func anObserverThatWaitsForAStoreIsToldSo() {
    var waiting = ResolvedObserverOptions.fresh
    waiting.participation = .restoring
    let machine = EntryDriver.withData().machine
    expectEqual(machine.flags(for: waiting, since: nil, at: .zero), .restoring)
    expectEqual(machine.flags(for: .fresh, since: nil, at: .zero), .enabled)
    expectEqual(machine.flags(for: .disabled, since: nil, at: .zero), [])
  }

  @Test func whatArrivedSinceAnObserverSubscribedIsToldToIt() {
    var driver = EntryDriver.withData()
    let base = driver.machine.counts
    expectEqual(driver.machine.flags(for: .fresh, since: base, at: .zero), .enabled)
    driver.write()
    expectEqual(
      driver.machine.flags(for: .fresh, since: base, at: .zero),
      [.enabled, .fetchedSinceSubscribing]
    )
  }

  @Test func dataFromElsewhereHasToBeFreshForAllEnabledObserversAndWaitingCallers() {
    func isStale(_ driver: EntryDriver, at seconds: Double) -> Bool {
      driver.machine.wouldBeStale(
        updatedAt: .seconds(0),
        .after(.seconds(5)),
        limit: .seconds(2),
        at: .seconds(seconds)
      )
    }
    var driver = EntryDriver()
    expectEqual([4, 5].map { isStale(driver, at: $0) }, [false, true], "the caller's own time")
    driver.observe(.make(staleAfter: .seconds(9)))
    driver.observe(.disabled)
    expectEqual([5, 8, 9].map { isStale(driver, at: $0) }, [false, false, true])
    driver.wait()
    expectEqual([4, 5].map { isStale(driver, at: $0) }, [false, true])
    var impatient = EntryDriver()
    impatient.observe(.make(staleAfter: .zero))
    expectEqual([1, 2].map { isStale(impatient, at: $0) }, [false, true], "the limit")
    var patient = EntryDriver()
    patient.observe(.make(static: true))
    expect(!isStale(patient, at: 1e6))
  }
}
