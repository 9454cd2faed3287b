internal import Foundation
public import GRDB
public import StreamQueryPersistence
internal import Synchronization

/// A store in an SQLite database.
///
/// ```swift
/// let store = try GRDBStore(path: path)
/// ```
///
/// The tables `streamQueryRecord`, `streamQueryGeneration` and `streamQueryVersion` belong to the store; the
/// database may have others. Each batch is one transaction. The database's `synchronous` setting, `FULL` by
/// default, decides how durable a batch is. Several processes may use one database. If a process waits for
/// another one longer than the busy mode of the configuration allows, the call throws
/// ``/StreamQueryPersistence/QueryStoreError/failed(_:)`` with the database's error, and clients try again.
///
/// Each record has a checksum. The store omits a damaged record, and reports it once in the store's life, as
/// ``/StreamQueryPersistence/StoreDamage``. Replaced, removed and wiped bytes are overwritten with zeros,
/// because the store turns `secure_delete` on for the connection that writes.
///
/// A wiped partition leaves one row with its name and its generation, because another process may still have
/// a batch of the former generation. `release(_:)` does not remove the row. Such rows do not slow down the
/// opening of a store.
///
/// A call that is cancelled before its transaction is committed throws
/// ``/StreamQueryPersistence/QueryStoreError/failed(_:)`` with a `CancellationError`, and changes nothing.
public final class GRDBStore: QueryStore {
  /// The version of the tables.
  private static let version = 1

  private let database: any DatabaseWriter
  /// The damaged records that a load has reported.
  private let reported = Mutex<Set<RecordName>>([])

  /// Opens a database for the store alone.
  ///
  /// - Parameters:
  ///   - path: The file, which is created if necessary.
  ///   - configuration: The configuration of the database. A busy mode that fails at once, which is GRDB's
  ///     default, is replaced by one that waits for five seconds.
  /// - Throws: The reason why the database cannot be opened.
  public convenience init(
    path: String,
    configuration: Configuration = Configuration()
  ) throws(QueryStoreError) {
    do {
      let configuration = Self.patient(configuration)
      try self.init(try DatabaseQueue(path: path, configuration: configuration))
    } catch {
      throw QueryStoreError(database: error)
    }
  }

  /// Returns a configuration that does not fail at once while another connection writes.
  static func patient(_ configuration: Configuration) -> Configuration {
    var configuration = configuration
    if case .immediateError = configuration.busyMode { configuration.busyMode = .timeout(5) }
    return configuration
  }

  /// Creates the tables in a database, unless they are there.
  ///
  /// - Parameter database: A queue or a pool.
  /// - Throws: ``/StreamQueryPersistence/QueryStoreError/otherVersion`` if a later version has created the tables, or
  ///   the reason why they cannot be created.
  public init(_ database: any DatabaseWriter) throws(QueryStoreError) {
    self.database = database
    do {
      try database.write { db in
        try db.execute(
          sql: """
            CREATE TABLE IF NOT EXISTS streamQueryVersion (number INTEGER NOT NULL);
            INSERT INTO streamQueryVersion
              SELECT \(Self.version) WHERE NOT EXISTS (SELECT * FROM streamQueryVersion);
            """
        )
        let version = try Int.fetchOne(db, sql: "SELECT MAX(number) FROM streamQueryVersion")
        guard version ?? 0 <= Self.version else { throw QueryStoreError.otherVersion }
        // Names and keys are stored as bytes, because SQLite ends a text at its first zero byte.
        try db.execute(
          sql: """
            CREATE TABLE IF NOT EXISTS streamQueryGeneration (
              partition BLOB PRIMARY KEY, number INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS streamQueryRecord (
              partition BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
              checksum INTEGER NOT NULL,
              PRIMARY KEY (partition, key)
            ) WITHOUT ROWID;
            """
        )
      }
    } catch {
      throw QueryStoreError(database: error)
    }
  }

