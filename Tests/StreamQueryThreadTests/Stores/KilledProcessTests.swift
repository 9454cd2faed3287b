#if os(macOS) || os(Linux)
import Foundation
import Synchronization
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// Processes that write, and are really killed at any moment.
struct KilledProcessTests {
  /// The batch of this number; it changes three keys.
  static func batch(_ number: Int) -> ShelfChange {
    .put(
      ["k\(number % 17)": "\(number)", "last": "\(number)"],
      removing: ["k\((number + 5) % 17)"]
    )
  }

  static func store(_ path: String) -> FileStore {
    // It rewrites its file every few batches.
    FileStore(directory: path, system: PosixFileSystem(protection: .inherited), waste: 500)
  }

  /// Writes on from what is there, and says in a file how far it got.
  static func writeUntilKilled(_ path: String, after batches: Int, spinning turns: Int) async throws
  {
    let store = store(path + "/store")
    var number = try await store.shelf().values["last"].flatMap(Int.init).map { $0 + 1 } ?? 0
    let written = SharedCount()
    Thread.detachNewThread {
      // Spins, because any wait would end at some call of the writer.
      var turn = 0
      while written.count.load(ordering: .relaxed) < batches || turn < turns {
        if written.count.load(ordering: .relaxed) >= batches { turn += 1 }
      }
      kill(getpid(), SIGKILL)
    }
    let log = open(path + "/acknowledged", O_WRONLY | O_CREAT, 0o600)
    while true {
      try await store.write(batch(number).batch(0), to: .main)
      // What the system has taken outlives the process.
      withUnsafeBytes(of: number) { _ = pwrite(log, $0.baseAddress, $0.count, 0) }
      written.count.add(1, ordering: .relaxed)
      number += 1
    }
  }

  private final class SharedCount: Sendable {
    let count = Atomic(0)
  }

  @Test func whatAKilledProcessAcknowledgedIsThereAndNothingHalf() async throws {
    let path =
      FileManager.default.temporaryDirectory.path + "/StreamQueryKilled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var count = 0
    var shelf = Shelf()
    for round in 0..<20 {
      let batches = 35 + round * 7 % 40
      let turns = round * round * 977 % 40_000
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, batches = batches as Int, turns = turns as Int] in
        try await Self.writeUntilKilled(path, after: batches, spinning: turns)
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/acknowledged"))
      let acknowledged = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
      let store = Self.store(path + "/store")
      let contents = try await store.load(.main)
      await store.close()
      let last = contents.shelf.values["last"].flatMap { Int($0) } ?? -1
      // The one under way may be there, as a whole.
      #expect(last == acknowledged || last == acknowledged + 1)
      while count <= last {
        shelf.apply(Self.batch(count))
        count += 1
      }
      expectEqual(contents.shelf, shelf)
      expectEqual(contents.damage, [])
    }
    #expect(count >= 1000)
  }
}
#endif
