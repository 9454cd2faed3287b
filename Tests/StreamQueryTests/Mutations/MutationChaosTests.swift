import StreamQuery
import StreamQueryTesting
import Testing

/// Runs that await each other, queries and networks, in a world where everything may go at any time.
private final class ChaosWorld: Sendable {
  let simulation: Simulation
  let online = ManualSignal(true)
  let active = ManualSignal(true)
  let client: QueryClient
  let callers = Dial<[Task<Int, any Error>]>([])
  let recordings = Dial<[ResultRecording<QueryResult<Int>>]>([])

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    client = QueryClient(simulation: simulation) { [online, active] in
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
      $0.onMisuse = { _ in }
    }
  }

  func random(_ bound: Int) -> Int { Int(simulation.nextRandom() % UInt64(bound)) }

  func query(_ key: Int) -> Query<Int> {
    Query("n", key) {
      try await Scheduling.current.clock.sleep(for: .milliseconds(7))
      return key
    }
  }

  /// A mutation whose work may await another one, up to a depth.
  func mutation(_ depth: Int) -> Mutation<Int, Int> {
    let key = random(3)
    let (mine, other) = (query(key), query(random(3)))
    let duration = Duration.milliseconds(random(15))
    let inner = depth > 0 && random(2) == 0 ? mutation(depth - 1) : nil
    let (plan, isDetached, way) = (random(4), random(3) == 0, random(5))
    var mutation = Mutation("m", depth) { (input: Int, context: MutationContext) in
      try await Scheduling.current.clock.sleep(for: duration)
      if plan == 0 { throw Boom(input) }
      if plan == 1 { _ = try await context.client.fetch(other) }
      guard let inner else { return input }
      return try await context.client.mutate(inner, with: input + 1, detached: isDetached)
    }
    .retry(.times(random(2)).backoff(.constant(.milliseconds(5))))
    .networkMode([.online, .always, .offlineFirst][random(3)])
    if random(3) != 0 {
      mutation = mutation.optimistic { input, changes in changes.update(mine) { $0 = input } }
    }
    if random(3) == 0 {
      mutation = mutation.onMutate { _, _ in
        try await Scheduling.current.clock.sleep(for: duration)
      }
    }
    mutation = mutation.onSuccess { output, context in
      switch way {
      case 0: await context.client.invalidate(mine)
      case 1: context.client.setData(output, for: mine)
      case 2: _ = try await context.client.fetch(other)
      case 3: throw Boom()
      default: break
      }
    }
    return random(3) == 0 ? mutation : mutation.scope("lane \(random(3))")
  }

  func step(_ number: Int) {
    let query = query(random(3))
    switch random(20) {
    case 0...6:
      let caller = simulation.start(
        mutation(2),
        with: number,
        on: client,
        detached: random(4) == 0
      )
      callers.with { $0.append(caller) }
    case 7...8: callers.value.randomElement(using: &source)?.cancel()
    case 9: client.remove(.query(query))
    case 10: _ = simulation.task { [client] in await client.reset(query) }
    case 11: client.setData(number, for: query, fencing: true)
    case 12: _ = simulation.task { [client] in await client.invalidate(query) }
    case 13...14: online.send(!online.value)
    case 15: active.send(!active.value)
    case 16: client.cancelMutations(.prefix("m", random(3)))
    case 17: if random(4) == 0 { client.clear() }
    case 18: recordings.with { $0.append(simulation.record(client.stream(query))) }
    default: recordings.value.randomElement(using: &source)?.cancel()
    }
    simulation.advance(by: .milliseconds(random(12)))
  }

  private var source: Source {
    get { Source(simulation: simulation) }
    set {}
  }

  struct Source: RandomNumberGenerator {
    let simulation: Simulation
    func next() -> UInt64 { simulation.nextRandom() }
  }
}

struct MutationChaosTests {
  // T66 T70 T72 laws 6 7 13: whatever happens, all runs end, and nothing stays behind.
  @Test(arguments: Seeds.few(20))
  func allRunsEndAndLeaveNothingBehind(seed: UInt64) throws {
    let environment = ChaosWorld(seed: seed)
    let (simulation, client) = (environment.simulation, environment.client)
    for number in 0..<60 { environment.step(number) }
    environment.online.send(true)
    environment.active.send(true)
    simulation.advance(by: .seconds(30))
    expectEqual(
      client.mutatingCount(),
      0,
      "\(client.mutations(.pending).map { "\($0.key) \($0.scope ?? "-") \($0.isPaused)" })"
    )
    for key in 0..<3 {
      let result = client.result(for: environment.query(key).key)
      expect(!result.isOptimistic)
      expectEqual(result.fetchStatus, .idle)
    }
    for lane in 0..<3 {
      let next = Mutation("next") { (input: Int) in input }.scope("lane \(lane)")
      let caller = simulation.start(next, with: lane, on: client)
      simulation.advance(by: .milliseconds(1))
      expectEqual(client.run(of: next).output, lane)
      withExtendedLifetime(caller) {}
    }
    for recording in environment.recordings.value { recording.cancel() }
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }
}
