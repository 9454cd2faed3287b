#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a client has promised to send, and what of it is written: a value that is told what happened.
///
/// An item whose mutation is not known, or whose input cannot be read, is *open*: no run stands for it.
/// In its scope, no later item goes on before it does.
struct OutboxLedger: Sendable {
  enum Phase: Sendable {
    /// What the store has is not known.
    case loading
    case open(StoreGeneration)
    case closed(QueryStoreError)
  }

  enum Stand: Sendable {
    /// Its mutation is not known yet.
    case unregistered
    /// Its input cannot be read.
    case undecodable(ErrorBox)
    /// A run of the client.
    case run(RunProgress.Phase)

    var isOpen: Bool {
      switch self {
      case .unregistered, .undecodable: true
      case .run: false
      }
    }
  }

  struct Entry: Sendable {
    /// Its place among all records.
    let serial: UInt64
    /// Its number among the runs of the client, if it was kept by an earlier process.
    let number: UInt64?
    var record: OutboxRecord
    /// How often the record was changed here.
    var edition = 0
    var stand: Stand
    /// The registration that cannot read the present edition.
    var failedWith: UInt64?
    /// Whether the store has the present revision.
    var isWritten: Bool
    /// Whether the store has the present revision, or an earlier one.
    var isPromised: Bool
    /// Whether its run waits for that.
    var isAwaited = false
    var failureCount = 0
    var failureReason: ErrorBox?

    var id: RunIdentity { record.id }
    var key: String { OutboxRecord.key(serial, id) }
  }

  /// What a batch writes.
  struct Draft: Sendable {
    var key: String
    var revision: UInt64
  }

  var phase = Phase.loading
  /// By serial; `nil` where one is gone.
  var entries: [Entry?] = []
  var places: [RunIdentity: Int] = [:]
  /// The serials of open items in each scope, in order.
  var open: [String: [UInt64]] = [:]
  /// The written runs of each scope that wait for open items before them.
  var withheld: [String: [RunIdentity]] = [:]
  /// The runs that may perform from now on.
  var released: [RunIdentity] = []
  /// What the store has not been told, and what it is being told.
  var unwritten: [RunIdentity: Draft] = [:]
  var underWay: [RunIdentity: Draft] = [:]
  /// What is shown of each block of entries; `nil` where it has changed since.
  var blocks: [OutboxItems.Block?] = []
  /// What is no longer shown, such as users' errors, to be released outside of locks.
  var dropped: [any Sendable] = []
  /// Whether the last batch failed.
  var hasFailed = false
  /// The items that mention a text, by its hash; `nil` until somebody asks.
  var mentions: [Int: [RunIdentity]]?
  /// The greatest serial of what was loaded.
  var base: UInt64 = 0
  var lastNumber: UInt64 = 0
  /// Increases with each visible change.
  var version: UInt64 = 1

  var isLoading: Bool { if case .loading = phase { true } else { false } }

  /// The number of items.
  var count: Int { places.count }

  subscript(id: RunIdentity) -> Entry? { places[id].flatMap { entries[$0] } }

  /// The items, in their order.
  var all: [Entry] { entries.compactMap(\.self) }

  // MARK: Coming and going

