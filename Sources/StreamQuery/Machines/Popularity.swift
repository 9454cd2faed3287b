/// How often something was used lately: a small count that halves with each age that passes.
struct Popularity: Hashable, Sendable {
  /// Counts beyond it say nothing more about the next use.
  static let most: UInt8 = 15

  private var count: UInt8 = 0
  /// The age for which the count is right.
  private var age: UInt32 = 0

  /// The count, at an age that is not before that of the last use.
  @inline(__always)
  func uses(at age: UInt32) -> UInt8 {
    let passed = age &- self.age
    return passed < 8 ? count >> UInt8(truncatingIfNeeded: passed) : 0
  }

  /// It was used, perhaps several times.
  @inline(__always)
  mutating func used(at age: UInt32, times: Int = 1) {
    count = UInt8(min(Int(uses(at: age)) + times, Int(Self.most)))
    self.age = age
  }
}

/// Remembers how popular keys were that are not kept any more.
///
/// It knows keys by their hashes. Two keys with one hash would share a count: with 64 bits that is
/// rarer than anything that depends on it, so results are the same in every process, although
/// hashes are not.
struct PastUses: Sendable {
  private struct Memory: Sendable {
    var hash: Int
    var popularity: Popularity
  }

  /// The oldest is overwritten first.
  private var memories: [Memory] = []
  private var next = 0
  /// The place of each hash; places that are not in it were recalled.
  private var places: [Int: Int32] = [:]

  /// How many keys are remembered.
  var count: Int { places.count }

  /// Remembers a key that leaves.
  ///
  /// - Parameters:
  ///   - hash: Its hash.
  ///   - popularity: Its popularity.
  ///   - room: The most memories to keep; if there are more, the oldest makes room.
  mutating func remember(_ hash: Int, _ popularity: Popularity, room: Int) {
    let memory = Memory(hash: hash, popularity: popularity)
    guard memories.count >= room else {
      places[hash] = Int32(truncatingIfNeeded: memories.count)
      memories.append(memory)
      return
    }
    guard !memories.isEmpty else { return }
    if next >= memories.count { next = 0 }
    let former = memories[next].hash
    if places[former] == Int32(truncatingIfNeeded: next) { places[former] = nil }
    memories[next] = memory
    places[hash] = Int32(truncatingIfNeeded: next)
    next += 1
  }

  /// The popularity of a key that comes back, which is not remembered any more.
  mutating func recall(_ hash: Int) -> Popularity? {
    guard !places.isEmpty, let place = places.removeValue(forKey: hash) else { return nil }
    return memories[Int(place)].popularity
  }
}

/// Finds the share of newcomers by trying: a step that raised the hit ratio is repeated, another one
/// is taken back.
///
/// A cache that keeps what is used often needs few newcomers; one whose users move on needs many.
/// The same cache may see both in one day.
struct WindowClimber: Sendable {
  private static let least = 0.01
  private static let most = 0.8
  private static let firstStep = 0.0625
  /// Steps become smaller, until users do something else.
  private static let decay = 0.95
  /// A change of the hit ratio that means that users do something else now.
  private static let restart = 0.05

  /// The share of kept entries that may be newcomers.
  private(set) var share = Self.least
  private var step = -Self.firstStep
  private var hits = 0
  private var misses = 0
  private var lastRatio = 0.0

  /// Something was used.
  ///
  /// - Parameters:
  ///   - isHit: Whether it was there.
  ///   - times: How often.
  ///   - period: After how many uses a step is judged.
  mutating func used(isHit: Bool, times: Int = 1, period: Int) {
    if isHit { hits += times } else { misses += times }
    guard hits + misses >= period else { return }
    let ratio = Double(hits) / Double(hits + misses)
    let change = ratio - lastRatio
    let direction = change >= 0 ? step : -step
    share = min(max(share + direction, Self.least), Self.most)
    step =
      abs(change) >= Self.restart
      ? (direction < 0 ? -Self.firstStep : Self.firstStep) : direction * Self.decay
    lastRatio = ratio
    (hits, misses) = (0, 0)
  }
}
