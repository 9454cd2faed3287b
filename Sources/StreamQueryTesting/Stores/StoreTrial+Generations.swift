#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StreamQueryPersistence

extension StoreTrial {
  func wipes() async throws {
    try await write(["a": "1", "b": "1"])
    try await write(["a": "1"], to: "other")
    _ = try await store().wipe(.main)
    try await expect([:], after: "a wipe")
    let found = try await store().load(["a"], of: .main)
    try await compare(found, [:], after: "a wipe")
    try await expect(["a": "1"], in: "other", after: "a wipe of main")
    try await write(["b": "2"])
    try await expect(["b": "2"], after: "a wipe and a batch")
  }

  func beginsGenerations() async throws {
    let store = try await store()
    var generation = try await store.load(.main).generation
    for round in 0..<3 {
      // The first wipe finds no records, but must begin a generation, too.
      if round > 0 {
        try await write(["a": "\(round)"])
        let written = try await store.load(.main).generation
        if written != generation {
          saw("a batch made generation \(written) of generation \(generation)")
        }
      }
      let begun = try await store.wipe(.main)
      let loaded = try await store.load(.main).generation
      if begun <= generation { saw("generation \(begun) came after generation \(generation)") }
      if loaded != begun { saw("a wipe returned generation \(begun) and began \(loaded)") }
      generation = loaded
    }
  }

  func refusesOtherGenerations() async throws {
    try await write(["a": "1"])
    let store = try await store()
    let old = try await store.load(.main).generation
    let current = try await store.wipe(.main)
    try await write(["b": "1"])
    for (name, generation) in [("an earlier", old), ("a later", current.next)] {
      for puts in [[StoreRecord(key: "a", value: Data("late".utf8))], []] {
        let batch = StoreBatch(
          generation: generation,
          puts: puts,
          removals: puts.isEmpty ? [] : ["b"]
        )
        let what = "\(puts.isEmpty ? "an empty batch" : "a batch") of \(name) generation"
        do {
          try await store.write(batch, to: .main)
          saw("\(what) was taken")
        } catch {
          switch error {
          case .superseded(current): break
          case .superseded(let other):
            saw("\(what) was refused with generation \(other) instead of \(current)")
          case .full, .denied, .inUse, .otherVersion, .closed, .filesReplaced, .failed:
            saw("\(what) was refused with another error: \(error)")
          }
        }
        try await expect(["b": "1"], after: what)
      }
    }
  }

  func keepsWipes() async throws {
    try await write(["a": "1"])
    let old = try await store().load(.main).generation
    let begun = try await store().wipe(.main)
    try await reopen()
    try await expect([:], after: "a wipe, and opening it again")
    let found = try await store().load(.main).generation
    if found != begun { saw("generation \(begun) had become generation \(found)") }
    try await refuses(old, "a batch of the generation before the wipe was taken")
    try await write(["b": "2"])
    try await reopen()
    try await expect(["b": "2"], after: "a wipe, a batch, and opening it again")
  }

  func staysAsReleased() async throws {
    let store = try await store()
    try await write(["a": "1"])
    await store.release(.main)
    await store.release("none")
    try await expect(["a": "1"], after: "releasing it")
    try await write(["b": "2"])
    await store.release(.main)
    try await expect(["a": "1", "b": "2"], after: "releasing it and a batch")
    let old = try await store.load(.main).generation
    let begun = try await store.wipe(.main)
    await store.release(.main)
    try await expect([:], after: "wiping and releasing it")
    let found = try await store.load(.main).generation
    if found < begun {
      saw("generation \(begun) had become generation \(found) when it was released")
    }
    try await refuses(old, "a batch of the generation before the wipe was taken after the release")
    try await write(["c": "3"])
    try await expect(["c": "3"], after: "wiping and releasing it, and a batch")
    try await isNoMatterToOthers()
  }

  /// Checks that a batch of an earlier generation is refused.
  ///
  /// The method calls `store()` itself, so that `keepsWipes` has no reference to the store: that check opens
  /// the place again, and some stores are closed only by the release of their last reference.
  private func refuses(_ old: StoreGeneration, _ violation: String) async throws {
    let store = try await store()
    do throws(QueryStoreError) {
      let late = [StoreRecord(key: "a", value: Data("late".utf8))]
      try await store.write(StoreBatch(generation: old, puts: late), to: .main)
      saw(violation)
    } catch {
      guard case .superseded = error else { throw error }
    }
  }

  /// Checks that wiping and releasing one partition does not affect another partition, which was read before
  /// and has no records.
  private func isNoMatterToOthers() async throws {
    let store = try await store()
    let own = try await store.load("another").generation
    _ = try await store.wipe(.main)
    await store.release(.main)
    do throws(QueryStoreError) {
      let first = [StoreRecord(key: "a", value: Data("1".utf8))]
      try await store.write(StoreBatch(generation: own, puts: first), to: "another")
    } catch {
      guard case .superseded = error else { throw error }
      return saw("the release refused a batch for another partition, which was read before")
    }
    try await expect(["a": "1"], in: "another", after: "wiping and releasing main")
  }

  // MARK: Several at once

  func showsWholeBatches() async throws {
    let store = try await store()
    let generation = try await store.load(.main).generation
    let keys = (0..<8).map { "k\($0)" }
    let torn = try await withThrowingTaskGroup(of: [String].self) { group in
      for writer in 0..<4 {
        // The task needs no executor preference: a group's tasks inherit that of the test.
        group.addTask {
          for round in 0..<5 {
            let value = Data("\(writer).\(round)".utf8)
            let puts = keys.map { StoreRecord(key: $0, value: value) }
            try await store.write(StoreBatch(generation: generation, puts: puts), to: .main)
          }
          return []
        }
        group.addTask {
          var torn: [String] = []
          for _ in 0..<5 {
            let found = try await store.load(.main).records
            let values = Set(found.map(\.value))
            if values.count > 1 || (values.count == 1 && found.count != keys.count) {
              torn.append("\(values.count) batches were there in \(found.count) records")
            }
          }
          return torn
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    if let first = torn.first { saw(first) }
    for round in 0..<3 {
      let values = Set(try await store.load(.main).records.map(\.value))
      if values.count != 1 { saw("in the end, parts of \(values.count) batches were there") }
      let puts = keys.map { StoreRecord(key: $0, value: Data("last.\(round)".utf8)) }
      try await store.write(StoreBatch(generation: generation, puts: puts), to: .main)
    }
  }

  func survivesCancellation() async throws {
    let store = try await store()
    let generation = try await store.load(.main).generation
    for round in 0..<5 {
      let puts = (0..<50).map { StoreRecord(key: "\(round).\($0)", value: Data(count: 1000)) }
      await withTaskGroup { group in
        // The task needs no executor preference: a group's tasks inherit that of the test.
        group.addTask {
          // The store may refuse the batch of a cancelled task, or accept it.
          try? await store.write(StoreBatch(generation: generation, puts: puts), to: .main)
        }
        group.cancelAll()
      }
      let keys = puts.map(\.key)
      let count = try await store.load(keys, of: .main).records.count
      if count != 0, count != puts.count {
        saw("\(count) of \(puts.count) records were there")
      }
    }
  }
}
