internal import StreamQuery

/// The runs that a client has to send, and the state of their records.
///
/// It is a value that is told about each event.
///
/// An item is *open* if it has no run, because its mutation is not known or its input cannot be read. Later
/// items of its scope wait for it.
struct OutboxLedger: Sendable {
  enum ItemStatus: Sendable {
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

  /// Which form of an item the store has.
  enum StoredRevision: Sendable {
    case missing
    case earlier
    case present
  }

  struct Entry: Sendable {
    /// Its place among all records.
    let serial: UInt64
    /// The number that orders it among the client's runs, if an earlier process wrote it.
    let number: UInt64?
    /// The number that orders it among the client's runs, if it began in this process.
    var ownNumber: UInt64?
    var record: OutboxRecord
    /// The number of changes of the record in this process.
    var edition = 0
    var status: ItemStatus
    /// The number of the registration that could not decode the present edition.
    var failedWith: UInt64?
    /// Which form the store has.
    var stored: StoredRevision
    var pacing = Pacing.all
    /// Whether a run waits until the item is written.
    var isAwaited = false
    var failureCount = 0
    var failureReason: ErrorBox?

    var id: RunIdentity { record.id }
    var isWritten: Bool { stored == .present }
    var key: String { OutboxRecord.key(serial, id) }
  }

  /// The record of an item that is to be written or removed.
  struct Draft: Sendable {
    var key: String
    var scope: String?
    var revision: UInt64
  }

  var phase = StoreWriter.Phase.loading
  /// The entries, by serial; `nil` for an entry that is gone.
  var entries: [Entry?] = []
  var indices: [RunIdentity: Int] = [:]
  /// The serials of open items in each scope, in order.
  var open: [String: [UInt64]] = [:]
  /// The scopes in which other clients, which have ended, are still sending or writing.
  var barred: Set<String> = []
  /// The written runs of each scope that wait for open items before them, or because the scope is
  /// barred.
  var withheld: [String: [RunIdentity]] = [:]
  /// The runs that may go on, as soon as the engine takes them from here.
  var released: [RunIdentity] = []
  /// The changes that the store does not have, and the changes in the batch under way.
  var unwritten: [RunIdentity: Draft] = [:]
  var underWay: [RunIdentity: Draft] = [:]
  /// The visible form of each block of entries; `nil` after a change.
  var blocks: [OutboxItems.Block?] = []
  /// The unreadable items that newer runs have replaced, until that is reported: nobody knows whether the
  /// runs are versions of them.
  var replacedUnread: [OutboxRecord.Header] = []
  /// Objects that are no longer visible, such as users' errors, to be released outside of locks.
  var garbage = Garbage()
  /// Whether the last batch failed.
  var hasFailed = false
  /// The items that mention a text, by its hash; `nil` until the first use.
  var mentions: [Int: [RunIdentity]]?
  /// The number that is added to the number of a run that begins here, to make its serial.
  ///
  /// It is at least the greatest serial of earlier records.
  var base: UInt64 = 0
  var lastNumber: UInt64 = 0
  /// Increases with each visible change.
  var version: UInt64 = 1

  var isLoading: Bool { phase.isLoading }

  /// The number of items.
  var count: Int { indices.count }

  subscript(id: RunIdentity) -> Entry? { indices[id].flatMap { entries[$0] } }

  /// The items, in their order.
  var all: [Entry] { entries.compactMap(\.self) }

  // MARK: Coming and going

  /// A run waits until its record is written.
  ///
  /// - Parameters:
  ///   - record: Its record.
  ///   - number: The run's number among those that began here.
  ///   - serial: Its place among all records, if it is the newest; `nil` continues after the last
  ///     one.
  ///   - pacing: Its rule for earlier versions.
  mutating func accepted(
    _ record: OutboxRecord,
    number: UInt64,
    serial: UInt64? = nil,
    pacing: Pacing = .all
  ) {
    let id = record.id
    version += 1
    if let index = indices[id], let entry = entries[index] {
      touch(index)
      entries[index]?.pacing = pacing
      let isSame = entry.record.header.revision == record.header.revision
      entries[index]?.isAwaited = true
      setStatus(at: index, .run(.saving))
      if entry.status.isOpen { close([entry.serial], in: entry.record.header.scope) }
      if !isSame { change(at: index, to: record, isNew: true) }
      return settle(id)
    }
    let index = self.serial(of: number) ?? serial ?? base &+ number
    base = max(base, index &- number)
    let entry = Entry(
      serial: index,
      number: nil,
      ownNumber: number,
      record: record,
      status: .run(.saving),
      stored: .missing,
      pacing: pacing,
      isAwaited: true
    )
    insert([entry])
    write(id)
  }

