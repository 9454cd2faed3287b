import StreamQuery
import Testing

@testable import StreamQuery

struct KeyIndexTests {
  /// Keys that share prefixes, records and lists; every prefix of theirs is asked for.
  static let keys: [AnyQueryKey] = {
    var keys: [AnyQueryKey] = [[]]
    let parts: [(any Hashable & Sendable)?] = [
      "a", 1, nil, ["x": 1] as KeyRecord, ["x": 1, "y": 2] as KeyRecord, [1], [1, 2],
      KeySample.Colliding(id: 1), KeySample.Colliding(id: 2),
    ]
    for first in parts {
      keys.append([first])
      for second in parts {
        keys.append([first, second])
        for third in parts { keys.append([first, second, third]) }
      }
    }
    return keys
  }()

  /// A filter of a list, in order of insertion.
  struct Model {
    var entries: [(key: AnyQueryKey, id: Int32)] = []

    func matches(of prefix: AnyQueryKey) -> [Int32] {
      entries.filter { prefix.isPrefix(of: $0.key) }.map(\.id)
    }
  }

  static func matches(_ index: KeyIndex, _ prefix: AnyQueryKey) -> [Int32] {
    var ids: [Int32] = []
    index.forEachMatch(of: prefix) { ids.append($0) }
    return ids
  }

  @Test func findsExactlyWhatAFilterWouldInTheSameOrder() {
    var index = KeyIndex()
    var model = Model()
    for (id, key) in Self.keys.enumerated() {
      index.insert(key, id: Int32(id))
      model.entries.append((key, Int32(id)))
    }
    for prefix in Self.keys {
      expectEqual(Self.matches(index, prefix), model.matches(of: prefix), "\(prefix)")
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func agreesWithAFilterUnderRandomChanges(seed: UInt64) {
    var random = SplitMix(state: seed)
    var index = KeyIndex()
    var model = Model()
    var nextID: Int32 = 0
    let keys = Self.keys.shuffled(using: &random).prefix(60) + [[]]
    for step in 0..<1500 {
      // Grows to about forty entries and shrinks again.
      let grows = Int.random(in: 0..<40, using: &random) >= model.entries.count
      if grows || model.entries.isEmpty {
        guard let key = keys.randomElement(using: &random) else { continue }
        index.insert(key, id: nextID)
        model.entries.append((key, nextID))
        nextID += 1
      } else {
        let place = Int.random(in: 0..<model.entries.count, using: &random)
        let (key, id) = model.entries.remove(at: place)
        #expect(index.remove(key, id: id).count > 0)
        expectEqual(index.remove(key, id: id).count, 0)
      }
      expectEqual(index.count, model.entries.count)
      guard step % 5 == 0, let prefix = Self.keys.randomElement(using: &random) else { continue }
      for asked in [prefix, keys.randomElement(using: &random) ?? [], []] {
        expectEqual(
          Self.matches(index, asked),
          model.matches(of: asked),
          "seed \(seed) step \(step) prefix \(asked)"
        )
      }
    }
    for (key, id) in model.entries { index.remove(key, id: id) }
    expectEqual(index.count, 0)
    expectEqual(index.nodeCount, 1)
    expectEmpty(Self.matches(index, []))
  }

  @Test func sameKeyMayHaveSeveralIDs() {
    var index = KeyIndex()
    index.insert(["users"], id: 7)
    index.insert(["users"], id: 3)
    index.insert(["users", 1], id: 5)
    expectEqual(Self.matches(index, ["users"]), [7, 3, 5])
    index.remove(["users"], id: 7)
    expectEqual(Self.matches(index, ["users"]), [3, 5])
    expectEqual(Self.matches(index, ["users", 1]), [5])
    expectEmpty(Self.matches(index, ["use"]))
  }

  @Test func removingTheLastEntryFreesItsPrefixes() {
    var index = KeyIndex()
    index.insert(["a", "b", "c", "d"], id: 1)
    expectEqual(index.nodeCount, 4)
    index.insert(["a", "x"], id: 2)
    index.remove(["a", "b", "c", "d"], id: 1)
    expectEqual(index.nodeCount, 2)
    index.remove(["a", "x"], id: 2)
    expectEqual(index.nodeCount, 1)
  }

  @Test func churnDoesNotGrowTheStorage() {
    var index = KeyIndex()
    for round in 0..<200 {
      for id in 0..<50 { index.insert(["k", round, id], id: Int32(id)) }
      for id in 0..<50 { index.remove(["k", round, id], id: Int32(id)) }
    }
    expectEqual(index.capacity.entries, 50)
    expectEqual(index.capacity.nodes, 3)
    #expect(index.slots <= 256)
  }

  @Test func removalHandsOutWhatItLetsGoOf() {
    final class Probe: Hashable, Sendable {
      static func == (left: Probe, right: Probe) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    var index = KeyIndex()
    weak var first: Probe?
    // Equal keys of different objects: the node keeps the first one's part.
    do {
      let probe = Probe()
      first = probe
      index.insert([probe, 1], id: 1)
      index.insert([Probe(), 2], id: 2)
      index.remove([Probe(), 1], id: 1)
    }
    expect(first != nil)
    do {
      let garbage = index.remove([Probe(), 2], id: 2)
      expect(first != nil)
      _ = consume garbage
    }
    expectNil(first)
  }
}

extension KeyIndex {
  /// Calls the body with the id of every entry whose key begins with a prefix, oldest first.
  func forEachMatch(of prefix: AnyQueryKey, _ body: (Int32) -> Void) {
    var walk = Walk(of: prefix)
    var matches: [Int32] = []
    advance(&walk) { matches.append($0) }
    matches.sort { entries[Int($0)].order < entries[Int($1)].order }
    for position in matches { body(entries[Int(position)].id) }
  }

  /// Removes an entry, and returns what the index gives up.
  @discardableResult
  mutating func remove(_ key: AnyQueryKey, id: Int32) -> Garbage {
    var garbage = Garbage()
    remove(key.storage, id: id, into: &garbage)
    return garbage
  }
}

/// A small generator with a seed, so that failures repeat.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
