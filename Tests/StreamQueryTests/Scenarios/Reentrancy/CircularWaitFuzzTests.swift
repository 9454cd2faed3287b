import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Two clients whose fetches and runs await each other's at random, and a plain record of who waits for
/// whom, kept by the works themselves.
private final class WaitingWorld: Sendable {
  enum Work: Hashable, Sendable {
    case fetch(client: Int, key: Int)
    case run(client: Int, scope: Int?, number: Int)
  }

  private struct State: Sendable {
    var lastNumber = 0
    /// From the call until the caller goes on, so a little longer than in truth.
    var waits: [Int: (source: Work, target: Work)] = [:]
    var runs: [Work] = []
    var (open, calls, refused, wrong) = (0, 0, 0, [String]())
  }

  private let state = Dial(State())
  private let dice: Simulation
  private let peers: [Peer]
  private let executor: any TaskExecutor

  init(seed: UInt64, _ clients: [QueryClient], _ executor: any TaskExecutor) {
    dice = Simulation(seed: seed)
    peers = clients.map(Peer.init)
    self.executor = executor
  }

  var outcome: (open: Int, calls: Int, refused: Int, wrong: [String]) {
    state.with { ($0.open, $0.calls, $0.refused, $0.wrong) }
  }

  func random(_ bound: Int) -> Int {
    Int(dice.nextRandom() % UInt64(bound))
  }

  // MARK: The record

  private static func waits(_ work: Work, for other: Work, _ state: State) -> Bool {
    var found = [work]
    var place = 0
    while place < found.count {
      let present = found[place]
      if present == other { return true }
      place += 1
      var next = state.waits.values.filter { $0.source == present }.map(\.target)
      if case .run(let client, let scope?, let number) = present {
        for case .run(client, scope, let ahead) in state.runs where ahead < number {
          next.append(.run(client: client, scope: scope, number: ahead))
        }
      }
      for work in next where !found.contains(work) { found.append(work) }
    }
    return false
  }

  private func call(
    _ target: Work,
    from source: Work?,
    _ body: () async throws -> Int
  ) async {
    let (call, closes) = state.with { state -> (Int, Bool) in
      state.calls += 1
      state.open += 1
      let closes = source.map { Self.waits(target, for: $0, state) } ?? false
      if let source { state.waits[state.calls] = (source, target) }
      if case .run = target { state.runs.append(target) }
      return (state.calls, closes)
    }
    do {
      _ = try await body()
    } catch {
      state.with { state in
        state.refused += 1
        // Nothing throws but a wait that would close a circle.
        if !closes { state.wrong.append("\(target) from \(String(describing: source)): \(error)") }
      }
    }
    state.with { state in
      state.waits[call] = nil
      state.runs.removeAll { $0 == target }
      state.open -= 1
    }
  }

  // MARK: Works

  /// What a fetch or a run does.
  private func perform(as work: Work, depth: Int) async {
    for _ in 0..<(1 + random(3)) {
      try? await Scheduling.current.clock.sleep(for: .milliseconds(random(8)))
      switch random(6) {
      case 0...2: await fetch(from: work, depth: depth)
      case 3: if depth > 0 { await mutate(from: work, depth: depth - 1) }
      case 4:
        // Nobody awaits it, so it waits its turn, whatever that waits for.
        guard depth > 0 else { break }
        Task(executorPreference: executor) { await self.mutate(from: nil, depth: depth - 1) }
      default:
        // A child of a fetch counts as awaited by it, and is.
        guard case .fetch = work else { break }
        await Task(executorPreference: executor) { await self.fetch(from: work, depth: depth) }
          .value
      }
    }
  }

  func fetch(from source: Work?, depth: Int) async {
    let (client, key) = (random(2), random(3))
    let target = Work.fetch(client: client, key: key)
    let query = Query<Int>("n", key) { _ in
      await self.perform(as: target, depth: depth)
      return key
    }
    await call(target, from: source) { try await peers[client].client.fetch(query) }
  }

  func mutate(from source: Work?, depth: Int) async {
    let (client, scope) = (random(2), random(3))
    let number = state.with { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let target = Work.run(client: client, scope: scope < 2 ? scope : nil, number: number)
    var mutation = Mutation("m") { (input: Int) in
      await self.perform(as: target, depth: depth)
      return input
    }
    if random(2) == 0 {
      mutation = mutation.onSuccess { _, _ in await self.perform(as: target, depth: 0) }
    }
    if scope < 2 { mutation = mutation.scope("\(scope)") }
    let run = mutation
    await call(target, from: source) { try await peers[client].client.mutate(run, with: 1) }
  }
}

struct CircularWaitFuzzTests {
  @Test func nothingHangsAndNothingIsRefusedWithoutACircle() {
    var (calls, refused) = (0, 0)
    for seed in Seeds.few(15) {
      let simulation = Simulation(seed: seed)
      let clients = (0..<2).map { _ in
        QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
      }
      let world = WaitingWorld(seed: seed, clients, simulation.executor)
      for _ in 0..<12 {
        simulation.task {
          if world.random(2) == 0 {
            await world.fetch(from: nil, depth: 2)
          } else {
            await world.mutate(from: nil, depth: 2)
          }
        }
        simulation.advance(by: .milliseconds(world.random(6)))
      }
      simulation.advance(by: .seconds(30))
      let outcome = world.outcome
      expectEqual(outcome.open, 0, "seed \(seed)")
      expectEqual(outcome.wrong, [], "seed \(seed)")
      #expect(clients.allSatisfy { $0.mutatingCount() == 0 }, "seed \(seed)")
      for client in clients {
        expectEqual(WorkWait.count(of: client.cache.read { $0.id }), 0, "seed \(seed)")
        client.shutDown()
      }
      calls += outcome.calls
      refused += outcome.refused
    }
    #expect(calls > 500 * Int(Seeds.factor))
    #expect(refused > 20 * Int(Seeds.factor))
  }
}
