@testable import StreamQuery

/// An entry machine with a world around it: tests say what happens, in seconds.
struct EntryDriver {
  var machine = EntryMachine(at: .zero)
  var environment = Environment(now: .seconds(0))

  /// The number of the fetch in flight.
  var currentID: FetchID { machine.fetch?.id ?? FetchID(rawValue: 0) }

  var deadline: Double? {
    machine.deadline(in: environment).map { Double($0.nanoseconds) / 1e9 }
  }

  // MARK: Time

  /// Moves time without telling the machine, as when a timer is late.
  mutating func pass(to seconds: Double) { environment.now = .seconds(seconds) }

  /// Moves time and wakes the machine at each of its deadlines, as the client's timer does.
  @discardableResult
  mutating func run(to seconds: Double) -> [(at: Double, actions: EntryActions)] {
    let end = Timestamp.seconds(seconds)
    var log: [(at: Double, actions: EntryActions)] = []
    while let deadline = machine.deadline(in: environment), deadline <= end.instant,
      log.count < 1_000
    {
      let time = max(deadline, environment.now.instant)
      environment.now = Timestamp(instant: time, date: Double(time.nanoseconds) / 1e9)
      let actions = machine.timeReached(in: environment)
      log.append((Double(time.nanoseconds) / 1e9, actions))
      if actions.step == .drop { return log }
    }
    environment.now = end
    return log
  }

  /// The times up to a limit at which a fetch starts, each of which succeeds after `taking`.
  mutating func starts(to seconds: Double, taking duration: Double = 0) -> [Double] {
    var starts: [Double] = []
    while let deadline = self.deadline, deadline <= seconds, starts.count < 1_000 {
      pass(to: max(deadline, Double(environment.now.instant.nanoseconds) / 1e9))
      guard machine.timeReached(in: environment).started != nil else { continue }
      starts.append(Double(environment.now.instant.nanoseconds) / 1e9)
      run(to: starts[starts.count - 1] + duration)
      succeed()
    }
    pass(to: seconds)
    return starts
  }

  // MARK: Inputs

  @discardableResult
  mutating func adopt(
    networkMode: NetworkMode = .online,
    abandonment: Abandonment = .cancel,
    failureInvalidates: Bool = true,
    gcTime: TimeSpan = .seconds(300)
  ) -> Self {
    var fetchOptions = FetchOptions()
    fetchOptions.networkMode = networkMode
    fetchOptions.abandonment = abandonment
    fetchOptions.failureInvalidates = failureInvalidates
    machine.adopted(fetchOptions: fetchOptions, gcTime: gcTime)
    return self
  }

  @discardableResult
  mutating func observe(
    _ resolvedOptions: ResolvedObserverOptions = .make(),
    _ arrival: EntryMachine.SubscribeKind = .subscribed
  ) -> EntryActions {
    machine.observed(by: resolvedOptions, arrival: arrival, in: environment)
  }

  @discardableResult
  mutating func leave(
    _ resolvedOptions: ResolvedObserverOptions = .make(),
    since: Double = 0
  ) -> EntryActions {
    machine.unobserved(by: resolvedOptions, since: .seconds(since), in: environment)
  }

  @discardableResult
  mutating func request(
    _ cause: FetchCause = .manual,
    superseding: Bool = false,
    clientLease: Bool = false
  ) -> EntryActions {
    machine.requested(
      cause,
      joining: EntryMachine.Joining(superseding: superseding),
      clientLease: clientLease,
      in: environment
    )
  }

  /// Requests a fetch that replaces any other.
  mutating func replaceAny() -> EntryActions {
    machine.requested(.manual, joining: .none, in: environment)
  }

  /// A caller asks and waits, as `fetch` does.
  @discardableResult
  mutating func wait() -> EntryActions {
    let actions = request()
    machine.waiterJoined()
    return actions
  }

  @discardableResult
  mutating func stopWaiting() -> EntryActions { machine.waiterLeft(in: environment) }

  @discardableResult
  mutating func succeed() -> EntryActions {
    machine.attemptSucceeded(currentID, in: environment).actions
  }

  @discardableResult
  mutating func fail(
    retryAfter seconds: Double? = nil,
    keepsPart: Bool = false
  ) -> EntryActions {
    machine.attemptFailed(
      currentID,
      retryAfter: seconds.map(TimeSpan.seconds),
      keepsPart: keepsPart,
      in: environment
    ).actions
  }

