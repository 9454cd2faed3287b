/// A small seeded generator: the same seed gives the same numbers on every platform.
struct NetworkRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in `0..<1`.
  mutating func chance() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(1, bound))).high)
  }
}

/// Chooses keys by Zipf's law: the first one is chosen twice as often as the second.
struct ZipfChoice: Sendable {
  private var sums: [Double] = []

  init(count: Int) {
    var sum = 0.0
    for rank in 1...max(1, count) {
      sum += 1 / Double(rank)
      sums.append(sum)
    }
  }

  func choose(_ random: inout NetworkRandom) -> Int {
    let wanted = random.chance() * (sums.last ?? 0)
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
