#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StreamQueryPersistence

extension StoreTrial {
  func run(_ rule: StoreRule) async throws {
    switch rule {
    case .startsEmpty: try await startsEmpty()
    case .keepsBytes: try await keepsBytes()
    case .replaces: try await replaces()
    case .removes: try await removes()
    case .lastPutCounts: try await lastPutCounts()
    case .loadsKeys: try await loadsKeys()
    case .keepsApart: try await keepsApart()
    case .showsWholeBatches: try await showsWholeBatches()
    case .survivesCancellation: try await survivesCancellation()
    case .wipes: try await wipes()
    case .beginsGenerations: try await beginsGenerations()
    case .refusesOtherGenerations: try await refusesOtherGenerations()
    case .staysAsReleased: try await staysAsReleased()
    case .keepsRecords: try await keepsRecords()
    case .keepsWipes: try await keepsWipes()
    }
  }

  private func startsEmpty() async throws {
    try await expect([:], after: "opening it")
    let found = try await store().load(["a", ""], of: "other")
    try await compare(found, [:], in: "other", after: "opening it")
  }

  private func keepsBytes() async throws {
    let odd: [String: String] = [
      "": "an empty key", "empty": "", " ": "\n", "a/b\\c'\"%_": "'; DROP TABLE", "é": "ü",
      "😀": "\u{0}",
      "nul\u{0}": "\u{FFFD}", String(repeating: "k", count: 2000): "a long key",
      "long": String(repeating: "long", count: 100_000),
    ]
    let store = try await store()
    let generation = try await store.load(.main).generation
    let bytes = StoreRecord(key: "bytes", value: Data((0...255).map { UInt8($0) }))
    // The indices of a slice do not begin at zero.
    let slice = StoreRecord(key: "slice", value: bytes.value[100..<200])
    let puts = odd.map { StoreRecord(key: $0.key, value: Data($0.value.utf8)) } + [bytes, slice]
    try await store.write(StoreBatch(generation: generation, puts: puts), to: .main)
    var contents = try await store.load(.main)
    for expected in [bytes, slice] {
      guard let index = contents.records.firstIndex(where: { $0.key == expected.key }) else {
        saw("there was no record of \(expected.value.count) bytes")
        continue
      }
      let found = contents.records.remove(at: index)
      if found.value != expected.value { saw("there were other bytes than those written") }
    }
    try await compare(contents, odd, after: "a batch")
  }

  private func replaces() async throws {
    try await write(["a": "1", "b": "1"])
    try await write(["a": "22"])
    try await expect(["a": "22", "b": "1"], after: "putting a again")
    try await write(["a": ""])
    try await expect(["a": "", "b": "1"], after: "putting nothing under a")
  }

  private func removes() async throws {
    try await write(["a": "1", "b": "1", "c": "1"])
    try await write([:], removing: ["a", "none"])
    try await expect(["b": "1", "c": "1"], after: "removing a")
    try await write(["d": "1"], removing: ["b", "a"])
    try await expect(["c": "1", "d": "1"], after: "removing b and putting d")
    try await write(["a": "2"])
    try await expect(["a": "2", "c": "1", "d": "1"], after: "putting a again")
    try await write([:])
    try await expect(["a": "2", "c": "1", "d": "1"], after: "an empty batch")
  }

  private func lastPutCounts() async throws {
    try await write(["a": "1", "b": "1"])
    try await write(["a": "2", "a": "3", "b": "2"], removing: ["b", "a"])
    try await expect(["a": "3", "b": "2"], after: "putting a twice, and removing both before")
  }

  private func loadsKeys() async throws {
    try await write(["a": "1", "b": "2", "c": "3"])
    let store = try await store()
    let step = "asking for c, none, a and c"
    try await compare(
      try await store.load(["c", "none", "a", "c"], of: .main),
      ["a": "1", "c": "3"],
      after: step
    )
    try await compare(try await store.load([], of: .main), [:], after: "asking for nothing")
    let whole = try await store.load(.main).generation
    let part = try await store.load(["a"], of: .main).generation
    if whole != part { saw("a key was in generation \(part), all in generation \(whole)") }
  }

  private func keepsApart() async throws {
    let names = [
      "", "main", "Main", "main ", "a", "a/b", "../a", "a%2fb", "a.b", "ä", "😀", "a'b", "a\u{0}b",
      String(repeating: "long", count: 200), String(repeating: "long", count: 200) + "er",
    ]
    for name in names { try await write(["k": name], to: StorePartition(name)) }
    for name in names {
      try await expect(["k": name], in: StorePartition(name), after: "writing to each")
    }
    _ = try await store().wipe("a")
    for name in names where name != "a" {
      try await expect(["k": name], in: StorePartition(name), after: "wiping a")
    }
  }

  private func keepsRecords() async throws {
    try await write(["a": "1", "b": "1", "c": "1"])
    try await write(["b": "2", "d": "1"], removing: ["a"], to: .main)
    try await write(["a": "other"], to: "other")
    for time in ["once", "twice"] {
      let generation = try await store().load(.main).generation
      try await reopen()
      let step = "opening it again \(time)"
      try await expect(["b": "2", "c": "1", "d": "1"], after: step)
      try await expect(["a": "other"], in: "other", after: step)
      let found = try await store().load(.main).generation
      if found != generation {
        saw("after \(step), generation \(generation) had become generation \(found)")
      }
    }
  }
}
