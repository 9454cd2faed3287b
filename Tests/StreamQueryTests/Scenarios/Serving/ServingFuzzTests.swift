import StreamQuery
import StreamQueryTesting
import Testing

/// Any order of callers, failures, slow answers, writes and invalidations: each caller is answered
/// once, and nobody gets data that is older than was promised.
struct ServingFuzzTests {
  /// In milliseconds.
  private static let (staleTime, grace) = (10_000, 20_000)

  private struct World {
    let simulation: Simulation
    let client: QueryClient
    let query: Query<Int>
    /// Whether fetches are cancelled, so that whoever began one gets data of any age.
    let isCancelled: Bool
    /// Since when data is invalidated, unless it was updated since.
    let invalidatedAt = Dial<Int?>(nil)
    let answers = Notes<String>()
    let violations = Notes<String>()
    let askedCount = Dial(0)
  }

  private static func milliseconds(_ simulation: Simulation?) -> Int {
    Int((simulation?.now ?? .zero) / .milliseconds(1))
  }

  /// The value is the time at which it was good.
  private static func world(seed: UInt64) -> World {
    let simulation = Simulation(seed: seed)
    let random = Random(seed: seed)
    let query = Query<Int>("n") { [weak simulation] _ in
      let (delay, fails) = (random.below(8), random.below(3) == 0)
      try await Scheduling.current.clock.sleep(for: .milliseconds(delay * 700))
      if fails { throw Boom(delay) }
      return milliseconds(simulation)
    }
    let options =
      query
      .staleTime(.milliseconds(staleTime)).staleIfError(.milliseconds(grace))
      .softTimeout(.milliseconds(1_500)).timeout(.milliseconds(4_500))
      .refreshAhead(.fraction(0.8, jitter: 0.2)).cachesFailures(.milliseconds(900))
    let client = QueryClient(simulation: simulation, configuration: .server)
    return World(simulation: simulation, client: client, query: options, isCancelled: seed % 2 == 0)
  }

  private static func ask(_ world: World, _ kind: Int) -> Task<Void, Never> {
    world.askedCount.with { $0 += 1 }
    let (client, query) = (world.client, world.query)
    return world.simulation.task { [weak simulation = world.simulation] in
      do {
        let value: Int =
          switch kind {
          case 0: try await client.fetch(query, throwOnError: true)
          case 1: try await client.fetch(query, timeout: .milliseconds(800))
          case 2: try await client.fetch(query.softTimeout(.zero))
          default: try await client.fetch(query)
          }
        world.answers.add("got")
        check(world, value, kind, at: milliseconds(simulation))
      } catch {
        world.answers.add("threw")
      }
    }
  }

  private static func check(_ world: World, _ value: Int, _ kind: Int, at now: Int) {
    let bound = staleTime + (kind == 0 ? 0 : grace)
    if now - value > bound { world.violations.add("\(now - value) old") }
    if kind != 0, let mark = world.invalidatedAt.value, mark > value, now > mark + grace {
      world.violations.add("\(now - mark) after its invalidation")
    }
  }

  private static func step(_ world: World, _ random: Random, _ callers: inout [Task<Void, Never>]) {
    let now = milliseconds(world.simulation)
    switch random.below(16) {
    case 0:
      let query = world.query
      world.client.setData(now, for: query)
    case 1:
      world.invalidatedAt.value = now
      _ = world.simulation.task { await world.client.invalidate(.query(world.query)) }
    case 2 where world.isCancelled: world.client.cancel(world.query)
    case 3 where !callers.isEmpty: callers[random.below(callers.count)].cancel()
    case 4, 5, 6: world.simulation.advance(by: .milliseconds(random.below(20_000)))
    case 7: world.simulation.advance(by: .milliseconds(random.below(1_000)))
    default: callers.append(ask(world, random.below(8)))
    }
    if random.below(2) == 0 { world.simulation.advance(by: .milliseconds(random.below(900))) }
  }

  @Test(arguments: Seeds.few(30))
  func nobodyIsForgottenAndNothingIsTooOld(seed: UInt64) {
    let (world, random) = (Self.world(seed: seed), Random(seed: seed &+ 1_000))
    var callers: [Task<Void, Never>] = []
    for _ in 0..<80 { Self.step(world, random, &callers) }
    world.simulation.advance(by: .seconds(30))
    expectEqual(world.answers.count, world.askedCount.value)
    if !world.isCancelled { expectEqual(world.violations.all, []) }
    expect(!world.client.result(for: world.query.key).isFetching)
    expectEqual(world.simulation.leakReport(), [])
  }

  /// The same numbers whichever thread asks.
  private final class Random: Sendable {
    private let state: Dial<UInt64>

    init(seed: UInt64) { state = Dial(seed) }

    func below(_ bound: Int) -> Int {
      state.with { state in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
    }
  }
}
