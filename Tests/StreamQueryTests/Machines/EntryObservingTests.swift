import Testing

@testable import StreamQuery

@Suite("Observing: T05, T09, T11, T36, L01 to L05, X04, X05, X07") struct EntryObservingTests {
  static let tenSeconds = TimeSpan.seconds(10)

  // MARK: Subscribing

  @Test(
    "L02: a subscription fetches by policy and staleness",
    arguments: [
      (RefetchPolicy.Answer.never, false, false), (.never, true, false),
      (.ifStale, false, false), (.ifStale, true, true),
      (.always, false, true), (.always, true, true),
    ]
  )
  func subscribing(_ policy: RefetchPolicy.Answer, _ isStale: Bool, _ fetches: Bool) {
    var driver = EntryDriver.withData()
    driver.pass(to: isStale ? 10 : 9.999)
    let actions = driver.observe(.make(staleAfter: Self.tenSeconds, onSubscribe: policy))
    expectEqual(actions.started != nil, fetches)
    if fetches { expectEqual(driver.machine.cause, .subscribed) }
  }

  @Test(
    "an observer subscribes when the store it waited for was read",
    arguments: [(RefetchPolicy.Answer.never, false), (.ifStale, false), (.always, true)]
  )
  func restoring(_ policy: RefetchPolicy.Answer, _ fetches: Bool) {
    var driver = EntryDriver.withData()
    let options = ResolvedObserverOptions.make(staleAfter: Self.tenSeconds, onSubscribe: policy)
    var restoring = options
    restoring.participation = .restoring
    expectNil(driver.observe(restoring).started)
    let (actions, _) = driver.machine.reobserved(
      from: restoring,
      since: .zero,
      to: options,
      in: driver.environment
    )
    expectEqual(actions.started != nil, fetches)
  }

  @Test(
    "X05: every policy loads what is missing",
    arguments: [
      RefetchPolicy.Answer.never, .ifStale, .always,
    ]
  )
  func loading(_ policy: RefetchPolicy.Answer) {
    var driver = EntryDriver()
    expect(driver.observe(.make(onSubscribe: policy)).started != nil)
  }

  @Test func staticDataIsNotRefetchedBySubscribingButLoadedOnce() {
    var driver = EntryDriver()
    let resolvedOptions = ResolvedObserverOptions.make(static: true, onSubscribe: .always)
    expect(driver.observe(resolvedOptions).started != nil)
    driver.succeed()
    driver.invalidate()
    expectNil(driver.observe(resolvedOptions).started)
  }

  @Test func everySubscriptionIsEvaluated() {
    var driver = EntryDriver.withData()
    driver.observe()
    driver.succeed()
    expect(driver.observe().started != nil)
  }

  @Test func aSubscriptionJoinsARunningFetch() {
    var driver = EntryDriver()
    driver.observe()
    let id = driver.currentID
    expectEqual(driver.observe(), .none)
    expectEqual(driver.currentID, id)
  }

  @Test("T09: what failed without data is tried again unless told otherwise")
  func retryOnSubscribe() {
    var driver = EntryDriver.failed()
    expectEqual(driver.observe(.make(retries: false)), .none)
    expect(driver.machine.isError)
    expect(driver.observe(.make(retries: true)).started != nil)
  }

