internal import StreamQuery
internal import StreamQueryShared
internal import StreamQueryTesting

/// The answer of upstream.
struct NetworkAnswer: Codable, Hashable, Sendable {
  var version: Int
}

/// The error of upstream.
struct NetworkFailure: Error {}

/// A machine of a network: a client, and its part in the shared cache.
final class NetworkNode: Sendable {
  let number: Int
  private let client: QueryClient
  private let cache: SharedCache
  private let world: NetworkWorld
  private let queries: [Query<NetworkAnswer>]
  private let now: @Sendable () -> Duration
  private let running: Task<Void, Never>
  private let observers: [Task<Void, Never>]

  init(
    _ number: Int,
    _ plan: NetworkPlan,
    _ store: any SharedStore,
    _ world: NetworkWorld,
    _ simulation: Simulation
  ) {
    let now: @Sendable () -> Duration = { [clock = simulation.clock] in clock.now.offset }
    let clock = simulation.clock
    let link = NetworkLink(
      number,
      store,
      world,
      clock: clock,
      now: now,
      patience: plan.configuration.timeout * 2
    )
    let client = QueryClient(simulation: simulation)
    var configuration = plan.broken ?? plan.configuration
    configuration.onEvent = { event in
      let time = now()
      world.locked { state in
        state.meter.events[event.networkName, default: 0] += 1
        guard case .alone(let key, .storeAway) = event else { return }
        state.meter.alone[Int(time.components.seconds), default: 0] += 1
        guard let key = Int(key.filter { $0.isNumber }) else { return }
        state.judge.askedAlone(key, by: number, at: time)
      }
    }
    let cache = SharedCache(link, forNew: client, configuration)
    (self.number, self.client, self.cache, self.world) = (number, client, cache, world)
    self.now = now
    let queries = (0..<plan.keys).map { key in
      Self.query(key, number, plan, world, clock: clock, now: now)
        .shared(through: cache, tags: ["#\(key)"])
        .aroundFetch { _, fetch in
          let answer = try await fetch()
          let time = now()
          world.locked { state in
            if state.judge.landed(answer.version, of: key, node: number, at: time) {
              state.meter.outdated += 1
            }
          }
          return answer
        }
    }
    self.queries = queries
    running = simulation.task("log of \(number)") { await cache.run() }
    let choice = ZipfChoice(count: plan.keys)
    var random = NetworkRandom(seed: plan.seed &* 7919 &+ UInt64(number))
    observers = (0..<plan.observersPerNode).map { _ in
      let key = choice.choose(&random)
      let results = client.stream(queries[key])
      return simulation.task("observer of \(number)") {
        var last: Int?
        for await result in results {
          guard let version = result.data?.version else { continue }
          let former = last
          world.locked { $0.judge.observed(version, after: former, of: key, node: number) }
          last = version
        }
      }
    }
  }

  private static func query(
    _ key: Int,
    _ node: Int,
    _ plan: NetworkPlan,
    _ world: NetworkWorld,
    clock: SimulationClock,
    now: @escaping @Sendable () -> Duration
  ) -> Query<NetworkAnswer> {
    let fetchTime = plan.fetchTime
    let query = Query<NetworkAnswer>("value", key) {
      let time = now()
      let (version, upstream) = world.locked { state in
        if !state.judge.asked(key, by: node, at: time) { state.meter.excused += 1 }
        state.meter.upstream[Int(time.components.seconds), default: 0] += 1
        return (state.judge.version(of: key), state.upstream)
      }
      do {
        try await clock.sleep(for: upstream == .hangs ? .seconds(1 << 20) : fetchTime)
        if upstream == .fails { throw NetworkFailure() }
      } catch {
        world.locked { $0.judge.gotNothing(key, by: node, askedAt: time) }
        throw error
      }
      return NetworkAnswer(version: version)
    }
    .staleTime(plan.staleTime)
    .retry(plan.retries) { _ in NetworkPlan.retryDelay }
    return plan.attemptTimeout.map { query.timeout($0) } ?? query
  }

  /// Fetches a key for a caller, and reports the call to the judge of the promises.
  @discardableResult
  func fetch(_ key: Int) async -> Int? {
    let start = now()
    let call = world.locked { state in
      state.calls += 1
      return state.judge.began(key, on: number, at: start)
    }
    let version = try? await client.fetch(queries[key]).version
    let end = now()
    world.locked { state in
      state.calls -= 1
      state.meter.fetches += 1
      state.meter.waited += end - start
      state.meter.longest = max(state.meter.longest, end - start)
      if version == nil { state.meter.failed += 1 }
      state.judge.ended(call, with: version, at: end)
    }
    return version
  }

  /// Invalidates the node's own data after a change upstream.
  ///
  /// The other nodes do not hear of the change.
  func invalidate(_ key: Int, of version: Int, refetches: Bool) {
    client.markInvalidated(.query(queries[key]), refetch: refetches ? .active : .never)
    world.locked { $0.judge.knows(version, of: key, node: number) }
  }

  /// Reports a change upstream to the other nodes, again and again until a report succeeds.
  func change(_ key: Int, to version: Int, clock: SimulationClock) async {
    while !Task.isCancelled, !world.locked({ $0.dead.contains(number) }) {
      do {
        try await doubting(key) { try await cache.invalidate(tags: "#\(key)") }
        world.locked { $0.judge.knows(version, of: key, node: number) }
        return
      } catch {
        try? await clock.sleep(for: .milliseconds(500))
      }
    }
  }

  /// Writes the new value after a change upstream, again and again until a write succeeds.
  ///
  /// No other node may change the key meanwhile. The store would keep the value of the last write, which
  /// might be the older one.
  func write(_ key: Int, of version: Int, clock: SimulationClock) async {
    defer { world.locked { _ = $0.written.remove(key) } }
    while !Task.isCancelled, !world.locked({ $0.dead.contains(number) }) {
      do {
        try await doubting(key) {
          try await cache.write(NetworkAnswer(version: version), for: queries[key])
        }
        world.locked { $0.judge.knows(version, of: key, node: number) }
        return
      } catch {
        try? await clock.sleep(for: .milliseconds(500))
      }
    }
  }

  /// Runs a change of a key, and tells the judge of the promises when the change begins and ends.
  private func doubting(_ key: Int, _ change: () async throws -> Void) async rethrows {
    world.locked { $0.judge.changes(key, by: number) }
    defer {
      let time = now()
      world.locked { $0.judge.tried(key, by: number, at: time) }
    }
    try await change()
  }

  func end() {
    running.cancel()
    for observer in observers { observer.cancel() }
    client.shutDown()
  }
}

extension SharedCacheEvent {
  fileprivate var networkName: String {
    switch self {
    case .hit: "hits in the store"
    case .leads: "led"
    case .follows: "followed"
    case .alone(_, let reason): "alone: \(reason.rawValue)"
    case .committed: "committed"
    case .outdated: "outdated"
    case .unreadable: "unreadable"
    case .failedElsewhere: "failed elsewhere"
    case .followsLog: "follow the log"
    case .invalidated: "invalidated"
    case .gap: "gaps"
    case .untrusted: "untrusted"
    case .storeAway: "store away"
    case .storeBack: "store back"
    case .releasedWhileAway: "released while away"
    }
  }
}
