import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// Whatever a machine invalidates, by itself or through the shared cache: what upstream had then, or
/// later, is what each of its reads gets from then on.
///
/// Upstream is read when it is asked, not when its answer comes. `STREAMQUERY_SEEDS=250`
/// tries 5,000 schedules.
struct NetworkInvalidationTests {
  /// Half a second of few machines that ask for the same few keys.
  private static func plan(_ seed: UInt64) -> NetworkPlan {
    var bits = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
    func choose(_ bound: UInt64) -> Int {
      bits = (bits ^ (bits >> 29)) &* 0xBF58_476D_1CE4_E5B9
      return Int((bits >> 33) % bound)
    }
    var plan = NetworkPlan()
    plan.seed = seed
    plan.nodes = 2 + choose(2)
    plan.keys = 1 + choose(2)
    plan.duration = .milliseconds(500)
    plan.callsPerSecond = 50
    plan.changesPerSecond = Double(choose(6))
    plan.ownInvalidationsPerSecond = Double(2 + choose(6))
    plan.silentChangesPerSecond = 0
    plan.writesPerSecond = Double(choose(3))
    plan.observersPerNode = choose(2)
    plan.retries = choose(2)
    plan.staleTime = .seconds(3)
    plan.fetchTime = .milliseconds(10 + choose(150))
    plan.delay = (.milliseconds(1), .milliseconds(2 + choose(20)))
    plan.configuration.trust = .seconds(2)
    if choose(4) == 0 {
      plan.faults = [(.milliseconds(100 + choose(200)), .loss(0.1))]
    }
    return plan
  }

  /// So that it would be noticed: a store that makes entries younger than they are.
  @Test func aStoreThatHidesWhenItsEntriesWereAskedForIsSeen() {
    let seen = (0..<200 as Range<UInt64>).contains { seed in
      var plan = Self.plan(seed)
      plan.wrap = { BrokenNetworkStore(.neverAges, $0) }
      return SimulatedNetwork(plan).run().broken[.neverBack, default: 0] > 0
    }
    #expect(seen)
  }

  /// In parts, which run side by side.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func noInvalidationIsLost(part: UInt64) {
    for seed in Seeds.few(20) where seed % 20 == part {
      let report = SimulatedNetwork(Self.plan(seed)).run()
      // A machine that invalidates for itself asks again for itself.
      let broken = report.broken.filter { ![.oneRequest, .noHerd].contains($0.key) }
      if !broken.isEmpty { Issue.record("seed \(seed): \(report.text)") }
    }
  }
}