  /// The records of a store, in their order, and the keys of those that are not readable.
  static func read(
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

  /// The store has told what it keeps; later, what others have left there.
  mutating func loaded(
    _ generation: StoreGeneration,
    _ records: [(serial: UInt64, record: OutboxRecord)],
    last: UInt64
  ) {
    if isLoading { phase = .open(generation) }
    // Numbers from damaged bytes leave room for those to come.
    base = max(base, min(last, .max >> 1))
    var found: [Entry] = []
    for (serial, record) in records where places[record.id] == nil {
      // One that is over, which the store has not been told yet.
      if unwritten[record.id] != nil || underWay[record.id] != nil { continue }
      lastNumber += 1
      found.append(
        Entry(
          serial: serial,
          number: lastNumber,
          record: record,
          stand: .unregistered,
          isWritten: true,
          isPromised: true
        )
      )
      if let scope = record.header.scope { open[scope, default: []].append(serial) }
    }
    insert(found)
    for scope in open.keys { open[scope]?.sort() }
    version += 1
  }

  /// A run waits to be kept.
  ///
  /// - Parameters:
  ///   - record: What is to be kept of it.
  ///   - number: The run's number among those that began here.
  mutating func accepted(_ record: OutboxRecord, number: UInt64) {
    let id = record.id
    version += 1
    if let place = places[id], let entry = entries[place] {
      touch(place)
      let isSame = entry.record.header.revision == record.header.revision
      entries[place]?.isAwaited = true
      stand(at: place, .run(.saving))
      if entry.stand.isOpen { close([entry.serial], in: entry.record.header.scope) }
      if !isSame { change(at: place, to: record, isNew: true) }
      return settle(id)
    }
    insert(
      Entry(
        serial: base &+ number,
        number: nil,
        record: record,
        stand: .run(.saving),
        isWritten: false,
        isPromised: false,
        isAwaited: true
      )
    )
    write(id)
  }

  /// A run is over, or an open item was dropped.
  ///
  /// - Returns: What is gone: a user's error, to be released outside of locks.
  mutating func ended(_ id: RunIdentity) -> Entry? {
    guard let place = places[id], let entry = entries[place] else { return nil }
    write(id)
    places[id] = nil
    entries[place] = nil
    touch(place)
    version += 1
    if entry.stand.isOpen { close([entry.serial], in: entry.record.header.scope) }
    if entries.count > 16, places.count * 2 < entries.count { compact() }
    if places.isEmpty { mentions = mentions == nil ? nil : [:] }
    return entry
  }

  /// A run took a step.
  ///
  /// - Returns: The error that is no longer shown, to be released outside of locks.
  mutating func progressed(_ id: RunIdentity, _ progress: RunProgress) -> ErrorBox? {
    guard let place = places[id], let entry = entries[place], !entry.stand.isOpen else {
      return nil
    }
    touch(place)
    entries[place]?.stand = .run(progress.phase)
    entries[place]?.failureCount = progress.failureCount
    entries[place]?.failureReason = progress.failureCount > 0 ? progress.failureReason : nil
    version += 1
    return entry.failureReason
  }

  /// Open items were looked at.
  ///
  /// - Parameters:
  ///   - readable: Those that may begin as soon as they are written.
  ///   - failures: Why others cannot be read.
  /// - Returns: Those that begin now, in order: not those behind an open one of their scope. When
  ///   they have begun, tell ``began(_:)``.
  mutating func looked(
    at readable: Set<RunIdentity>,
    _ failures: [RunIdentity: ErrorBox]
  ) -> [Entry] {
    var blocked: Set<String> = []
    var begun: [Entry] = []
    for place in entries.indices {
      guard let entry = entries[place], entry.stand.isOpen else { continue }
      let scope = entry.record.header.scope
      let isBlocked = scope.map { blocked.contains($0) } ?? false
      if readable.contains(entry.id), !isBlocked, entry.isWritten {
        stand(at: place, .run(.waiting))
        begun.append(entry)
      } else {
        if let scope { blocked.insert(scope) }
        if let error = failures[entry.id] { stand(at: place, .undecodable(error)) }
      }
    }
    version += 1
    return begun
  }

  /// Runs of the client stand for these items now: what waited behind them goes on.
  mutating func began(_ begun: [Entry]) {
    var closed: [String: Set<UInt64>] = [:]
    for entry in begun {
      if let scope = entry.record.header.scope { closed[scope, default: []].insert(entry.serial) }
    }
    for (scope, serials) in closed.sorted(by: { $0.key < $1.key }) { close(serials, in: scope) }
  }

  /// Whether there are items without runs.
  var hasOpenItems: Bool { entries.contains { $0?.stand.isOpen ?? false } }
}
