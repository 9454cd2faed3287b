#if os(macOS) || os(Linux)
import Foundation
import StreamQuery
import StreamQueryPersistence
import Synchronization
import Testing

/// Processes with a client and an outbox over files, which are really killed at any moment.
struct KilledClientTests {
  /// What a server has seen of a request.
  private struct Request: Hashable {
    var number: Int
    var key: UUID
  }

  /// Adds bytes to a file, which the system has when this returns.
  private static func append(_ bytes: some ContiguousBytes, to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    bytes.withUnsafeBytes { _ = write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  private static func read<Element>(_ type: Element.Type, from path: String) throws -> [Element] {
    try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { bytes in
      stride(
        from: 0,
        through: bytes.count - MemoryLayout<Element>.stride,
        by: MemoryLayout<Element>.stride
      )
      .map { bytes.loadUnaligned(fromByteOffset: $0, as: type) }
    }
  }

  private static func mutation(_ path: String) -> Mutation<Int, Int> {
    Mutation("send") { (number: Int, context: MutationContext) in
      var request = Request(number: number, key: context.idempotencyKey)
      append(Data(bytes: &request, count: MemoryLayout<Request>.stride), to: path + "/server")
      return number
    }
    .scope("all")
    .durable()
  }

  private static func client(_ path: String) -> QueryClient {
    let store = FileStore(directory: URL(fileURLWithPath: path + "/store"))
    var configuration = QueryClient.Configuration()
    configuration.persistence = Persistence(in: store)
    configuration.outbox = OutboxConfiguration(in: store, mutations: [mutation(path)])
    return QueryClient(configuration: configuration)
  }

  private static let last: QueryKey<Int> = "last"

  /// Starts runs and writes data, and says in a file what of it was acknowledged.
  static func runUntilKilled(
    _ path: String,
    from first: Int,
    after runs: Int,
    spinning turns: Int
  )
    async throws
  {
    let client = client(path)
    try await client.restore()
    let count = SharedCount()
    Thread.detachNewThread {
      // Spins, because any wait would end at some call of the writer.
      var turn = 0
      while count.value.load(ordering: .relaxed) < runs || turn < turns {
        if count.value.load(ordering: .relaxed) >= runs { turn += 1 }
      }
      kill(getpid(), SIGKILL)
    }
    let observer = client.observer(of: mutation(path))
    var number = first
    while true {
      client.setData(number, for: last)
      observer.start(with: number)
      try await client.save()
      withUnsafeBytes(of: number) { append(Data($0), to: path + "/acknowledged") }
      count.value.add(1, ordering: .relaxed)
      number += 1
    }
  }

  private final class SharedCount: Sendable {
    let value = Atomic(0)
  }

  @Test func whatAKilledClientAcknowledgedIsRestoredAndSentInOrderWithOneKey() async throws {
    let path =
      FileManager.default.temporaryDirectory.path + "/StreamQueryKilled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var atLeast = 0
    for round in 0..<8 {
      let first = round * 1_000
      let runs = 5 + round * 7 % 20
      atLeast += runs
      let turns = round * round * 977 % 40_000
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, first = first as Int, runs = runs as Int, turns = turns as Int] in
        try await Self.runUntilKilled(path, from: first, after: runs, spinning: turns)
      }
    }
    let client = Self.client(path)
    try await client.restore()
    let acknowledged = try Self.read(Int.self, from: path + "/acknowledged")
    let restored = try #require(client.data(for: Self.last))
    // The one under way may be there.
    #expect(restored == acknowledged.last || restored == acknowledged.last.map { $0 + 1 })
    for await items in client.outbox.items where items.isEmpty { break }

    let requests = try Self.read(Request.self, from: path + "/server")
    let sent = requests.map(\.number)
    #expect(Set(acknowledged).isSubset(of: sent))
    #expect(acknowledged.count >= atLeast)
    // Again only if the process was killed before the removal of the record was written: with the same key.
    expectEqual(Set(requests).count, Set(sent).count)
    // Each came for the first time in its turn. What was sent and not yet removed comes again.
    var seen: Set<Int> = []
    let firsts = sent.filter { seen.insert($0).inserted }
    expectEqual(firsts, firsts.sorted())
    client.shutDown()
  }
}
#endif
