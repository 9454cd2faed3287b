internal import StreamQuery
internal import StreamQueryShared
internal import StreamQueryTesting

/// What upstream answers.
struct NetworkAnswer: Codable, Hashable, Sendable {
  var version: Int
}

/// A machine of a network: a client, and its part in the shared cache.
final class NetworkNode: Sendable {
  let number: Int
  private let client: QueryClient
  private let cache: SharedCache
  private let world: NetworkWorld
  private let queries: [Query<NetworkAnswer>]
  private let now: @Sendable () -> Duration
  private let running: Task<Void, Never>

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
      world.locked { $0.meter.events[event.networkName, default: 0] += 1 }
    }
    let cache = SharedCache(link, forNew: client, configuration)
    (self.number, self.client, self.cache, self.world) = (number, client, cache, world)
    self.now = now
    queries = (0..<plan.keys).map { key in
      Self.query(key, number, plan, world, clock: clock, now: now)
        .shared(through: cache, tags: ["#\(key)"])
    }
    running = simulation.task("log of \(number)") { await cache.run() }
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
    return Query<NetworkAnswer>("value", key) {
      let time = now()
      let version = world.locked { state in
        state.judge.asked(key, by: node, at: time)
        state.meter.upstream[Int(time.components.seconds), default: 0] += 1
        return state.judge.version(of: key)
      }
      try await clock.sleep(for: fetchTime)
      return NetworkAnswer(version: version)
    }
    .staleTime(plan.staleTime)
  }

  /// A caller asks for a key.
  @discardableResult
  func fetch(_ key: Int) async -> Int? {
    let start = now()
    let call = world.locked { $0.judge.began(key, on: number, at: start) }
    let version = try? await client.fetch(queries[key]).version
    let end = now()
    world.locked { state in
      state.meter.fetches += 1
      state.meter.waited += end - start
      state.meter.longest = max(state.meter.longest, end - start)
      if version == nil { state.meter.failed += 1 }
      state.judge.ended(call, with: version, at: end)
    }
    return version
  }

  /// Upstream changes, and the node tells the others until it has told them.
  func change(_ key: Int, clock: SimulationClock) async {
    let time = now()
    let version = world.locked { $0.judge.changed(key, at: time) }
    while !Task.isCancelled, !world.locked({ $0.dead.contains(number) }) {
      do {
        try await cache.invalidate(tags: "#\(key)")
        world.locked { $0.judge.knows(version, of: key, node: number) }
        return
      } catch {
        try? await clock.sleep(for: .milliseconds(500))
      }
    }
  }

  func end() {
    running.cancel()
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
    }
  }
}
