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
