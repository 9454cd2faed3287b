public import StreamQuery
public import StreamQueryShared
internal import Synchronization

/// A store that all clients of one process share, for tests: a ``SharedStoreModel`` with a clock.
///
/// In a simulation, the store uses virtual time:
///
/// ```swift
/// let store = MemorySharedStore(simulation.scheduling)
/// ```
///
/// The store can fail like a server: ``crash()``, ``restart(forgetting:)``, ``pause()``, ``resume()``
/// and ``failOver(to:)``. A call to a paused store waits until the store continues, or the call is
/// cancelled.
public final class MemorySharedStore: SharedStore {
  /// Whether the store answers.
  enum Condition: Equatable, Sendable {
    case runs
    case paused
    case crashed
  }

  struct State: Sendable {
    var model: SharedStoreModel
    var condition = Condition.runs
    var lives = 1
    var waiters = Waiters()
    var calls = 0
  }

  let name: String
  let clock: any Clock<Duration>
  let elapsed: @Sendable () -> Duration
  let state: Mutex<State>

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - scheduling: The clock of ages, leases and waits. The store starts no task on the executor.
  ///   - name: The beginning of the names of the store's histories.
  ///   - limits: The limits.
  public init(
    _ scheduling: Scheduling = .current,
    name: String = "memory",
    limits: SharedStoreLimits = SharedStoreLimits()
  ) {
    self.name = name
    clock = scheduling.clock
    elapsed = Self.elapsed(on: scheduling.clock)
    let model = SharedStoreModel(history: SharedHistory("\(name)-1"), limits: limits)
    state = Mutex(State(model: model))
  }

  private static func elapsed<C: Clock<Duration>>(on clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// The present entries, leases and log.
  public var model: SharedStoreModel { state.withLock { $0.model } }

  /// The number of calls that the store has performed, without calls that found it crashed.
  public var calls: Int { state.withLock { $0.calls } }

  /// The time by the store's clock.
  public var now: Duration { elapsed() }

  // MARK: SharedStore

  /// Reads the entry of a key, or takes the lease to fetch it.
  public func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    try await perform { model, now throws(SharedStoreError) in
      try model.begin(key, maxAge: maxAge, lease: lease, now: now)
    }
  }

  /// Extends a lease from now on.
  public func renew(
    _ lease: SharedLease,
    for duration: Duration
  ) async throws(SharedStoreError) -> Bool {
    try await perform { model, now in model.renew(lease, for: duration, now: now) }
  }

  /// Makes a value the entry of the lease's key, and ends the lease.
  public func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    try await perform { model, now throws(SharedStoreError) in
      try model.commit(value, with: lease, lifetime: lifetime, now: now)
    }
  }

  /// Ends a lease without a value.
  public func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    try await perform { model, now in model.abandon(lease, failure: failure, now: now) }
  }

  /// Makes a value the entry of a key, also if another machine has the lease.
  public func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try await perform { model, now throws(SharedStoreError) in
      try model.write(value, for: key, lifetime: lifetime, now: now)
    }
  }

  /// Invalidates all entries with one of some marks (keys, prefixes, tags).
  public func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    try await perform { model, now throws(SharedStoreError) in
      try model.invalidate(marks, now: now)
    }
  }

  /// Reads the messages of the log after a position, and waits for messages without polling.
  public func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    let deadline = elapsed() + wait
    while true {
      let found = try await perform { model, _ in model.changes(after: position) }
      let rest = deadline - elapsed()
      guard let position, found.messages.isEmpty, !found.isGap, rest > .zero else { return found }
      await waitForChange(since: position, atMost: rest)
      if Task.isCancelled { throw .cancelled }
    }
  }
}
