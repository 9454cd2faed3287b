import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// Histories in which the power goes at every call that changes something, and at every byte.
struct PowerCutTests {
  enum Action: Hashable {
    case write(ShelfChange)
    case wipe
    /// The process ends, and another one goes on.
    case relaunch
    case load
    case release
  }

  static let histories: [[Action]] = [
    [.write(.put(["a": "1"])), .write(.put(["a": "2", "b": "1"])), .write(.remove("a"))],
    [.write(.put(["a": "1"])), .wipe, .write(.put(["b": "2"])), .wipe, .wipe],
    [.wipe, .relaunch, .write(.put(["a": "1"])), .relaunch, .write(.put(["a": "2"]))],
    // Short of bytes: these are rewritten again and again.
    (0..<8).map { .write(.put(["a": String(repeating: "\($0)", count: 50), "k\($0)": "\($0)"])) },
    [
      .write(.put(["a": String(repeating: "x", count: 90)])), .write(.remove("a")), .relaunch,
      .load,
      .write(.put(["b": String(repeating: "y", count: 90)])), .write(.put(["b": "z"])), .wipe,
      .relaunch, .write(.put(["c": "1"])), .relaunch, .load,
    ],
    [
      .write(.put(["a": "1"])), .wipe, .release, .write(.put(["b": "1"])), .release, .relaunch,
      .write(.remove("b")), .release, .wipe, .release, .relaunch, .write(.put(["c": "1"])), .wipe,
      .release, .load,
    ],
  ]

  /// Performs a history up to its end or the power cut.
  ///
  /// - Returns: What may be there afterwards: what was acknowledged, and what was under way.
  static func perform(_ history: [Action], on disk: SimulatedDisk) async -> [Shelf] {
    var store = store(on: disk)
    var shelf = Shelf()
    for action in history {
      var next = shelf
      do throws(QueryStoreError) {
        switch action {
        case .write(let change):
          next.apply(change)
          try await store.write(change.batch(shelf.generation), to: .main)
        case .wipe:
          next = Shelf(generation: shelf.generation + 1)
          try await expectEqual(store.wipe(.main).number, next.generation)
        case .relaunch:
          disk.endProcess()
          store = Self.store(on: disk)
        case .load: try await expectEqual(store.shelf(), shelf)
        case .release: await store.release(.main)
        }
      } catch {
        guard case .failed(is SimulatedDisk.PowerIsOff) = error else {
          Issue.record(error)
          return []
        }
        return [shelf, next]
      }
      shelf = next
    }
    return [shelf]
  }

  static func store(on disk: SimulatedDisk) -> FileStore {
    FileStore(directory: "/store", system: disk, waste: 100)
  }

  @Test(arguments: histories, SimulatedDisk.Survival.allCases)
  func whatWasAcknowledgedIsThereAndNothingHalf(
    _ history: [Action],
    _ survival: SimulatedDisk.Survival
  ) async throws {
    let whole = SimulatedDisk()
    let end = await Self.perform(history, on: whole)
    expectEqual(end.count, 1)
    for (call, name) in whole.calls.enumerated() {
      let words = name.split(separator: " ")
      let bytes = words[0] == "write" ? Int(words[3]) ?? 0 : 0
      // How much of a write was done matters only where something of it is left.
      let isLost = survival == .nothing || survival == .names
      let every = Seeds.factor > 1 ? 1 : 17
      let counts = isLost ? [] : Array(stride(from: 0, to: bytes, by: every))
      for count in Set(counts + [0, bytes]) {
        let disk = SimulatedDisk()
        disk.fail(.powerCut(after: count), at: call)
        let allowed = await Self.perform(history, on: disk)
        disk.restart(survival)
        let place: Comment = "\(count) bytes of call \(call), \(name), \(survival) left"
        let store = Self.store(on: disk)
        let contents = try await store.load(.main)
        #expect(allowed.contains(contents.shelf), place)
        // Zeros in place of bytes are not the beginning of a batch, so nobody can tell.
        if survival != .lengths { expectEqual(contents.damage, [], place) }
        try await Self.goOn(from: contents.shelf, on: disk, store, place)
      }
    }
  }

  /// What is there after a power cut can be used like anything else, and survives the next one.
  private static func goOn(
    from shelf: Shelf,
    on disk: SimulatedDisk,
    _ store: FileStore,
    _ place: Comment
  ) async throws {
    var next = shelf
    let change = ShelfChange.put(["after": "cut"], removing: ["a"])
    next.apply(change)
    try await store.write(change.batch(shelf.generation), to: .main)
    disk.restart(.nothing)
    try await expectEqual(Self.store(on: disk).shelf(), next, place)
  }

  @Test(arguments: histories)
  func aCallThatFailsCostsNothingButItsBatch(_ history: [Action]) async throws {
    let whole = SimulatedDisk()
    _ = await Self.perform(history, on: whole)
    for call in whole.calls.indices {
      for fault in [SimulatedDisk.Fault.full, .denied, .fullAfter(10)] {
        let disk = SimulatedDisk()
        disk.fail(fault, at: call)
        let place: Comment = "\(fault) at call \(call), \(whole.calls[call])"
        var store = Self.store(on: disk)
        var shelf = Shelf()
        /// What may come back at the next launch, since a wipe has not reached the disk.
        var unwiped: Shelf?
        for action in history {
          var next = shelf
          do throws(QueryStoreError) {
            switch action {
            case .write(let change):
              next.apply(change)
              try await store.write(change.batch(shelf.generation), to: .main)
            case .wipe:
              next = Shelf(generation: shelf.generation + 1)
              _ = try await store.wipe(.main)
            case .relaunch:
              disk.endProcess()
              store = Self.store(on: disk)
              if let unwiped, try await store.shelf() == unwiped { next = unwiped }
            case .load: try await expectEqual(store.shelf(), shelf, place)
            case .release: await store.release(.main)
            }
            shelf = next
            if action != .load, action != .release { unwiped = nil }
          } catch {
            switch error {
            case .full, .denied: break
            default: Issue.record(error, place)
            }
            let found = try await store.shelf()
            expect(found == shelf || found == next, place)
            // A wipe has taken effect in any case.
            if action == .wipe {
              expectEqual(found, next, place)
              unwiped = unwiped ?? shelf
            }
            shelf = found
          }
        }
        try await expectEqual(store.shelf(), shelf, place)
        try await store.write(.put(["last": "1"]))
        shelf.apply(.put(["last": "1"]))
        disk.restart(.nothing)
        try await expectEqual(Self.store(on: disk).shelf(), shelf, place)
      }
    }
  }
}