  @Test("T09: the policy is about missing data only")
  func retryOnSubscribeWithData() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.fail()
    expect(driver.observe(.make(staleAfter: .infinite, retries: false)).started != nil)
  }

  // MARK: Moving

  @Test("T36, S08: an observer that moves here refetches stale data, whatever its policy")
  func moved() {
    var driver = EntryDriver.withData()
    let never = ResolvedObserverOptions.make(staleAfter: Self.tenSeconds, onSubscribe: .never)
    let always = ResolvedObserverOptions.make(staleAfter: Self.tenSeconds, onSubscribe: .always)
    expectNil(driver.observe(always, .moved).started)
    driver.pass(to: 10)
    expect(driver.observe(never, .moved).started != nil)
  }

  @Test func movingToAnEmptyEntryLoads() {
    var driver = EntryDriver()
    expect(driver.observe(.make(onSubscribe: .never), .moved).started != nil)
    driver = EntryDriver()
    expectEqual(driver.observe(.disabled, .moved), .none)
  }

  @Test func movingToAFailedEntryTriesAgain() {
    var driver = EntryDriver.failed()
    expect(driver.observe(.make(retries: false), .moved).started != nil)
  }

  // MARK: Enabling

  @Test("T05: a disabled observer starts nothing by itself")
  func disabled() {
    var driver = EntryDriver()
    expectEqual(driver.observe(.disabled), .none)
    expectEqual(driver.online(false), .none)
    expectEqual(driver.online(true), .none)
    expectEqual(driver.active(false), .none)
    expectEqual(driver.active(true), .none)
    expectNil(driver.deadline)
  }

  @Test("T36: turning on counts as coming anew, for stale data")
  func enabling() {
    var driver = EntryDriver.withData()
    let on = ResolvedObserverOptions.make(staleAfter: Self.tenSeconds, onSubscribe: .never)
    var off = on
    off.isEnabled = false
    driver.observe(off)
    driver.pass(to: 9)
    expectNil(
      driver.machine.reobserved(from: off, since: .zero, to: on, in: driver.environment).0.started
    )
    _ = driver.machine.reobserved(from: on, since: .zero, to: off, in: driver.environment)
    driver.pass(to: 10)
    let (actions, _) = driver.machine.reobserved(
      from: off,
      since: .zero,
      to: on,
      in: driver.environment
    )
    expect(actions.started != nil)
    expectEqual(driver.machine.cause, .subscribed)
  }

  @Test("law 13: a function that turned on because the entry was removed fetches nothing")
  func enablingByRemoval() {
    for isFunction in [true, false] {
      var driver = EntryDriver.withData()
      driver.observe(.disabled)
      _ = driver.machine.cleared(isRemoved: true, in: driver.environment)
      let (actions, _) = driver.machine.reobserved(
        from: .disabled,
        since: .zero,
        to: .make(),
        isTurnedByFunction: isFunction,
        in: driver.environment
      )
      expectEqual(actions.started == nil, isFunction)
      expect(driver.machine.isActive)
      // What comes later is a reason again.
      driver.write()
      driver.pass(to: 1)
      _ = driver.machine.reobserved(
        from: .make(),
        since: .zero,
        to: .disabled,
        in: driver.environment
      )
      let again = driver.machine.reobserved(
        from: .disabled,
        since: .zero,
        to: .make(),
        isTurnedByFunction: true,
        in: driver.environment
      )
      expectEqual(again.0.started != nil, isFunction)
    }
  }

  @Test("L03: a shorter stale time alone refetches nothing")
  func otherStaleTime() {
    var driver = EntryDriver.withData()
    driver.observe(.fresh)
    driver.pass(to: 5)
    let (actions, _) = driver.machine.reobserved(
      from: .fresh,
      since: .zero,
      to: .make(),
      in: driver.environment
    )
    expectNil(actions.started)
    expect(actions.changed)
  }

  @Test func turningOffLetsARunningFetchLand() {
    var driver = EntryDriver()
    driver.observe()
    let (actions, _) = driver.machine.reobserved(
      from: .make(),
      since: .zero,
      to: .disabled,
      in: driver.environment
    )
    expectNil(actions.cancelled)
    expect(!driver.machine.isActive)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  // MARK: Counting

  @Test func observersOfEqualProfilesShareAGroup() {
    var driver = EntryDriver()
    for _ in 0..<1_000 { driver.observe() }
    driver.observe(.disabled)
    expectEqual(driver.machine.groups.count, 2)
    expectEqual(driver.machine.observerCount, 1_001)
    expectEqual(driver.machine.enabledCount, 1_000)
    for _ in 0..<1_000 { driver.leave() }
    expectEqual(driver.machine.groups.count, 1)
    expect(!driver.machine.isActive)
  }

  @Test func leavingWithAnUnknownProfileCountsNobody() {
    var driver = EntryDriver()
    driver.observe()
    driver.leave(.fresh)
    expectEqual(driver.machine.observerCount, 1)
    expectEqual(driver.machine.enabledCount, 1)
  }

  // MARK: Bulk flags

  @Test("T47: disabled means all observers disabled, or nobody and never a result")
  func isDisabled() {
    var driver = EntryDriver()
    expect(driver.machine.isDisabled)
    _ = driver.machine.initialDataPlaced(updatedAt: driver.environment.now, in: driver.environment)
    expect(driver.machine.isDisabled)
    driver.write()
    expect(!driver.machine.isDisabled)
    driver.observe(.disabled)
    expect(driver.machine.isDisabled)
    driver.observe(.fresh)
    expect(!driver.machine.isDisabled)
    expect(!EntryDriver.failed().machine.isDisabled)
  }

  @Test("T06: one static observer makes the entry static for bulk calls")
  func isStatic() {
    var driver = EntryDriver.withData()
    expect(!driver.machine.isStatic)
    driver.observe(.fresh)
    driver.observe(.make(static: true))
    expect(driver.machine.isStatic)
    driver.leave(.make(static: true))
    expect(!driver.machine.isStatic)
  }

  // MARK: Edges of the world

  @Test(
    "T11, T35: an edge refetches if one observer is willing",
    arguments: [
      (RefetchPolicy.Answer.never, false, false), (.never, true, false),
      (.ifStale, false, false), (.ifStale, true, true),
      (.always, false, true), (.always, true, true),
    ]
  )
  func edges(_ policy: RefetchPolicy.Answer, _ isStale: Bool, _ fetches: Bool) {
    let willing = ResolvedObserverOptions.make(
      staleAfter: Self.tenSeconds,
      onSubscribe: .never,
      onReconnect: policy,
      onActive: policy
    )
    let unwilling = ResolvedObserverOptions.make(
      staleAfter: .infinite,
      onReconnect: .never,
      onActive: .never
    )
    for isReconnect in [true, false] {
      var driver = EntryDriver.withData()
      driver.observe(willing)
      driver.observe(unwilling)
      if isReconnect { driver.online(false) } else { driver.active(false) }
      driver.pass(to: isStale ? 10 : 9)
      let actions = isReconnect ? driver.online(true) : driver.active(true)
      expectEqual(actions.started != nil, fetches)
      if fetches { expectEqual(driver.machine.cause, isReconnect ? .reconnect : .active) }
    }
  }

  @Test func anEdgeJoinsARunningFetch() {
    var driver = EntryDriver.withData()
    driver.observe()
    driver.active(false)
    let id = driver.currentID
    expectEqual(driver.active(true), .none)
    expectEqual(driver.currentID, id)
  }

  @Test func anEdgeRefetchesNeitherStaticNorDisabledNorUnobserved() {
    let always = (RefetchPolicy.Answer.always, RefetchPolicy.Answer.always)
    let static_ = ResolvedObserverOptions.make(
      static: true,
      onReconnect: always.0,
      onActive: always.1
    )
    let off = ResolvedObserverOptions.make(
      enabled: false,
      onReconnect: always.0,
      onActive: always.1
    )
    for resolvedOptions in [static_, off, nil] {
      var driver = EntryDriver.withData()
      if let resolvedOptions { driver.observe(resolvedOptions) }
      driver.online(false)
      expectNil(driver.online(true).started)
      driver.active(false)
      expectNil(driver.active(true).started)
    }
  }

  @Test func losingTheNetworkOrTheFocusRefetchesNothing() {
    var driver = EntryDriver.withData()
    driver.observe(.make(onSubscribe: .never, onReconnect: .always, onActive: .always))
    expectEqual(driver.online(false), .none)
    expectEqual(driver.active(false), .none)
  }

  @Test func theEntryThatAnObserverWouldMeetHasItsInitialData() {
    let driver = EntryDriver()
    var machine = driver.machine
    _ = machine.initialDataPlaced(updatedAt: .seconds(0), in: driver.environment)
    let arrived = machine.arrived(.fresh, fetchOptions: nil, in: driver.environment)
    expect(arrived.hasData)
    expect(arrived.isIdle)
    expect(!driver.machine.hasData)
  }

  @Test func theEntryThatAnObserverWouldMeetFetchesWithTheObserversQuery() {
    var hiding = FetchOptions()
    hiding.resetsData = true
    var driver = EntryDriver()
    driver.observe()
    driver.succeed()
    driver.leave()
    let arrivals = [nil, hiding].map { fetchOptions in
      driver.machine.arrived(.make(), fetchOptions: fetchOptions, in: driver.environment)
    }
    expectEqual(arrivals.map { $0.fetch?.undo.stashed != nil }, [false, true])
    expectEqual(arrivals.map(\.hasData), [true, false])
    expectEqual(arrivals.map(\.fetch?.fetchOptions.resetsData), [false, true])
    expect(driver.machine.hasData && driver.machine.isIdle)
  }

  @Test func theEntryThatAnObserverWouldMeetIsThatAfterItsInitialDataAndItsArrival() {
    for isFetching in [false, true] {
      var driver = EntryDriver()
      if isFetching { driver.request() }
      let now = driver.environment.now
      _ = driver.machine.initialDataPlaced(updatedAt: .seconds(0), in: driver.environment)
      _ = driver.machine.invalidated(isJoining: true, at: now, in: driver.environment)
      let met = driver.machine.arrived(.fresh, fetchOptions: nil, in: driver.environment)
      expect(met.isInvalidated)
      driver.observe(.fresh)
      expectEqual(met, driver.machine)
    }
  }

  // MARK: What observers find, and what is due for them

  @Test func theLookupOfAnObserverIsCountedByWhatItFindsUnlessItIsDisabled() {
    var driver = EntryDriver()
    let options = ResolvedObserverOptions.make(staleAfter: Self.tenSeconds)
    expectEqual(driver.machine.lookup(by: options, at: .zero), .miss)
    driver.request()
    expectEqual(driver.machine.lookup(by: options, at: .zero), .joined)
    driver.succeed()
    expectEqual(driver.machine.lookup(by: options, at: .seconds(9)), .hit)
    expectEqual(driver.machine.lookup(by: options, at: .seconds(10)), .staleHit)
    expectNil(driver.machine.lookup(by: .disabled, at: .zero))
  }

  @Test func onlyTheNetworkTheAppAndTheTimeMakeARefetchDue() {
    let driver = EntryDriver.withData()
    let options = ResolvedObserverOptions.make(
      onReconnect: .always,
      onActive: .always,
      interval: .seconds(10)
    )
    var later = driver.environment
    later.now = .seconds(10)
    let due = FetchCause.allCases.filter {
      driver.machine.isDue(options, since: .zero, $0, in: later)
    }
    expectEqual(due, [.interval, .active, .reconnect])
    expect(!driver.machine.isDue(options, since: .zero, nil, in: later))
  }
}
