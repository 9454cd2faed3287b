import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// Machines keep their promises, whatever happens to the store and on the way to it.
struct SimulatedNetworkTests {
  typealias Fault = (at: Duration, fault: NetworkFault)

  @discardableResult
  func expectKept(_ plan: NetworkPlan) -> NetworkReport {
    let report = SimulatedNetwork(plan).run()
    #expect(report.broken == [:], "\(report.text)")
    return report
  }

  func plan(_ faults: [Fault], seed: UInt64 = 1) -> NetworkPlan {
    var plan = NetworkPlan()
    plan.seed = seed
    plan.duration = .seconds(40)
    plan.faults = faults
    return plan
  }

  @Test func aNetworkWithoutFaultsKeepsItsPromises() {
    let report = expectKept(NetworkPlan())
    #expect(report.meter.failed == 0)
    #expect(report.meter.fetches > 3000)
  }

  @Test func thePlanDecidesTheCourse() {
    var plan = NetworkPlan()
    plan.duration = .seconds(10)
    let reports = (0..<2).map { _ in SimulatedNetwork(plan).run() }
    #expect(reports[0].scheduleHash == reports[1].scheduleHash)
    #expect(reports[0].meter == reports[1].meter)
  }

  @Test func aPlanWithTooSmallNumbersTakesTheLeastPossible() {
    var plan = NetworkPlan()
    plan.duration = .seconds(5)
    (plan.nodes, plan.keys, plan.observersPerNode) = (-1, 0, -3)
    let report = SimulatedNetwork(plan).run()
    #expect(report.meter.fetches > 0)
    #expect(report.plan.nodes == 1)
    #expect(report.plan.keys == 1)
    #expect(report.plan.observersPerNode == 0)
  }

  // MARK: Faults

  @Test func someNodesAreOutOfReach() {
    let report = expectKept(plan([(.seconds(8), .partition(nodes: 0..<7)), (.seconds(22), .heal)]))
    #expect(report.meter.events["untrusted", default: 0] > 0)
  }

  @Test func aPartIsLostOnTheWay() {
    let report = expectKept(plan([(.seconds(5), .loss(0.1)), (.seconds(25), .heal)]))
    #expect(report.meter.lost > 30)
  }

  @Test func theStoreEndsAndRemembers() {
    expectKept(plan([(.seconds(10), .crash), (.seconds(20), .restart(forgetting: false))]))
  }

  @Test func theStoreEndsAndForgets() {
    let faults: [Fault] = [(.seconds(10), .crash), (.seconds(11), .restart(forgetting: true))]
    let report = expectKept(plan(faults))
    #expect(report.meter.events["gaps", default: 0] >= 20)
  }

  @Test func theStoreStopsForAWhile() {
    expectKept(plan([(.seconds(10), .pause), (.seconds(18), .resume)]))
  }

  @Test func theStoreFailsOverToAReplicaThatLags() {
    expectKept(plan([(.seconds(15), .failOver(losing: .seconds(1)))]))
  }

  @Test func nodesEndWhileTheyLead() {
    var plan = plan((0..<8).map { (.seconds(4 * $0 + 2), .kill(node: $0)) })
    plan.fetchTime = .seconds(1)
    expectKept(plan)
  }

  @Test(arguments: [Int.min, -1, 20, Int.max])
  func whatHappensToNodesThatAreNotThereChangesNothing(node: Int) {
    var plan = plan([])
    plan.duration = .seconds(5)
    let usual = SimulatedNetwork(plan).run()
    plan.faults = [(.seconds(2), .kill(node: node))]
    let report = expectKept(plan)
    #expect(report.scheduleHash == usual.scheduleHash)
    #expect(report.meter == usual.meter)
  }

  @Test func theLogIsTooShortForWhoWasAway() {
    var plan = plan([(.seconds(8), .partition(nodes: 0..<7)), (.seconds(14), .heal)])
    plan.limits.logLength = 3
    let report = expectKept(plan)
    #expect(report.meter.events["gaps", default: 0] >= 7)
  }

