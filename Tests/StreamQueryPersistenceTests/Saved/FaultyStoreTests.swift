import Testing

/// A client over a store that fails at random, launched again and again.
struct FaultyStoreTests {
  @Test(arguments: Seeds.few(6))
  func whatWasAcknowledgedIsThereAndNothingBlocksTheCache(seed: UInt64) {
    let world = FaultyWorld(seed: seed + 1)
    for launch in 1...8 { world.live(launch) }
    expectEqual(world.problems, [])
  }

  /// A test of the test above: its worlds have all faults, and much is acknowledged in them.
  @Test func everyKindOfFaultHappens() {
    var sum = Tally()
    for seed in 1...14 as ClosedRange<UInt64> {
      let world = FaultyWorld(seed: seed)
      for launch in 1...8 { world.live(launch) }
      sum.faults.formUnion(world.tally.faults)
      sum.acknowledged += world.tally.acknowledged
      sum.refused += world.tally.refused
      sum.restored += world.tally.restored
      sum.lost += world.tally.lost
    }
    expectEqual(sum.faults, Set(FaultyStore.Fault.allCases))
    #expect(sum.acknowledged > 100)
    #expect(sum.refused > 50)
    #expect(sum.restored > 200)
    #expect(sum.lost > 0)
  }
}
