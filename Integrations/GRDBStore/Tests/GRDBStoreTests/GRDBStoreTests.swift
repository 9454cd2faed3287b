import Foundation
import GRDB
import GRDBStore
import StreamQuery
import StreamQueryTesting
import Testing

@Suite struct GRDBStoreTests {
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

  @Test(arguments: [false, true])
  func wipedRecordsAreInNoFile(_ isPool: Bool) async throws {
    try await withDirectory { directory in
      let path = directory.appending(path: "store.sqlite").path
      let database: any DatabaseWriter =
        isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
      let store = try GRDBStore(database)
      let marker = Data("the marker".utf8)
      let record = StoreRecord(key: "secret", value: marker)
      try await store.write(StoreBatch(generation: .first, puts: [record]), to: .main)
      #expect(try Self.files(in: directory).contains { $0.range(of: marker) != nil })
      _ = try await store.wipe(.main)
      #expect(try Self.files(in: directory).allSatisfy { $0.range(of: marker) == nil })
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
        if case .laterVersion? = $0 as? QueryStoreError { true } else { false }
      }
    }
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