  @Test(arguments: [1, 2, 3, 4, 7, 12])
  func anythingHappens(seed: UInt64) {
    expectKept(Self.mix(seed))
  }

  /// Faults in an order that a seed decides.
  static func mix(_ seed: UInt64) -> NetworkPlan {
    var plan = NetworkPlan()
    plan.seed = seed
    plan.nodes = 12
    plan.duration = .seconds(60)
    let pairs: [[NetworkFault]] = [
      [.partition(nodes: 0..<5), .heal], [.loss(0.05), .heal],
      [.crash, .restart(forgetting: false)], [.crash, .restart(forgetting: true)],
      [.pause, .resume], [.kill(node: 11), .heal],
    ]
    var bits = seed &* 0x9E37_79B9_7F4A_7C15
    for round in 0..<4 {
      let pair = pairs[Int((bits >> 40) % 6)]
      let start = Duration.milliseconds(5000 + round * 13_000 + Int((bits >> 20) % 3000))
      plan.faults.append((start, pair[0]))
      plan.faults.append((start + .milliseconds(300 + Int((bits >> 30) % 7000)), pair[1]))
      bits = (bits ^ (bits >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
    return plan
  }

  // MARK: Observers, writes, upstream

  /// A plan whose nodes observe and write as well.
  static func busy(_ faults: [Fault], seed: UInt64 = 1) -> NetworkPlan {
    var plan = NetworkPlan()
    plan.seed = seed
    plan.duration = .seconds(40)
    plan.observersPerNode = 3
    plan.writesPerSecond = 1
    plan.changesPerSecond = 1
    plan.faults = faults
    return plan
  }

  @Test func observersAndWritersKeepTheirPromises() {
    let report = expectKept(Self.busy([]))
    #expect(report.meter.failed == 0)
    #expect(report.meter.calls["write", default: 0] >= 30)
  }

  @Test(arguments: [false, true])
  func observersAreNoHerdWhenTheStoreIsBack(forgetting: Bool) {
    let faults: [Fault] = [
      (.seconds(10), .crash), (.seconds(20), .restart(forgetting: forgetting)),
    ]
    let report = expectKept(Self.busy(faults))
    #expect(report.meter.alone.values.reduce(0, +) > 20)
  }

  @Test func observersAndWritersAreOutOfReach() {
    expectKept(Self.busy([(.seconds(8), .partition(nodes: 0..<7)), (.seconds(22), .heal)]))
  }

  @Test func writesAreLostOnTheWay() {
    let report = expectKept(Self.busy([(.seconds(5), .loss(0.1)), (.seconds(25), .heal)]))
    #expect(report.meter.lost > 30)
  }

  @Test func aReplicaLacksTheLastWrites() {
    expectKept(Self.busy([(.seconds(15), .failOver(losing: .seconds(1)))]))
  }

  @Test func anUpstreamThatFailsIsAskedByOneAtATime() {
    var plan = Self.busy([(.seconds(10), .upstreamFails), (.seconds(20), .upstreamAnswers)])
    plan.retries = 2
    let report = expectKept(plan)
    #expect(report.meter.failed > 100)
    #expect(report.meter.events["failed elsewhere", default: 0] > 50)
  }

  @Test func anUpstreamThatHangsIsAskedByOneAtATime() {
    var plan = Self.busy([(.seconds(10), .upstreamHangs), (.seconds(20), .upstreamAnswers)])
    plan.attemptTimeout = .seconds(2)
    plan.retries = 1
    let report = expectKept(plan)
    #expect(report.meter.failed > 100)
    #expect(report.meter.events["failed elsewhere", default: 0] > 20)
  }

  @Test(arguments: [1, 2, 3])
  func anythingHappensToObserversAndWriters(seed: UInt64) {
    var plan = Self.mix(seed)
    (plan.observersPerNode, plan.writesPerSecond) = (3, 1)
    expectKept(plan)
  }

  // MARK: Mistakes

  private static let mistakes: [(BrokenNetworkStore.Mistake, NetworkReport.Promise)] = [
    (.doesNotFence, .invalidation), (.hidesGaps, .invalidation), (.letsAllLead, .oneRequest),
    (.letsAllLeadAnew, .noHerd), (.keepsInvalidatedEntries, .neverBack),
    (.keepsInvalidationsToItself, .invalidation), (.neverAges, .staleTime),
    (.neverAges, .converges), (.keepsLeasesForEver, .answersInTime),
  ]

  @Test func eachPromiseCanBeBroken() {
    #expect(Set(Self.mistakes.map(\.0)) == Set(BrokenNetworkStore.Mistake.allCases))
    #expect(Set(Self.mistakes.map(\.1)) == Set(NetworkReport.Promise.allCases))
  }

  @Test(arguments: SimulatedNetworkTests.mistakes)
  func aMistakeIsSeen(_ mistake: BrokenNetworkStore.Mistake, _ promise: NetworkReport.Promise) {
    var plan = plan([])
    plan.fetchTime = .milliseconds(300)
    plan.changesPerSecond = 2
    switch mistake {
    case .letsAllLeadAnew:
      plan = Self.busy([(.seconds(10), .crash), (.seconds(11), .restart(forgetting: true))])
    case .hidesGaps:
      plan.staleTime = .seconds(60)
      plan.limits.logLength = 3
      plan.faults = [(.seconds(8), .partition(nodes: 0..<7)), (.seconds(11), .heal)]
    case .keepsLeasesForEver:
      plan.fetchTime = .seconds(1)
      plan.faults = (0..<8).map { (.seconds(4 * $0 + 2), .kill(node: $0)) }
      var patient = plan.configuration
      patient.answerTimeout = .seconds(600)
      plan.broken = patient
    case .neverAges: (plan.changesPerSecond, plan.silentChangesPerSecond) = (0, 2)
    default: break
    }
    plan.wrap = { BrokenNetworkStore(mistake, $0) }
    let report = SimulatedNetwork(plan).run()
    #expect(report.broken[promise, default: 0] > 0, "\(report.text)")
  }

  /// Nodes are cut off while fetches are under way and others change what is fetched.
  ///
  /// Changes are rarer than answers, so that each fetch has one that is good.
  static func underWay(_ seed: UInt64) -> NetworkPlan {
    var plan = NetworkPlan()
    plan.seed = seed
    plan.nodes = 12
    plan.keys = 8
    plan.fetchTime = .seconds(1)
    plan.staleTime = .seconds(60)
    plan.changesPerSecond = 0.6
    plan.silentChangesPerSecond = 0
    plan.faults = [
      (.seconds(4), .partition(nodes: 0..<6)), (.seconds(14), .heal),
      (.seconds(20), .partition(nodes: 4..<10)), (.seconds(30), .heal),
    ]
    plan.duration = .seconds(36)
    plan.configuration.trust = .seconds(2)
    plan.configuration.timeout = .milliseconds(500)
    return plan
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func whatWasUnderWayAtAChangeIsTrustedFromItsLandingAndNoLonger(seed: UInt64) {
    let report = expectKept(Self.underWay(seed))
    #expect(report.meter.outdated > 0, "\(report.text)")
  }

  @Test func trustThatIsLongerByAQuarterIsSeen() {
    var plan = Self.underWay(1)
    var trusting = plan.configuration
    trusting.trust = plan.configuration.trust * 5 / 4
    plan.broken = trusting
    let report = SimulatedNetwork(plan).run()
    #expect(report.broken[.invalidation, default: 0] > 0, "\(report.text)")
  }

  @Test func trustWithoutEndIsSeen() {
    var plan = plan([(.seconds(8), .partition(nodes: 0..<7)), (.seconds(30), .heal)])
    plan.staleTime = .seconds(60)
    plan.changesPerSecond = 2
    expectKept(plan)
    var trusting = plan.configuration
    trusting.trust = .seconds(3600)
    plan.broken = trusting
    let report = SimulatedNetwork(plan).run()
    #expect(report.broken[.invalidation, default: 0] > 0, "\(report.text)")
  }
}
