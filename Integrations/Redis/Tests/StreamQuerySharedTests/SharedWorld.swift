import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Synchronization

/// A value that a test changes by hand and closures read.
final class Dial<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}

struct Boom: Error, CustomStringConvertible {
  var description: String { "boom" }
}

/// The way of one machine to the store, which may break.
final class Link: SharedStore {
  enum Fault: Sendable {
    case none
    /// Calls fail at once.
    case away
    /// Invalidations and writes fail at once; the others are answered.
    case refusing
    /// Calls never answer, cancelled or not.
    case hanging
  }

  let store: any SharedStore
  let clock: any Clock<Duration>
  let fault = Dial(Fault.none)
  /// How long each way takes.
  let delay = Dial(Duration.zero)
  /// How long the answer of an invalidation or a commit takes in addition.
  let changeDelay = Dial(Duration.zero)
  /// How long messages take in addition.
  let logDelay = Dial(Duration.zero)
  /// What replaces the answer of a call.
  let beginning = Dial<(@Sendable (SharedBeginning) -> SharedBeginning)?>(nil)
  let reading = Dial<(@Sendable (SharedChanges) -> SharedChanges)?>(nil)
  /// How many marks an invalidation has at most.
  let marksAtMost = Dial(Int.max)
  let calls = Dial<[String]>([])
  private let stuck = Dial<[CheckedContinuation<Void, Never>]>([])

  init(_ store: any SharedStore, clock: any Clock<Duration>) {
    self.store = store
    self.clock = clock
  }

  /// Ends calls that hang, so that nothing is left of them.
  func giveUp() {
    let waiting = stuck.with { waiting in
      defer { waiting = [] }
      return waiting
    }
    for call in waiting { call.resume() }
  }

  private func pass<Value: Sendable>(
    _ name: String,
    extra: Duration = .zero,
    _ body: () async throws(SharedStoreError) -> Value
  ) async throws(SharedStoreError) -> Value {
    calls.with { $0.append(name) }
    try await trouble(name)
    let value = try await body()
    try? await clock.sleep(for: delay.value + extra)
    try await trouble(name)
    return value
  }

  private func trouble(_ name: String) async throws(SharedStoreError) {
    try? await clock.sleep(for: delay.value)
    switch fault.value {
    case .none: break
    case .away: throw .unavailable("away")
    case .refusing:
      if ["invalidate", "write"].contains(name) { throw .unavailable("refused") }
    case .hanging:
      await withCheckedContinuation { call in stuck.with { $0.append(call) } }
      throw .unavailable("given up")
    }
  }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    let found = try await pass("begin") { () async throws(SharedStoreError) in
      try await store.begin(key, maxAge: maxAge, lease: lease)
    }
    return beginning.value?(found) ?? found
  }

  func renew(
    _ lease: SharedLease,
    for duration: Duration
  ) async throws(SharedStoreError) -> Bool {
    try await pass("renew") { () async throws(SharedStoreError) in
      try await store.renew(lease, for: duration)
    }
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    try await pass("commit", extra: changeDelay.value) { () async throws(SharedStoreError) in
      try await store.commit(value, with: lease, lifetime: lifetime)
    }
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    try await pass("abandon") { () async throws(SharedStoreError) in
      try await store.abandon(lease, failure: failure)
    }
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try await pass("write", extra: changeDelay.value) { () async throws(SharedStoreError) in
      try await store.write(value, for: key, lifetime: lifetime)
    }
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    try await pass("invalidate", extra: changeDelay.value) { () async throws(SharedStoreError) in
      guard marks.count <= marksAtMost.value else {
        throw .tooLarge(bytes: marks.count, limit: marksAtMost.value)
      }
      return try await store.invalidate(marks)
    }
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    let wait = reading.value == nil ? wait : .zero
    let extra = logDelay.value
    let found = try await pass("changes", extra: extra) { () async throws(SharedStoreError) in
      try await store.changes(after: position, timeout: wait)
    }
    return reading.value?(found) ?? found
  }
}

/// A machine: a client with its part in the shared cache.
struct Machine: Sendable {
  let client: QueryClient
  let cache: SharedCache
  let link: Link
  let events: Dial<[String]>
  let running: Task<Void, Never>?

  /// What happened, without what the log told.
  var story: [String] {
    events.value.filter { !$0.hasPrefix("invalidated") && $0 != "follows log" }
  }
}

