@testable import StreamQuery

/// An entry machine with a world around it: tests say what happens, in seconds.
struct EntryDriver {
  var machine = EntryMachine(at: .zero)
  var world = World(now: .seconds(0))

  /// The number of the fetch in flight.
  var currentID: FetchID { machine.current?.id ?? FetchID(rawValue: 0) }

  var deadline: Double? {
    machine.nextDeadline(in: world).map { Double($0.nanoseconds) / 1e9 }
  }

  // MARK: Time

  /// Moves time without telling the machine, as when a timer is late.
  mutating func pass(to seconds: Double) { world.now = .seconds(seconds) }

  /// Moves time and wakes the machine at each of its deadlines, as the client's timer does.
  @discardableResult
  mutating func run(to seconds: Double) -> [(at: Double, effects: EntryEffects)] {
    let end = Timestamp.seconds(seconds)
    var log: [(at: Double, effects: EntryEffects)] = []
    while let deadline = machine.nextDeadline(in: world), deadline <= end.moment, log.count < 1_000
    {
      let time = max(deadline, world.now.moment)
      world.now = Timestamp(moment: time, date: Double(time.nanoseconds) / 1e9)
      let effects = machine.timeReached(in: world)
      log.append((Double(time.nanoseconds) / 1e9, effects))
      if effects.expired { return log }
    }
    world.now = end
    return log
  }

  /// The times up to a limit at which a fetch starts, each of which succeeds after `taking`.
  mutating func starts(to seconds: Double, taking duration: Double = 0) -> [Double] {
    var starts: [Double] = []
    while let deadline = self.deadline, deadline <= seconds, starts.count < 1_000 {
      pass(to: max(deadline, Double(world.now.moment.nanoseconds) / 1e9))
      guard machine.timeReached(in: world).started != nil else { continue }
      starts.append(Double(world.now.moment.nanoseconds) / 1e9)
      run(to: starts[starts.count - 1] + duration)
      succeed()
    }
    pass(to: seconds)
    return starts
  }

  // MARK: Inputs

  @discardableResult
  mutating func plan(
    networkMode: NetworkMode = .online,
    abandonment: Abandonment = .cancel,
    failureInvalidates: Bool = true,
    gcTime: Span = .seconds(300)
  ) -> Self {
    var terms = FetchTerms()
    terms.networkMode = networkMode
    terms.abandonment = abandonment
    terms.failureInvalidates = failureInvalidates
    machine.planned(terms: terms, gcTime: gcTime)
    return self
  }

  @discardableResult
  mutating func observe(
    _ profile: ObserverProfile = .make(),
    _ arrival: EntryMachine.Arrival = .subscribed
  ) -> EntryEffects {
    machine.observed(by: profile, arrival: arrival, in: world)
  }

  @discardableResult
  mutating func leave(_ profile: ObserverProfile = .make(), since: Double = 0) -> EntryEffects {
    machine.unobserved(by: profile, since: .seconds(since), in: world)
  }

  @discardableResult
  mutating func request(
    _ cause: FetchCause = .manual,
    superseding: Bool = false,
    clientLease: Bool = false
  ) -> EntryEffects {
    machine.requested(cause, superseding: superseding, clientLease: clientLease, in: world)
  }

  /// A caller asks and waits, as `fetch` does.
  @discardableResult
  mutating func wait() -> EntryEffects {
    let effects = request()
    machine.waiterJoined()
    return effects
  }

  @discardableResult
  mutating func stopWaiting() -> EntryEffects { machine.waiterLeft(in: world) }

  @discardableResult
  mutating func succeed() -> EntryEffects { machine.attemptSucceeded(currentID, in: world) }

  @discardableResult
  mutating func fail(retryAfter seconds: Double? = nil) -> EntryEffects {
    machine.attemptFailed(currentID, retryAfter: seconds.map(Span.seconds), in: world)
  }

  @discardableResult
  mutating func cancel() -> EntryEffects { machine.cancelRequested(in: world) }

  @discardableResult
  mutating func write(
    updatedAt seconds: Double? = nil,
    fencing: Bool = false
  ) -> EntryEffects {
    machine.written(
      updatedAt: seconds.map(Timestamp.seconds) ?? world.now,
      fencing: fencing,
      in: world
    )
  }

  @discardableResult
  mutating func invalidate() -> EntryEffects {
    machine.invalidated(in: world)
  }

  @discardableResult
  mutating func online(_ isOnline: Bool) -> EntryEffects {
    let cause: FetchCause? = isOnline && !world.isOnline ? .reconnect : nil
    world.isOnline = isOnline
    return machine.worldChanged(cause, in: world)
  }

  @discardableResult
  mutating func active(_ isActive: Bool) -> EntryEffects {
    let cause: FetchCause? = isActive && !world.isActive ? .active : nil
    world.isActive = isActive
    return machine.worldChanged(cause, in: world)
  }

  /// A machine that got its data at the present time and that nobody wants.
  static func withData(at seconds: Double = 0) -> EntryDriver {
    var driver = EntryDriver()
    driver.plan()
    driver.pass(to: seconds)
    driver.write()
    return driver
  }

  /// A machine whose last fetch failed and that has no data.
  static func failed() -> EntryDriver {
    var driver = EntryDriver()
    driver.plan()
    driver.wait()
    driver.fail()
    return driver
  }
}

extension Moment {
  static func seconds(_ seconds: Double) -> Moment {
    Moment(nanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

extension Timestamp {
  static func seconds(_ seconds: Double) -> Timestamp {
    Timestamp(moment: .seconds(seconds), date: seconds)
  }
}

extension Span {
  static func seconds(_ seconds: Double) -> Span { Span(.nanoseconds(Int64(seconds * 1e9))) }
}

extension ObserverProfile {
  static func make(
    enabled: Bool = true,
    staleAfter: Span = .zero,
    static isStatic: Bool = false,
    onSubscribe: RefetchPolicy = .ifStale,
    onReconnect: RefetchPolicy = .ifStale,
    onActive: RefetchPolicy = .ifStale,
    retries: Bool = true,
    interval: Span = .infinite,
    inBackground: Span = .infinite,
    gcTime: Span? = nil,
    linger: Span? = nil
  ) -> ObserverProfile {
    var profile = ObserverProfile()
    profile.isEnabled = enabled
    profile.freshness = isStatic ? .static : .after(staleAfter)
    profile.onSubscribe = onSubscribe
    profile.onReconnect = onReconnect
    profile.onActive = onActive
    profile.retriesOnSubscribe = retries
    profile.interval = interval
    profile.backgroundInterval = inBackground
    profile.gcTime = gcTime
    profile.linger = linger
    return profile
  }

  /// Never stale by age.
  static let fresh = make(staleAfter: .infinite)
  static let disabled = make(enabled: false)
}