  @discardableResult
  mutating func cancel() -> EntryActions { machine.cancelRequested(in: environment) }

  @discardableResult
  mutating func write(
    updatedAt seconds: Double? = nil,
    fencing: Bool = false
  ) -> EntryActions {
    machine.written(
      updatedAt: seconds.map(Timestamp.seconds) ?? environment.now,
      fencing: fencing,
      in: environment
    )
  }

  @discardableResult
  mutating func invalidate() -> EntryActions {
    machine.invalidated(in: environment)
  }

  /// The turn of an attempt has come, where only so many may run at a time.
  @discardableResult
  mutating func turn() -> EntryActions { machine.turnCame(in: environment) }

  @discardableResult
  mutating func online(_ isOnline: Bool) -> EntryActions {
    let cause: FetchCause? = isOnline && !environment.isOnline ? .reconnect : nil
    environment.isOnline = isOnline
    return machine.environmentChanged(cause, in: environment)
  }

  @discardableResult
  mutating func active(_ isActive: Bool) -> EntryActions {
    let cause: FetchCause? = isActive && !environment.isActive ? .active : nil
    environment.isActive = isActive
    return machine.environmentChanged(cause, in: environment)
  }

  /// A machine that got its data at the present time and that nobody wants.
  static func withData(at seconds: Double = 0) -> EntryDriver {
    var driver = EntryDriver()
    driver.adopt()
    driver.pass(to: seconds)
    driver.write()
    return driver
  }

  /// A machine whose last fetch failed and that has no data.
  static func failed() -> EntryDriver {
    var driver = EntryDriver()
    driver.adopt()
    driver.wait()
    driver.fail()
    return driver
  }
}

extension Instant {
  static func seconds(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

extension Timestamp {
  static func seconds(_ seconds: Double) -> Timestamp {
    Timestamp(instant: .seconds(seconds), date: seconds)
  }
}

extension TimeSpan {
  static func seconds(_ seconds: Double) -> TimeSpan {
    TimeSpan(.nanoseconds(Int64(seconds * 1e9)))
  }
}

extension ResolvedObserverOptions {
  static func make(
    enabled: Bool = true,
    staleAfter: TimeSpan = .zero,
    static isStatic: Bool = false,
    onSubscribe: RefetchPolicy.Answer = .ifStale,
    onReconnect: RefetchPolicy.Answer = .ifStale,
    onActive: RefetchPolicy.Answer = .ifStale,
    retries: Bool = true,
    interval: TimeSpan = .infinite,
    inBackground: TimeSpan = .infinite,
    gcTime: TimeSpan? = nil,
    linger: TimeSpan? = nil
  ) -> ResolvedObserverOptions {
    var resolvedOptions = ResolvedObserverOptions()
    resolvedOptions.isEnabled = enabled
    resolvedOptions.freshness = isStatic ? .static : .after(staleAfter)
    resolvedOptions.onSubscribe = onSubscribe
    resolvedOptions.onReconnect = onReconnect
    resolvedOptions.onActive = onActive
    resolvedOptions.retriesOnSubscribe = retries
    resolvedOptions.interval = interval
    resolvedOptions.backgroundInterval = inBackground
    resolvedOptions.gcTime = gcTime
    resolvedOptions.linger = linger
    return resolvedOptions
  }

  /// Never stale by age.
  static let fresh = make(staleAfter: .infinite)
  static let disabled = make(enabled: false)
}

extension EntryMachine {
  /// The same as ``nextDeadline(in:)``, of a copy.
  func deadline(in environment: Environment) -> Instant? {
    var copy = self
    return copy.nextDeadline(in: environment)
  }
}

extension EntryActions {
  /// The fetch whose attempt starts.
  var started: FetchID? { if case .attempt(let id, _) = step { id } else { nil } }

  /// Whether the fetch that starts hides the data.
  var hidesData: Bool { if case .attempt(_, hidesData: true) = step { true } else { false } }

  /// Whether the fetch is paused.
  var paused: Bool { step == .pause }
}

extension EntryActions.Cancellation {
  /// The fetch that is cancelled.
  var id: FetchID {
    switch self {
    case .gone(let id), .restarted(let id): id
    }
  }
}
