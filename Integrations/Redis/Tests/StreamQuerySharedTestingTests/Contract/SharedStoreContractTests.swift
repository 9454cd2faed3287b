import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Synchronization
import Testing

/// How many stores were made.
private final class Made: Sendable {
  let count = Mutex(0)
}

/// The store in memory keeps the contract, and each mistake is caught by the rule that it breaks.
struct SharedStoreContractTests {
  let simulation = Simulation()

  static let limits = SharedStoreLimits(logLength: 40, batchLength: 7)

  func violations(
    _ make: @escaping @Sendable () throws -> some SharedStore
  ) -> [SharedStoreViolation] {
    let clock = simulation.clock
    return simulation.run { await SharedStoreContract(clock: clock, make: make).violations() }
  }

  @Test func memoryKeepsTheContract() {
    let (simulation, limits) = (simulation, Self.limits)
    let found = violations { MemorySharedStore(simulation.scheduling, limits: limits) }
    #expect(found == [])
    #expect(simulation.isIdle)
  }

  @Test func memoryKeepsTheContractInRealTime() async {
    await SharedStoreContract { MemorySharedStore() }.check()
  }

  /// As in real time on a busy machine, where a step takes longer than what it looks for lasts.
  @Test(arguments: [40, 200, 1_000])
  func aStoreThatTakesItsTimeKeepsTheContract(milliseconds: Int) {
    let (simulation, limits) = (simulation, Self.limits)
    let made = Made()
    let found = violations {
      made.count.withLock { $0 += 1 }
      let memory = MemorySharedStore(simulation.scheduling, limits: limits)
      let delay = Duration.milliseconds(milliseconds)
      return SlowSharedStore(memory, clock: simulation.clock, delay: delay)
    }
    #expect(found == [])
    // The slower ones need longer times for some rules.
    #expect((made.count.withLock { $0 } > SharedStoreRule.allCases.count) == (milliseconds >= 200))
  }

  @Test(arguments: 1...20)
  func memoryKeepsTheContractInAnyOrder(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let clock = simulation.clock
    let contract = SharedStoreContract(clock: clock) { MemorySharedStore(simulation.scheduling) }
    let found = simulation.run { await contract.violations() }
    #expect(found == [])
  }

  @Test(arguments: BrokenSharedStore.Mistake.allCases)
  func aMistakeIsCaughtByTheRuleThatItBreaks(_ mistake: BrokenSharedStore.Mistake) {
    let (simulation, limits) = (simulation, Self.limits)
    let found = violations {
      let memory = MemorySharedStore(simulation.scheduling, limits: limits)
      return BrokenSharedStore(mistake, memory, simulation.scheduling)
    }
    #expect(found.contains { $0.rule == mistake.rule }, "\(found)")
    #expect(Set(found.map(\.rule)).count <= 8, "\(found)")
  }

  @Test func everyRuleCanFail() {
    let rules = Set(BrokenSharedStore.Mistake.allCases.map(\.rule))
    #expect(SharedStoreRule.allCases.filter { !rules.contains($0) } == [])
  }

  @Test func aStoreThatCannotBeMadeIsReported() {
    struct Refusal: Error {}
    let make: @Sendable () throws -> MemorySharedStore = { throw Refusal() }
    let found = violations(make)
    #expect(found.map(\.rule) == SharedStoreRule.allCases)
    #expect(
      found.first?.description == """
        Where there is no entry, the first leads without one. \
        But no store could be made: Refusal().
        """
    )
  }
}
