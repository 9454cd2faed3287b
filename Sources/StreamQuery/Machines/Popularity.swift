/// The number of recent uses of a key; it halves after each age.
///
/// An age is a certain number of uses of the cache.
struct Popularity: Hashable, Sendable {
  /// The largest count; more uses do not predict the next one better.
  static let most: UInt8 = 15

  private var count: UInt8 = 0
  /// The age at the last use, when ``count`` was set: each later age halves the count.
  private var age: UInt32 = 0

  /// The count at an age, which must not be earlier than the last use.
  @inline(__always)
  func uses(at age: UInt32) -> UInt8 {
    let passed = age &- self.age
    return passed < 8 ? count >> UInt8(truncatingIfNeeded: passed) : 0
  }

  /// Counts one or several uses of the key.
  @inline(__always)
  mutating func used(at age: UInt32, times: Int = 1) {
    count = UInt8(min(Int(uses(at: age)) + times, Int(Self.most)))
    self.age = age
  }
}

/// The popularity of keys that are no longer in the cache.
///
/// Keys are known by their hashes. Two keys with one hash would share a count. With 64 bits that is so rare
/// that results are the same in every process, although hashes are not.
struct PastUses: Sendable {
  private struct Memory: Sendable {
    var hash: Int
    var popularity: Popularity
  }

  /// The remembered keys, as a ring: the oldest is overwritten first.
  private var memories: [Memory] = []
  private var next = 0
  /// The index of each hash in `memories`; a memory to which no hash leads does not count any more.
  private var slots: [Int: Int32] = [:]

  /// The number of remembered keys.
  var count: Int { slots.count }

  /// Remembers a key that leaves.
  ///
  /// - Parameters:
  ///   - hash: Its hash.
  ///   - popularity: Its popularity.
  ///   - room: The most memories to keep; if there are more, the oldest makes room.
  mutating func remember(_ hash: Int, _ popularity: Popularity, room: Int) {
    let memory = Memory(hash: hash, popularity: popularity)
    guard memories.count >= room else {
      slots[hash] = Int32(truncatingIfNeeded: memories.count)
      memories.append(memory)
      return
    }
    guard !memories.isEmpty else { return }
    if next >= memories.count { next = 0 }
    let former = memories[next].hash
    if slots[former] == Int32(truncatingIfNeeded: next) { slots[former] = nil }
    memories[next] = memory
    slots[hash] = Int32(truncatingIfNeeded: next)
    next += 1
  }

  /// Returns the popularity of a key that comes back, and forgets it.
  mutating func recall(_ hash: Int) -> Popularity? {
    guard !slots.isEmpty, let slot = slots.removeValue(forKey: hash) else { return nil }
    return memories[Int(slot)].popularity
  }
}

/// Finds the best share of the cache for newcomers, the window, by trial.
///
/// The share changes in steps: a step that raised the hit ratio is repeated, and any other step is reversed.
///
/// If users return to the same entries, few newcomers are best; if they move on to others, many are. The same
/// cache may see both in one day.
struct WindowClimber: Sendable {
  private static let least = 0.01
  private static let most = 0.8
  private static let firstStep = 0.0625
  /// The factor of the next step; steps become smaller until the hit ratio changes by `restart`.
  private static let decay = 0.95
  /// The change of the hit ratio after which steps are large again.
  private static let restart = 0.05

  /// The share of the idle entries that may be newcomers.
  private(set) var share = Self.least
  private var step = -Self.firstStep
  private var hits = 0
  private var misses = 0
  private var lastRatio = 0.0

  /// Counts a use of an entry, and judges the step when a period ends.
  ///
  /// - Parameters:
  ///   - isHit: Whether the entry was used before.
  ///   - times: The number of uses.
  ///   - period: The number of uses after which a step is judged.
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
