internal import StreamQuery
internal import StreamQueryShared
internal import StreamQueryTesting

/// Many machines and their store in virtual time, to check a cache's promises and measure its costs.
///
/// Each machine is a real client with its part in the shared cache. The same plan always takes the
/// same course.
///
/// ```swift
/// var plan = NetworkPlan()
/// plan.faults = [(.seconds(10), .crash), (.seconds(20), .restart(forgetting: true))]
/// let report = SimulatedNetwork(plan).run()
/// #expect(report.broken == [:], "\(report.text)")
/// ```
public final class SimulatedNetwork {
  private static var tick: Duration { .milliseconds(20) }

  private let plan: NetworkPlan
  private let simulation: Simulation
  private let store: MemorySharedStore
  private let world: NetworkWorld
  private let nodes: [NetworkNode]
  private let choice: ZipfChoice
  private var random: NetworkRandom
  private var snapshots: [(time: Duration, model: SharedStoreModel)] = []
  /// The costs until all faults were healed.
  private var cost = NetworkMeter()
  /// The times when the store came back.
  private var returns: [Duration] = []

  /// Creates the machines, which start at once.
  ///
  /// - Parameter plan: The plan.
  public init(_ plan: NetworkPlan) {
    let plan = plan.possible
    self.plan = plan
    simulation = Simulation(seed: plan.seed, jobLimit: 100_000_000)
    store = MemorySharedStore(simulation.scheduling, limits: plan.limits)
    let judge = NetworkJudge(nodes: plan.nodes, keys: plan.keys, bounds: plan.bounds)
    let world = NetworkWorld(judge, plan)
    let (wrapped, simulation) = (plan.wrap(store), simulation)
    self.world = world
    nodes = (0..<plan.nodes).map { NetworkNode($0, plan, wrapped, world, simulation) }
    choice = ZipfChoice(count: plan.keys)
    random = NetworkRandom(seed: plan.seed)
  }

  /// Runs the plan, heals all faults, and compares the nodes.
  ///
  /// - Returns: The result.
  public func run() -> NetworkReport {
    var (calls, changes, silent, own, writes) = (0.0, 0.0, 0.0, 0.0, 0.0)
    var faults = plan.faults.sorted { $0.at < $1.at }[...]
    let seconds = Self.tick / .seconds(1)
    while simulation.now < plan.duration {
      while let next = faults.first, next.at <= simulation.now {
        happen(next.fault)
        faults.removeFirst()
      }
      takeSnapshot()
      calls += plan.callsPerSecond * seconds
      changes += plan.changesPerSecond * seconds
      silent += plan.silentChangesPerSecond * seconds
      own += plan.ownInvalidationsPerSecond * seconds
      writes += plan.writesPerSecond * seconds
      while calls >= 1 { calls -= 1; call() }
      while changes >= 1 { changes -= 1; change() }
      while silent >= 1 { silent -= 1; changeSilently() }
      while own >= 1 { own -= 1; changeForOne() }
      while writes >= 1 { writes -= 1; write() }
      simulation.advance(by: Self.tick)
    }
    cost = world.locked { $0.meter }
    finish()
    return report()
  }

  // MARK: Load

  private func livingNode() -> NetworkNode? {
    let node = nodes[random.below(nodes.count)]
    return world.locked { $0.dead.contains(node.number) } ? nil : node
  }

  private func call() {
    let key = choice.choose(&random)
    guard let node = livingNode() else { return }
    simulation.task("call") { _ = await node.fetch(key) }
  }

  private func change() {
    let key = choice.choose(&random)
    guard let node = livingNode(), let version = changed(key) else { return }
    simulation.task("change") { [clock = simulation.clock] in
      await node.change(key, to: version, clock: clock)
    }
  }

  private func changeSilently() { _ = changed(choice.choose(&random)) }

  private func changeForOne() {
    let key = choice.choose(&random)
    guard let node = livingNode(), let version = changed(key) else { return }
    node.invalidate(key, of: version, refetches: random.below(2) == 0)
  }

  private func write() {
    let key = choice.choose(&random)
    guard let node = livingNode(), let version = changed(key) else { return }
    world.locked { _ = $0.written.insert(key) }
    simulation.task("write") { [clock = simulation.clock] in
      await node.write(key, of: version, clock: clock)
    }
  }

  /// Changes a key upstream, unless a node is writing the key.
  ///
  /// - Returns: The key's new version; `nil` if a node is writing the key.
  private func changed(_ key: Int) -> Int? {
    let now = simulation.now
    return world.locked { state in
      guard !state.written.contains(key) else { return nil }
      return state.judge.changed(key, at: now)
    }
  }

  // MARK: Faults

  /// Copies the store each tenth of a second, as replicas for fail-overs, and keeps the last hundred copies.
  private func takeSnapshot() {
    let losesSome = plan.faults.contains { if case .failOver = $0.fault { true } else { false } }
    guard losesSome, simulation.now >= (snapshots.last?.time ?? .zero) + .milliseconds(100) else {
      return
    }
    snapshots.append((simulation.now, store.model))
    if snapshots.count > 100 { snapshots.removeFirst() }
  }

