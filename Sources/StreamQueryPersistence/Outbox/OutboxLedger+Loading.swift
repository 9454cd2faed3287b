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

  /// Adds the records of a store that was read: for the first time, or again for records that ended outboxes
  /// left.
  ///
  /// An archive may bring a run to two outboxes, so the store may have several records of it. The record with
  /// the newest input stays, and the others are removed.
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
    let newest = Self.newest(of: records)
    var strays: [(serial: UInt64, record: OutboxRecord)] = []
    for (serial, record) in records {
      let isOver = unwritten[record.id] != nil || underWay[record.id] != nil
      guard newest[record.id] == serial, indices[record.id] == nil, !isOver else {
        strays.append((serial, record))
        continue
      }
      if overEarly.remove(record.id) != nil {
        removeToo(serial, record)
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
    for stray in strays { removeToo(stray.serial, stray.record) }
    for scope in open.keys { open[scope]?.sort() }
    // Runs in scopes that are no longer barred go on, unless a record that was just found comes before them.
    bar(barred)
    version += 1
  }

  /// Returns for each run the serial of the record with the newest input, or of the first such record.
  private static func newest(
    of records: [(serial: UInt64, record: OutboxRecord)]
  ) -> [RunIdentity: UInt64] {
    var newest: [RunIdentity: (serial: UInt64, revision: UInt64)] = [:]
    for (serial, record) in records {
      let revision = record.header.revision
      if let known = newest[record.id], known.revision >= revision { continue }
      newest[record.id] = (serial, revision)
    }
    return newest.mapValues(\.serial)
  }

  /// Removes a surplus record of a run from the store, unless the run's entry is based on this record, or the
  /// record is being removed already.
  private mutating func removeToo(_ serial: UInt64, _ record: OutboxRecord) {
    let (id, header) = (record.id, record.header)
    let key = OutboxRecord.key(serial, id)
    let drafts = [unwritten[id], underWay[id]].compactMap(\.self)
    let isGone = drafts.contains { $0.key == key || $0.strays.contains(key) }
    guard self[id]?.key != key, !isGone else { return }
    write(id)
    let draft = Draft(
      key: key,
      scope: header.scope,
      revision: header.revision,
      mayBeStored: true
    )
    if unwritten[id] == nil { unwritten[id] = draft } else { unwritten[id]?.strays.append(key) }
  }

  /// Makes an item open again, because the archive's run that took the item's place has failed.
  ///
  /// - Returns: Whether the item is open now, and was not before.
  mutating func reopened(_ id: RunIdentity) -> Bool {
    guard let index = indices[id], let entry = entries[index], !entry.status.isOpen else {
      return false
    }
    setStatus(at: index, .unregistered)
    if let scope = entry.record.header.scope {
      open[scope, default: []].append(entry.serial)
      open[scope]?.sort()
    }
    version += 1
    return true
  }

  /// Sets the scopes in which other outboxes are still sending or writing; runs in other scopes go on.
  mutating func bar(_ scopes: Set<String>) {
    let free = barred.subtracting(scopes)
    barred = scopes
    for scope in free.sorted() { settle(scope) }
  }
}
