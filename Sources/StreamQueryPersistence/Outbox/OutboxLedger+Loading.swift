internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Taking records from the store into the ledger.

extension OutboxLedger {
  /// Decodes a store's records; returns them in order, and the keys of the records that are not readable.
  static func decodedRecords(
    _ contents: StoreContents
  ) -> (
    records: [(serial: UInt64, record: OutboxRecord)], unreadable: [String]
  ) {
    var records: [(serial: UInt64, record: OutboxRecord)] = []
    var unreadable: [String] = []
    for record in contents.records where record.key.hasPrefix(OutboxRecord.prefix) {
      guard let serial = OutboxRecord.serial(of: record.key),
        let read = OutboxRecord(record.value), OutboxRecord.key(serial, read.id) == record.key
      else {
        unreadable.append(record.key)
        continue
      }
      records.append((serial, read))
    }
    records.sort {
      ($0.serial, $0.record.header.id.uuidString) < ($1.serial, $1.record.header.id.uuidString)
    }
    return (records, unreadable)
  }

  /// Adds the records of a store that was read for the first time, or again for records of ended outboxes.
  ///
  /// - Parameters:
  ///   - generation: The generation of the store.
  ///   - records: The records that this client has claimed.
  ///   - last: The greatest serial in the store.
  ///   - barred: The scopes in which other outboxes are still sending or writing.
  mutating func loaded(
    _ generation: StoreGeneration,
    _ records: [(serial: UInt64, record: OutboxRecord)],
    last: UInt64,
    barred: Set<String> = []
  ) {
    if isLoading { phase = .open(generation) }
    base = max(base, last.leavingRoom)
    var found: [Entry] = []
    for (serial, record) in records where indices[record.id] == nil {
      // The run is over, and its record has still to be removed.
      if unwritten[record.id] != nil || underWay[record.id] != nil { continue }
      if cancelledEarly.remove(record.id) != nil {
        let (key, header) = (OutboxRecord.key(serial, record.id), record.header)
        unwritten[record.id] = Draft(key: key, scope: header.scope, revision: header.revision)
        continue
      }
      lastNumber += 1
      found.append(
        Entry(
          serial: serial,
          number: lastNumber,
          record: record,
          status: .unregistered,
          stored: .present
        )
      )
      if let scope = record.header.scope { open[scope, default: []].append(serial) }
    }
    insert(found)
    for scope in open.keys { open[scope]?.sort() }
    // The runs of free scopes go on, except for those behind a record that was just found.
    bar(barred)
    version += 1
  }

  /// Sets the scopes in which other outboxes are still sending or writing; runs in other scopes go on.
  mutating func bar(_ scopes: Set<String>) {
    let free = barred.subtracting(scopes)
    barred = scopes
    for scope in free.sorted() { settle(scope) }
  }
}