  /// Reads the records of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation, the records in the order of their keys' bytes, and the damage.
  /// - Throws: The reason why they cannot be read.
  public func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    try await loading { db, found in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT key, value, checksum FROM streamQueryRecord WHERE partition = ? ORDER BY key
          """,
        arguments: [partition.bytes]
      )
      found.contents.generation = try Self.generation(of: partition, in: db)
      while let row = try rows.next() { found.add(row, of: partition) }
    }
  }

  /// Reads the records with some keys, one by one.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation, the records in the order of `keys`, each once, and the damage.
  /// - Throws: The reason why they cannot be read.
  public func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    try await loading { db, found in
      let statement = try db.cachedStatement(
        sql: "SELECT key, value, checksum FROM streamQueryRecord WHERE partition = ? AND key = ?"
      )
      found.contents.generation = try Self.generation(of: partition, in: db)
      // A set alone would give the records another order in each process.
      var seen: Set<String> = []
      for key in keys where seen.insert(key).inserted {
        let row = try Row.fetchOne(statement, arguments: [partition.bytes, Data(key.utf8)])
        if let row { found.add(row, of: partition) }
      }
    }
  }

  /// Applies a batch in a transaction.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - partition: The partition.
  /// - Throws: The reason why the batch cannot be written.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) async throws(QueryStoreError) {
    try await writing { db in
      let current = try Self.generation(of: partition, in: db)
      guard batch.generation == current else { throw QueryStoreError.superseded(current: current) }
      let removal = try db.cachedStatement(
        sql: "DELETE FROM streamQueryRecord WHERE partition = ? AND key = ?"
      )
      for key in batch.removals {
        try removal.execute(arguments: [partition.bytes, Data(key.utf8)])
      }
      let put = try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO streamQueryRecord (partition, key, value, checksum)
            VALUES (?, ?, ?, ?)
          """
      )
      for record in batch.puts {
        let key = Data(record.key.utf8)
        let checksum = RecordChecksum.of(partition.bytes, key, record.value)
        try put.execute(arguments: [partition.bytes, key, record.value, checksum])
      }
    }
  }

  /// Begins the next generation, and overwrites the records in the same transaction.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The new generation.
  /// - Throws: The reason why the records could not be removed, or why their bytes may still be in the
  ///   write-ahead log. In the second case the next checkpoint overwrites them.
  public func wipe(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreGeneration {
    let next = try await writing { db in
      let next = try Self.generation(of: partition, in: db).next
      try db.execute(
        sql: "INSERT OR REPLACE INTO streamQueryGeneration (partition, number) VALUES (?, ?)",
        arguments: [partition.bytes, Int64(bitPattern: next.number)]
      )
      try db.execute(
        sql: "DELETE FROM streamQueryRecord WHERE partition = ?",
        arguments: [partition.bytes]
      )
      return next
    }
    // The wipe has taken effect, so it does not fail any more if the caller is cancelled: the checkpoint has
    // a task of its own.
    let checkpoint = Task { [database] in
      try await database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    }
    do {
      try await checkpoint.value
    } catch {
      throw QueryStoreError(database: error)
    }
    return next
  }

  private static func generation(
    of partition: StorePartition,
    in db: Database
  ) throws -> StoreGeneration {
    let number = try Int64.fetchOne(
      db,
      sql: "SELECT number FROM streamQueryGeneration WHERE partition = ?",
      arguments: [partition.bytes]
    )
    return number.map { StoreGeneration(number: UInt64(bitPattern: $0)) } ?? .first
  }

  /// Reads records, and reports each damaged record the first time that a read finds it.
  private func loading(
    _ body: @Sendable (Database, inout FoundRecords) throws -> Void
  ) async throws(QueryStoreError) -> StoreContents {
    do {
      let found = try await database.read { db in
        var found = FoundRecords()
        try body(db, &found)
        return found
      }
      var contents = found.contents
      contents.damage = reported.withLock { reported in
        found.damaged.filter { reported.insert($0.name).inserted }.map(\.damage)
      }
      return contents
    } catch {
      throw QueryStoreError(database: error)
    }
  }

  private func writing<Result: Sendable>(
    _ body: @Sendable (Database) throws -> Result
  ) async throws(QueryStoreError) -> Result {
    do {
      return try await database.write { db in
        // Each write turns the setting on, because each connection has a setting of its own. A wipe alone
        // would be too late: it cannot overwrite the former bytes of records that were replaced before.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        return try body(db)
      }
    } catch {
      throw QueryStoreError(database: error)
    }
  }
}

/// The identity of a record.
private struct RecordName: Hashable {
  let partition: StorePartition
  let key: Data
}

/// The records that a read has found so far.
private struct FoundRecords: Sendable {
  /// The undamaged records.
  var contents = StoreContents(generation: .first)
  /// The damaged records.
  var damaged: [(name: RecordName, damage: StoreDamage)] = []

  /// Adds the record of a row; if the row is damaged, adds a report of the damage.
  mutating func add(_ row: Row, of partition: StorePartition) {
    // These conversions return `nil` for a value of another type: damage may have changed the type, too.
    let key = Data.fromDatabaseValue(row[0])
    let value = Data.fromDatabaseValue(row[1])
    let checksum = Int64.fromDatabaseValue(row[2])
    if let key, let value, checksum == RecordChecksum.of(partition.bytes, key, value) {
      contents.records.append(StoreRecord(key: String(decoding: key, as: UTF8.self), value: value))
      return
    }
    let name = RecordName(partition: partition, key: key ?? Data())
    let place =
      "partition \(partition), row with the key \(String(decoding: name.key, as: UTF8.self))"
    damaged.append((name, StoreDamage(place: place, byteCount: value?.count ?? 0)))
  }
}

extension StorePartition {
  fileprivate var bytes: Data { Data(name.utf8) }
}