  private func happen(_ fault: NetworkFault) {
    let all = 0..<nodes.count
    let forever = Duration.seconds(1 << 30)
    let now = simulation.now
    let recovered = now + plan.recovery
    switch fault {
    case .partition(let nodes):
      let nodes = nodes.clamped(to: all)
      world.locked { state in
        state.partitioned = nodes
        state.judge.disturbed(nodes, until: forever)
      }
    case .loss(let part):
      world.locked { state in
        state.loss = part
        state.judge.disturbed(all, until: forever)
      }
    case .heal:
      world.locked { state in
        (state.partitioned, state.loss) = (0..<0, 0)
        state.judge.healed(all, until: recovered)
      }
      returns.append(now)
    case .crash:
      world.locked { $0.judge.disturbed(all, until: forever) }
      store.crash()
    case .pause:
      world.locked { $0.judge.disturbed(all, until: forever) }
      store.pause()
    case .restart(let forgetting):
      world.locked { $0.judge.healed(all, until: recovered) }
      store.restart(forgetting: forgetting)
      returns.append(now)
    case .resume:
      world.locked { $0.judge.healed(all, until: recovered) }
      store.resume()
      returns.append(now)
    case .failOver(let lost):
      let replica = snapshots.last { $0.time <= now - lost } ?? snapshots.first
      guard let replica else { return }
      world.locked { state in
        state.judge.disturbed(all, until: recovered)
        state.judge.healed(all, until: recovered)
        state.judge.forgot(since: replica.time)
      }
      store.failOver(to: replica.model)
      returns.append(now)
    case .kill(let node):
      guard all.contains(node) else { return }
      world.locked { state in
        state.dead.insert(node)
        // The other nodes have to wait until the leases of this node end.
        state.judge.disturbed(all, until: recovered)
      }
      nodes[node].end()
    case .upstreamFails: world.locked { $0.upstream = .fails }
    case .upstreamHangs: world.locked { $0.upstream = .hangs }
    case .upstreamAnswers: world.locked { $0.upstream = .answers }
    }
  }

  // MARK: The end

  private func finish() {
    happen(.heal)
    happen(.upstreamAnswers)
    store.restart()
    simulation.advance(by: plan.recovery + plan.staleTime)
    finishCalls()
    let living = nodes.filter { node in !world.locked { $0.dead.contains(node.number) } }
    for node in living {
      for key in 0..<min(plan.keys, 10) {
        simulation.task("last call") { [world] in
          let version = await node.fetch(key)
          world.locked { $0.judge.converged(key, on: node.number, with: version) }
        }
      }
    }
    finishCalls()
    for node in nodes { node.end() }
    simulation.advance(by: plan.configuration.timeout * 4)
  }

  /// Waits until all calls are over, or have taken too long.
  private func finishCalls() {
    let end = simulation.now + plan.longestCall
    simulation.advance(by: Self.tick)
    while simulation.now < end, world.locked({ $0.calls > 0 }) {
      simulation.advance(by: .milliseconds(500))
    }
  }

  private func report() -> NetworkReport {
    var judge = world.locked { $0.judge }
    for time in returns where time < plan.duration { judgeReturn(at: time, &judge) }
    return NetworkReport(
      plan: plan,
      meter: cost,
      broken: judge.faults,
      examples: judge.examples + simulation.failures,
      scheduleHash: simulation.scheduleHash
    )
  }

  /// Reports to the judge of promises the requests to upstream in each second after a return of the store,
  /// until the next fault.
  private func judgeReturn(at time: Duration, _ judge: inout NetworkJudge) {
    let meter = world.locked { $0.meter }
    func second(_ time: Duration) -> Int { Int(time.components.seconds) }
    func shared(_ second: Int) -> Int {
      meter.upstream[second, default: 0] - meter.alone[second, default: 0]
    }
    // The first two seconds do not count, because they fill the caches.
    let first = plan.faults.map(\.at).min() ?? .zero
    let usual = (2..<max(3, second(first))).map(shared).max() ?? 0
    // By this time, calls that hung have failed, and have been made again after the longest pause.
    let noticed = time + plan.configuration.timeout + plan.configuration.pauses.longest
    let next = plan.faults.map(\.at).filter { $0 > time }.min() ?? plan.duration
    let end = min(time + plan.aftermath, next, plan.duration)
    for number in second(time)..<max(second(time), second(end)) {
      let found = NetworkJudge.Second(
        shared: shared(number),
        alone: meter.alone[number, default: 0],
        changes: meter.changes[number, default: 0] + meter.changes[number - 1, default: 0]
      )
      judge.returned(found, usual: usual, haveNoticed: number > second(noticed))
    }
  }
}