  /// The serial of a run that began before runs that are in the ledger already, counted back from
  /// the next of these; `nil` if there is no such run.
  private func serial(of number: UInt64) -> UInt64? {
    var next: (serial: UInt64, number: UInt64)?
    for case let entry? in entries.reversed() {
      guard let own = entry.ownNumber else { continue }
      guard own > number else { break }
      next = (entry.serial, own)
    }
    return next.map { $0.serial &- ($0.number - number) }
  }

  /// A run is over, or an open item was dropped.
  ///
  /// - Returns: The former entry, with a user's error, to be released outside of locks.
  mutating func ended(_ id: RunIdentity) -> Entry? {
    guard let index = indices[id], let entry = entries[index] else { return nil }
    write(id)
    indices[id] = nil
    entries[index] = nil
    touch(index)
    version += 1
    if entry.status.isOpen { close([entry.serial], in: entry.record.header.scope) }
    if entries.count > 16, indices.count * 2 < entries.count { compact() }
    if indices.isEmpty { mentions = mentions == nil ? nil : [:] }
    return entry
  }

  /// A run took a step.
  ///
  /// - Returns: The error that is no longer shown, to be released outside of locks.
  mutating func progressed(_ id: RunIdentity, _ progress: RunProgress) -> ErrorBox? {
    guard let index = indices[id], let entry = entries[index], !entry.status.isOpen else {
      return nil
    }
    touch(index)
    entries[index]?.status = .run(progress.phase)
    entries[index]?.failureCount = progress.failureCount
    entries[index]?.failureReason = progress.failureCount > 0 ? progress.failureReason : nil
    version += 1
    return entry.failureReason
  }

  /// The inputs of open items were decoded.
  ///
  /// - Parameters:
  ///   - readable: The items that may begin as soon as they are written.
  ///   - failures: The errors of the items that cannot be decoded.
  ///   - pacing: The rules for earlier versions.
  /// - Returns: The items that begin now, in order: not those behind an open item of their scope,
  ///   unless that is an earlier version. When they have begun, call ``began(_:)``.
  mutating func looked(
    at readable: Set<RunIdentity>,
    _ failures: [RunIdentity: ErrorBox],
    pacing: [RunIdentity: Pacing] = [:]
  ) -> [Entry] {
    /// In each scope, the lanes of the open items that were visited and do not begin.
    var blocked: [String: Set<OutboxRecord.Lane>] = [:]
    var begun: [Entry] = []
    for index in entries.indices {
      guard let entry = entries[index], entry.status.isOpen else { continue }
      let (scope, lane) = (entry.record.header.scope, entry.record.header.lane)
      let pacing = pacing[entry.id] ?? .all
      var blockers = scope.flatMap { blocked[$0] } ?? []
      if pacing != .all { blockers.remove(lane) }
      let isBarred = scope.map { barred.contains($0) } ?? false
      if readable.contains(entry.id), !isBarred, blockers.isEmpty, entry.isWritten {
        setStatus(at: index, .run(.waiting))
        entries[index]?.pacing = pacing
        begun.append(entry)
      } else {
        if let scope { blocked[scope, default: []].insert(lane) }
        if let error = failures[entry.id] { setStatus(at: index, .undecodable(error)) }
      }
    }
    version += 1
    return begun
  }

  /// These items have runs of the client now: runs that waited behind them go on.
  mutating func began(_ begun: [Entry]) {
    var closed: [String: Set<UInt64>] = [:]
    for entry in begun {
      if let scope = entry.record.header.scope { closed[scope, default: []].insert(entry.serial) }
    }
    for (scope, serials) in closed.sorted(by: { $0.key < $1.key }) { close(serials, in: scope) }
    for entry in begun {
      if let entry = self[entry.id], entry.pacing == .newest { replaceOlder(than: entry) }
    }
  }
}
