import Foundation
import GRDB
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

@testable import GRDBStore

struct GRDBStoreTests {
  @Test func aQueueKeepsTheContract() async {
    await QueryStoreContract { place in
      try GRDBStore(path: place.directory.appending(path: "store.sqlite").path)
    }.check()
  }

  @Test func aPoolKeepsTheContract() async {
    await QueryStoreContract { place in
      try GRDBStore(try DatabasePool(path: place.directory.appending(path: "store.sqlite").path))
    }.check()
  }

  /// Where SQLite is compiled with `SECURE_DELETE`, it is off at first here, as it is elsewhere.
  @Test(arguments: [false, true])
  func wipedRecordsAreInNoFile(_ isPool: Bool) async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      var configuration = Configuration()
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = OFF") }
      let database: any DatabaseWriter =
        isPool
        ? try DatabasePool(path: path, configuration: configuration)
        : try DatabaseQueue(path: path, configuration: configuration)
      let store = try GRDBStore(database)
      let marker = Data("the marker".utf8)
      let others = StorePartition("others")
      // Of several sizes, beside others, so that pages are split, merged and shared.
      for round in 0..<3 {
        for number in 0..<60 {
          let size = [10, 300, 9_000][(number + round) % 3]
          let secret = StoreRecord(key: "\(number)", value: marker + Data(count: size))
          let other = StoreRecord(key: "\(number)", value: Data(count: size))
          try await store.write(StoreBatch(generation: .first, puts: [secret]), to: .main)
          try await store.write(StoreBatch(generation: .first, puts: [other]), to: others)
        }
        let removals = (0..<20).map { "\($0 * 3)" }
        try await store.write(StoreBatch(generation: .first, removals: removals), to: .main)
      }
      #expect(try Self.files(in: directory).contains { $0.range(of: marker) != nil })
      _ = try await store.wipe(.main)
      #expect(try Self.files(in: directory).allSatisfy { $0.range(of: marker) == nil })
      #expect(try await store.load(others).records.count == 60)
    }
  }

  /// Performs an action whenever a transaction has been committed.
  private final class CommitHook: TransactionObserver, Sendable {
    let action = Mutex<(@Sendable () -> Void)?>(nil)

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { action.withLock { $0 }?() }
    func databaseDidRollback(_ db: Database) {}
  }

  @Test func aWipeThatIsCancelledAfterItsCommitHasSucceeded() async throws {
    try await withDirectory { directory in
      let hook = CommitHook()
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        db.add(transactionObserver: hook, extent: .databaseLifetime)
      }
      let path = directory.appending(path: "store.sqlite").path
      let store = try GRDBStore(path: path, configuration: configuration)
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      let wipe = Task {
        for await _ in gate { break }
        return try await store.wipe(.main)
      }
      hook.action.withLock { $0 = { wipe.cancel() } }
      open.yield(())
      #expect(try await wipe.value == StoreGeneration.first.next)
      hook.action.withLock { $0 = nil }
      #expect(try await store.load(.main).generation == StoreGeneration.first.next)
    }
  }

  @Test func aDatabaseInWhichAnotherWritesIsTriedAgain() async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      // They fail at once.
      let store = try GRDBStore(try DatabaseQueue(path: path))
      let (other, third) = (try Self.otherConnection(path), try DatabaseQueue(path: path))
      let record = StoreRecord(key: "a", value: Data("1".utf8))
      let batch = StoreBatch(generation: .first, puts: [record])

      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
      await #expect { try await store.write(batch, to: .main) } throws: { Self.isBusy($0) }
      await #expect { try await store.load(.main) } throws: { Self.isBusy($0) }
      await #expect { try await store.wipe(.main) } throws: { Self.isBusy($0) }
      #expect { try GRDBStore(third) } throws: { Self.isBusy($0) }

      try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      try await store.write(batch, to: .main)
      #expect(try await store.load(.main).records == [record])
    }
  }

  @Test func aStoreThatOpensItsDatabaseWaitsForAnother() throws {
    guard case .timeout(5) = GRDBStore.patient(Configuration()).busyMode else {
      Issue.record("It fails at once.")
      return
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(1)
    guard case .timeout(1) = GRDBStore.patient(configuration).busyMode else {
      Issue.record("It waits for longer than it was told.")
      return
    }
  }

  /// With a client and an outbox: nothing is given up because of a transaction of somebody else.
  @Test func whatCouldNotBeWrittenForAnotherIsWrittenLater() async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      let store = try GRDBStore(try DatabaseQueue(path: path))
      let other = try Self.otherConnection(path)
      let rename = Mutation<String, String>("rename") { name, _ in name }.durable()
      var configuration = QueryClient.Configuration()
      configuration.persistence = Persistence(in: store)
      configuration.outbox = OutboxConfiguration(in: store, mutations: [rename])
      let client = QueryClient(configuration: configuration)
      try await client.restore()

      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      client.setData("Ada", for: QueryKey<String>("user"))
      async let renamed = client.mutate(rename, with: "Grace")
      for await items in client.outbox.items where !items.isEmpty { break }
      await #expect { try await client.save() } throws: { error in
        (error as? QuerySaveError)?.failures.map(\.error).contains(where: Self.isBusy) == true
      }
      let isSaving = client.outbox.currentItems.map {
        if case .saving = $0.state { true } else { false }
      }
      #expect(isSaving == [true])

      try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      try await client.save()
      #expect(try await renamed == "Grace")
      try await client.save()

      let next = QueryClient(configuration: configuration)
      try await next.restore()
      #expect(next.outbox.currentItems.isEmpty)
      let user = Query<String>("user") {
        Issue.record("It is kept."); return ""
      }
      .staleTime(.seconds(3600))
      #expect(try await next.fetch(user) == "Ada")
    }
  }

  /// Each bit of the file, while no store has it: what is read is as it was written, and the rest is left
  /// out, or the database says that it is no longer one.
  @Test func aChangedBitIsNeverReadAsWhatWasWritten() async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      let records = (0..<2).map {
        StoreRecord(key: "key \($0)", value: Data("value \($0)".utf8))
      }
      do {
        let queue = try DatabaseQueue(path: path)
        let store = try GRDBStore(queue)
        try await store.write(StoreBatch(generation: .first, puts: records), to: .main)
        try queue.close()
      }
      let whole = try Data(contentsOf: URL(filePath: path))
      let place = try #require(whole.range(of: Data("value 1".utf8))?.lowerBound)
      var reports = 0
      // The page's records, and its head with the places of them.
      let page = place - place % 4_096
      for byte in Array(page..<page + 16) + Array(page + 4_016..<page + 4_096) {
        for bit in 0..<8 {
          var damaged = whole
          damaged[byte] ^= 1 << bit
          try damaged.write(to: URL(filePath: path))
          do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            let store = try GRDBStore(queue)
            let contents = try await store.load(.main)
            #expect(contents.records.allSatisfy(records.contains), "bit \(bit) of byte \(byte)")
            reports += contents.damage.count
            // Once.
            #expect(try await store.load(.main).damage.isEmpty)
          } catch is QueryStoreError {
          }
        }
      }
      #expect(reports > 2 * 8 * 12)
    }
  }

  @Test func damageIsReportedByTheFirstReadThatSucceeds() async throws {
    try await withDirectory { directory in
      let fails = Mutex(true)
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        db.add(
          function: DatabaseFunction("mayFail", argumentCount: 1) { arguments in
            guard fails.withLock({ $0 }) else { return arguments[0] }
            throw DatabaseError(resultCode: .SQLITE_IOERR)
          }
        )
      }
      let path = directory.appending(path: "store.sqlite").path
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let store = try GRDBStore(queue)
      let records = ["a", "b"].map { StoreRecord(key: $0, value: Data($0.utf8)) }
      try await store.write(StoreBatch(generation: .first, puts: records), to: .main)
      // The first record is damaged, and the second cannot be read for a while.
      try await queue.write { db in
        try db.execute(
          sql: """
            ALTER TABLE streamQueryRecord RENAME TO kept;
            UPDATE kept SET checksum = 0 WHERE key = X'61';
            CREATE VIEW streamQueryRecord AS
              SELECT partition, key, CASE key WHEN X'62' THEN mayFail(value) ELSE value END AS value,
              checksum FROM kept;
            """
        )
      }
      await #expect(throws: QueryStoreError.self) { try await store.load(.main) }
      fails.withLock { $0 = false }
      let contents = try await store.load(.main)
      #expect(contents.records == [records[1]])
      #expect(contents.damage.map(\.byteCount) == [1])
      #expect(try await store.load(.main).damage.isEmpty)
    }
  }

  @Test func recordsAreInTheOrderOfTheirKeysBytes() async throws {
    try await withDirectory { directory in
      var configuration = Configuration()
      // SQLite then returns rows backwards wherever nobody asks for an order.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA reverse_unordered_selects = ON") }
      let path = directory.appending(path: "store.sqlite").path
      let store = try GRDBStore(path: path, configuration: configuration)
      let keys = ["", "B", "a", "a\u{0}", "ab", "é", "😀"]
      let records = keys.map { StoreRecord(key: $0, value: Data($0.utf8)) }
      let shuffled = [4, 1, 6, 0, 3, 5, 2].map { records[$0] }
      try await store.write(StoreBatch(generation: .first, puts: shuffled), to: .main)
      #expect(try await store.load(.main).records == records)
    }
  }

  @Test func recordsOfNamedKeysAreInTheOrderOfTheNamesAndEachIsThereOnce() async throws {
    try await withDirectory { directory in
      let store = try GRDBStore(path: directory.appending(path: "store.sqlite").path)
      let records = (0..<20).map { StoreRecord(key: "\($0 * 7 % 20)", value: Data([UInt8($0)])) }
      try await store.write(StoreBatch(generation: .first, puts: records), to: .main)
      let keys = records.map(\.key)
      #expect(try await store.load(keys + ["none"] + keys, of: .main).records == records)
    }
  }

  @Test func aFullDatabaseIsReportedAndKeepsWhatItHas() async throws {
    try await withDirectory { directory in
      let queue = try DatabaseQueue(path: directory.appending(path: "store.sqlite").path)
      let store = try GRDBStore(queue)
      let record = StoreRecord(key: "a", value: Data("1".utf8))
      try await store.write(StoreBatch(generation: .first, puts: [record]), to: .main)
      try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 10") }
      let large = StoreRecord(key: "a", value: Data(count: 100_000))
      await #expect {
        try await store.write(StoreBatch(generation: .first, puts: [large]), to: .main)
      } throws: {
        if case .full? = $0 as? QueryStoreError { true } else { false }
      }
      #expect(try await store.load(.main).records == [record])
    }
  }

  @Test func aReadOnlyDatabaseIsReported() async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      _ = try GRDBStore(path: path)
      var configuration = Configuration()
      configuration.readonly = true
      #expect {
        try GRDBStore(path: path, configuration: configuration)
      } throws: {
        if case .denied? = $0 as? QueryStoreError { true } else { false }
      }
    }
  }

  @Test func tablesOfALaterVersionAreLeftAsTheyAre() async throws {
    try await withDirectory { directory in
      let queue = try DatabaseQueue(path: directory.appending(path: "store.sqlite").path)
      _ = try GRDBStore(queue)
      try await queue.write { try $0.execute(sql: "UPDATE streamQueryVersion SET number = 2") }
      #expect {
        try GRDBStore(queue)
      } throws: {
        if case .otherVersion? = $0 as? QueryStoreError { true } else { false }
      }
    }
  }

  /// A connection that may leave a transaction open.
  private static func otherConnection(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static func isBusy(_ error: any Error) -> Bool {
    guard case .failed(let error)? = error as? QueryStoreError else { return false }
    return (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
  }

  private static func files(in directory: URL) throws -> [Data] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).map {
      try Data(contentsOf: directory.appending(path: $0))
    }
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "GRDBStore-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }
}
