internal import StreamQuery

/// The runs that a client has to send, and the state of their records.
///
/// ``OutboxEngine`` reports each event to this value, which decides what to write and which runs go on.
///
/// An item is *open* if it has no run, because its mutation is not known or its input cannot be decoded.
/// Later items of its scope wait for it.
struct OutboxLedger: Sendable {
  enum ItemStatus: Sendable {
    /// The item's mutation is not known yet.
    case unregistered
    /// The item's input cannot be decoded.
    case undecodable(ErrorBox)
    /// The item has a run of the client, in this phase.
    case run(RunProgress.Phase)

    var isOpen: Bool {
      switch self {
      case .unregistered, .undecodable: true
      case .run: false
      }
    }
  }

  /// Which input of an item the store has: none, an earlier one, or the present one.
  enum StoredRevision: Sendable {
    case missing
    case earlier
    case present
  }

  struct Entry: Sendable {
    /// The number that orders all records in the store; it is part of the record's key.
    let serial: UInt64
    /// The number that orders this item among the items that were read from the store; `nil` for a run of
    /// this client.
    let number: UInt64?
    /// The number of the run among those of this client; `nil` for an item that was read from the store.
    var ownNumber: UInt64?
    var record: OutboxRecord
    /// The number of changes of the record in this process.
    var edition = 0
    var status: ItemStatus
    /// The number of the registration that failed to decode the record in its present edition.
    var failedWith: UInt64?
    /// Which input of the item the store has.
    var stored: StoredRevision
    var pacing = Pacing.all
    /// Whether the run still waits: until its record is written, and until no earlier item of its scope
    /// blocks it.
    var isAwaited = false
    var failureCount = 0
    var failureReason: ErrorBox?

    var id: RunIdentity { record.id }
    var isWritten: Bool { stored == .present }
    var key: String { OutboxRecord.key(serial, id) }
  }

  /// An item's record that is to be written or removed.
  struct Draft: Sendable {
    var key: String
    var scope: String?
    var revision: UInt64
    /// Whether the item has got another input with this revision while the draft is being written.
    var isOutdated = false
    /// The keys of further records of the same run, which are removed.
    var strays: [String] = []
    /// Whether the store may have a record of the run: it has one, or a batch with one was begun.
    var mayBeStored = false
  }

  var phase = StoreWriter.Phase.loading
  /// The entries, sorted by serial; `nil` for an entry that was removed.
  var entries: [Entry?] = []
  var indices: [RunIdentity: Int] = [:]
  /// The serials of open items (those without runs) in each scope, in order.
  var open: [String: [UInt64]] = [:]
  /// The scopes in which outboxes of ended clients are still sending or writing.
  ///
  /// No run of this client is sent there.
  var barred: Set<String> = []
  /// The written runs of each scope that wait for an open item before them, or for another client.
  var withheld: [String: [RunIdentity]] = [:]
  /// The written runs that may be sent now; ``OutboxEngine/release()`` takes them from here.
  var released: [RunIdentity] = []
  /// The runs that were over before the store was read, but of which the store may have records.
  ///
  /// They are cancelled runs, and runs from archives that were not durable.
  ///
  /// Such a record is removed when it is read. If another client has it now, that is when this client takes
  /// it over.
  var overEarly: Set<RunIdentity> = []
  /// The changes for the next batch; `underWay` has the changes in the batch that is being written.
  var unwritten: [RunIdentity: Draft] = [:]
  var underWay: [RunIdentity: Draft] = [:]
  /// The items as an app sees them, in blocks of ``blockSize``; `nil` for a block that has changed since it
  /// was made.
  var blocks: [OutboxItems.Block?] = []
  /// The undecodable items that newer runs have replaced.
  ///
  /// They are reported to the app, because without a pacing key the newer run may be about something else.
  var replacedUnread: [OutboxRecord.Header] = []
  /// Former objects, such as users' errors, which are released outside of locks.
  var garbage = Garbage()
  /// Whether the last batch could not be written.
  var hasFailed = false
  /// Whether a closed store still has a record that was to be removed, or a record with an earlier input.
  var hasLost = false
  /// For the hash of each string in an input: the items whose inputs contain the string.
  ///
  /// `nil` until identifiers are replaced for the first time.
  var mentions: [Int: [RunIdentity]]?
  /// The sum of this number and the number of a run that begins here is the run's serial.
  ///
  /// It is at least the greatest serial of earlier records.
  var base: UInt64 = 0
  var lastNumber: UInt64 = 0
  /// A number that increases with each visible change.
  var version: UInt64 = 1