/// Several machines, their store, and what is upstream of them.
final class World {
  let simulation: Simulation
  let store: MemorySharedStore
  /// The truth, and how often it was asked for.
  let truth = Dial(1)
  let requests = Dial(0)
  let failure = Dial<(any Error)?>(nil)
  /// How long upstream takes.
  let duration = Dial(Duration.seconds(1))
  private(set) var machines: [Machine] = []

  init(seed: UInt64 = 15) {
    simulation = Simulation(seed: seed)
    store = MemorySharedStore(simulation.scheduling)
  }

  deinit {
    for machine in machines {
      machine.running?.cancel()
      machine.link.fault.value = .none
      machine.link.giveUp()
      machine.client.shutDown()
    }
    simulation.settle()
  }

  @discardableResult
  func machine(
    namespace: String = "app",
    running: Bool = true,
    fetchesAtOnce: Int? = nil,
    entries: Int? = nil,
    _ configure: (inout SharedCacheConfiguration) -> Void = { _ in }
  ) -> Machine {
    var server = QueryClient.Configuration.server
    server.maxConcurrentFetches = fetchesAtOnce
    if let entries { server.limit?.maxEntries = entries }
    let client = QueryClient(simulation: simulation, configuration: server)
    let events = Dial<[String]>([])
    var configuration = SharedCacheConfiguration(namespace: namespace)
    configuration.onEvent = { event in events.with { $0.append(event.line) } }
    configure(&configuration)
    let link = Link(store, clock: simulation.clock)
    let cache = SharedCache(link, forNew: client, configuration)
    let task = running ? simulation.task("log") { await cache.run() } : nil
    simulation.settle()
    let machine = Machine(client: client, cache: cache, link: link, events: events, running: task)
    machines.append(machine)
    return machine
  }

  /// The shared query, whose data is the truth at the time of the request.
  func query(
    _ machine: Machine,
    _ name: String = "n",
    tags: [String] = [],
    form: String = "1",
    staleTime: Duration = .seconds(60)
  ) -> Query<Int> {
    bare(name).staleTime(staleTime).shared(through: machine.cache, tags: tags, form: form)
  }

  /// The query before it is shared.
  func bare(_ name: String = "n") -> Query<Int> {
    Query<Int>("rates", name) { [truth, requests, failure, duration] in
      let value = truth.value
      requests.with { $0 += 1 }
      try await Scheduling.current.clock.sleep(for: duration.value)
      if let error = failure.value { throw error }
      return value
    }
  }

  /// What a machine fetches.
  func fetch(_ machine: Machine, _ query: Query<Int>? = nil) -> Result<Int, any Error> {
    let query = query ?? self.query(machine)
    return simulation.run { () async -> Result<Int, any Error> in
      do { return .success(try await machine.client.fetch(query)) } catch { return .failure(error) }
    }
  }

  func value(_ machine: Machine, _ query: Query<Int>? = nil) -> Int? {
    try? fetch(machine, query).get()
  }

  /// A fetch that runs while the test does something else.
  func start(_ machine: Machine, _ query: Query<Int>? = nil) -> Running {
    let query = query ?? self.query(machine)
    let outcome = Dial<Result<Int, any Error>?>(nil)
    let task = simulation.task("fetch") { () async -> Void in
      do {
        let value = try await machine.client.fetch(query)
        outcome.value = .success(value)
      } catch {
        outcome.value = .failure(error)
      }
    }
    simulation.settle()
    return Running(task: task, outcome: outcome)
  }

  struct Running: Sendable {
    let task: Task<Void, Never>
    let outcome: Dial<Result<Int, any Error>?>

    var value: Int? { try? outcome.value?.get() }
    var error: (any Error)? {
      if case .failure(let error) = outcome.value { error } else { nil }
    }
    var isOver: Bool { outcome.value != nil }
  }

  func advance(_ seconds: Double) {
    simulation.advance(by: .milliseconds(Int64((seconds * 1_000).rounded())))
  }
}

extension SharedCacheEvent {
  /// A short line for tests.
  var line: String {
    switch self {
    case .hit: "hit"
    case .leads: "leads"
    case .follows: "follows"
    case .alone(_, let reason): "alone: \(reason.rawValue)"
    case .committed: "committed"
    case .outdated(_, let again): again ? "outdated" : "outdated for good"
    case .unreadable: "unreadable"
    case .failedElsewhere(_, let reason): "failed elsewhere: \(reason)"
    case .followsLog: "follows log"
    case .invalidated(let count): "invalidated \(count)"
    case .gap(let count): "gap \(count)"
    case .untrusted(let count): "untrusted \(count)"
    case .storeAway: "store away"
    case .storeBack: "store back"
    case .releasedWhileAway: "released while away"
    }
  }
}
