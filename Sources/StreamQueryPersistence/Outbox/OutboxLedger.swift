internal import StreamQuery

/// The runs that a client has to send, and the state of their records.
///
/// The engine reports each event to this value, which decides what to write and which runs go on.
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

  /// The form in which the store has an item: none, one with an earlier input, or the present one.
  enum StoredRevision: Sendable {
    case missing
    case earlier
    case present
  }

  struct Entry: Sendable {
    /// The item's place among all records.
    let serial: UInt64
    /// The item's place among the client's runs, if an earlier process wrote the item.
    let number: UInt64?
    /// The item's place among the client's runs, if the item began in this process.
    var ownNumber: UInt64?
    var record: OutboxRecord
    /// The number of changes of the record in this process.
    var edition = 0
    var status: ItemStatus
    /// The number of the registration that failed to decode the record in its present edition.
    var failedWith: UInt64?
    /// The form in which the store has the item.
    var stored: StoredRevision
    var pacing = Pacing.all
    /// Whether the item's run waits until the record is written.
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
    /// The keys of further records of the same run, which are removed.
    var strays: [String] = []
  }

  var phase = StoreWriter.Phase.loading
  /// The entries, by serial; `nil` for an entry that was removed.
  var entries: [Entry?] = []
  var indices: [RunIdentity: Int] = [:]
  /// The serials of open items (those without runs) in each scope, in order.
  var open: [String: [UInt64]] = [:]
  /// The scopes in which ended outboxes of other clients are still sending or writing.
  var barred: Set<String> = []
  /// The written runs of each scope that wait for an open item before them, or for another client.
  var withheld: [String: [RunIdentity]] = [:]
  /// The runs that may go on; the engine takes them from here.
  var released: [RunIdentity] = []
  /// The runs that were over before the store was read, which may have records of them: cancelled runs, and
  /// runs from archives that were not durable.
  ///
  /// A record that another client has is removed when it is taken over.
  var overEarly: Set<RunIdentity> = []
  /// The changes that the store does not have; those in the present batch are in `underWay`.
  var unwritten: [RunIdentity: Draft] = [:]
  var underWay: [RunIdentity: Draft] = [:]
  /// The items of each block as an app sees them; `nil` after a change.
  var blocks: [OutboxItems.Block?] = []
  /// The undecodable items that newer runs have replaced, until they are reported, because a run and its
  /// replaced item may be about different things.
  var replacedUnread: [OutboxRecord.Header] = []
  /// Former objects, such as users' errors, which are released outside of locks.
  var garbage = Garbage()
  /// Whether the last batch could not be written.
  var hasFailed = false
  /// Whether a closed store keeps a record of a run that is over, or with a former input.
  var hasLost = false
  /// The items that mention a text, by the text's hash; `nil` until the first use.
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

  /// The error with which the store was closed, if a change of its records was lost; wiped records are gone.
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
  ///   - serial: The serial for a run that is the newest one; `nil` adds the run's number to `base`. An older
  ///     run gets a serial between those of its neighbors.
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
      // The store has a later input than an archive: the engine gives that to the run, and then settles it.
      if record.header.revision < entry.record.header.revision { return }
      // The index is looked up again: the runs behind the item may have replaced others, which moves the
      // entries.
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

  /// Notes that these items have runs of the client now, and releases the runs that waited behind them.
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