  var isLoading: Bool { phase.isLoading }

  /// Whether somebody has wiped the partition, so that no item may be sent any more.
  var isWiped: Bool { if case .closed(.superseded) = phase { true } else { false } }

  /// The error with which the store was closed, if it lacks changes; `nil` after a wipe, which leaves no
  /// records that could be wrong.
  var loss: QueryStoreError? {
    if hasLost, !isWiped, case .closed(let error) = phase { error } else { nil }
  }

  /// The number of items that the ledger has.
  var count: Int { indices.count }

  subscript(id: RunIdentity) -> Entry? { indices[id].flatMap { entries[$0] } }

  /// The items, sorted by their serials.
  var all: [Entry] { entries.compactMap(\.self) }

  /// Whether an item has a later input than a record of the same run.
  func hasLater(than record: OutboxRecord) -> Bool {
    self[record.id].map { $0.record.header.revision > record.header.revision } ?? false
  }

  // MARK: Coming and going

  /// Adds a run, or takes its new input; the run waits until its record is written.
  ///
  /// - Parameters:
  ///   - record: The run's record.
  ///   - number: The run's number among those that began here.
  ///   - serial: The serial for a run that is newer than all others in the ledger; `nil` means the sum of
  ///     `base` and the run's number. A run that began before others gets a serial below theirs.
  ///   - pacing: The rule by which the run replaces older items.
  mutating func accepted(
    _ record: OutboxRecord,
    number: UInt64,
    serial: UInt64? = nil,
    pacing: Pacing = .all
  ) {
    let id = record.id
    version += 1
    if let index = indices[id], let entry = entries[index] {
      entries[index]?.pacing = pacing
      // An archive may bring the same revision with another input: two clients have changed the run.
      let isSame =
        entry.record.header.revision == record.header.revision && entry.record.input == record.input
      entries[index]?.isAwaited = true
      setStatus(at: index, .run(.saving))
      if entry.status.isOpen { close([entry.serial], in: entry.record.header.scope) }
      // An archive has brought the run with an older input than the store's. The engine gives the store's
      // input to the run, and then lets it go on.
      if record.header.revision < entry.record.header.revision { return }
      // The index is looked up again, because `close` may have moved the entries: it releases runs behind the
      // item, and these may replace older items.
      if !isSame, let index = indices[id] { change(at: index, to: record, isNew: true) }
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

  /// Returns a serial for a run that began before other runs in the ledger, so that it comes before them;
  /// `nil` if the run is the newest.
  private func serial(of number: UInt64) -> UInt64? {
    var next: (serial: UInt64, number: UInt64)?
    for case let entry? in entries.reversed() {
      guard let own = entry.ownNumber else { continue }
      guard own > number else { break }
      next = (entry.serial, own)
    }
    return next.map { $0.serial &- ($0.number - number) }
  }

  /// Removes an item, because its run is over or the open item was dropped.
  ///
  /// - Returns: The former entry, which the caller releases outside of locks.
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

  /// Records the progress of a run.
  ///
  /// - Returns: The former error, which the caller releases outside of locks.
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

  /// Takes the results of decoding the inputs of open items.
  ///
  /// - Parameters:
  ///   - readable: The items that may begin as soon as they are written.
  ///   - failures: The errors of the items that cannot be decoded.
  ///   - pacing: The rules by which the items replace older ones.
  /// - Returns: The items that begin now, in order. An item behind an open one of its scope does not begin,
  ///   unless it is a newer version of the open one. When the runs have begun, call ``began(_:)``.
  mutating func looked(
    at readable: Set<RunIdentity>,
    _ failures: [RunIdentity: ErrorBox],
    pacing: [RunIdentity: Pacing] = [:]
  ) -> [Entry] {
    /// The lanes (mutation and pacing key) of the open items that do not begin now, by scope.
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

  /// Notes that the client has begun the runs of these items, and releases the runs that waited behind them.
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
