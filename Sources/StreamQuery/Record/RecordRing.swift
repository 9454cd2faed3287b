/// The newest events of a cache, and the states before the first of them.
///
/// The cache reports each event to the ring, under the lock. An event takes one row of fixed size; its error
/// or its name, which few events have, are in a queue beside the rows. When a row is overwritten, its state
/// becomes the base of its entry. So the state at any time that the rows cover is known.
///
/// An entry has an index in ``keys`` for as long as it is in the cache, or a row is about it. After that
/// another entry may get the index, under a new number. References to objects of users are given up only
/// through ``garbage``. Copies share the rows and the states of keys, see ``RecordRows``.
struct RecordRing: Sendable {
  /// An entry that is in the cache, or that a row is about.
  struct Key: Sendable {
    /// The number of the key in records; no other entry ever has it.
    var number: UInt32 = 0
    /// The number of rows about the key.
    var rowCount: UInt32 = 0
    /// The first event of the key that still waits for its state; 0 is none.
    var unfinished: UInt64 = 0
    /// The state before the first row.
    var base = RecordedState()
    /// The state now.
    var present = RecordedState()

    /// Records the state of the entry.
    ///
    /// - Returns: The first event that waits for this state; 0 if a new event is needed; `nil` if nothing
    ///   changed.
    mutating func reached(_ state: RecordedState, in transaction: UInt64) -> UInt64? {
      defer { present = state }
      guard unfinished < transaction else {
        defer { unfinished = 0 }
        return unfinished
      }
      guard present != state else { return nil }
      rowCount &+= 1
      return 0
    }

    /// Records that the oldest row of the key is lost: the row's state becomes the base.
    ///
    /// - Returns: Whether nothing needs the key any more.
    @inline(__always)
    mutating func lost(_ row: RecordedState) -> Bool {
      base = row
      rowCount &-= 1
      return rowCount == 0 && !present.isPresent
    }
  }

  /// A run that has not ended, or that a row is about.
  struct Run: Sendable {
    let serial: UInt64
    let key: EntryKey
    let scope: String?
    let startedAt: Int64
    var rowCount = 0
    /// The last step before the first row; `nil` if the run began later.
    var base: RecordCode?
    var isOver = false
    /// The number of the run's optimistic changes that are still shown.
    var layerCount = 0

    /// Whether a record needs the run.
    var isNeeded: Bool { rowCount > 0 || !isOver || layerCount > 0 }
  }

  /// An event without a row yet: most events become rows only when the state after them is known.
  struct Begun {
    /// The slot of the entry.
    var slot: Int
    var detail: UInt32
    var code: RecordCode
    var option: UInt8
  }

  /// The work that is left for the end of a transaction; a plain event leaves none.
  struct Duties: OptionSet {
    let rawValue: UInt8

    /// A reader waits for the next event.
    static let reader = Duties(rawValue: 1)
    /// References were given up.
    static let garbage = Duties(rawValue: 2)
    /// There may be rows that still wait for their state.
    static let unfinished = Duties(rawValue: 4)
  }

  /// The date of time 0, in seconds since the reference date.
  let date: Double
  let capacity: Int
  /// The rows, all made at the beginning, so that storing one is the same whether it overwrites an older one
  /// or not.
  var rows: RecordRows<RecordRow>
  /// The position of the next row; once all rows are in use, the oldest row is there.
  var end = 0
  /// The number of the next event.
  var next: UInt64 = 1
  /// The number of the first event since the last transaction that ended with ``hasNews``.
  ///
  /// Rows before this event do not wait for their state any more.
  var transactionFirst: UInt64 = 1
  var begun: Begun?
  var duties: Duties = []
  /// Whether the record has something to do at the end of the transaction.
  var hasNews = false

  var keys = RecordRows<Key>()
  /// The keys of entries, by the index in ``keys``; `nil` while the index is free.
  var names: [EntryKey?] = []
  var freePlaces: [UInt32] = []
  var lastKey: UInt32 = 0
  /// The indices of entries in ``keys``, by slot.
  var places: [UInt32] = []

  var runs: [UInt32: Run] = [:]
  var runNumbers: [UInt64: UInt32] = [:]
  var lastRun: UInt32 = 0
  /// The numbers of the runs that change an entry optimistically, one for each change, by the entry's index
  /// in ``keys``.
  var layers: [UInt32: [UInt32]] = [:]

  var options = RecordedOptions()
  /// The extras of rows, oldest first; the first `goneExtras` of them are no longer needed.
  private var extras: [RecordRow.Extra] = []
  private var goneExtras = 0
  private var lastError: UInt32 = 0
  /// The state of the network and the app before the first row, and now.
  var base = QueryRecord.Base()
  var present = QueryRecord.Base()
  var values: RecordedTexts
  /// References that are no longer needed, to be released outside the lock.
  var garbage: [any Sendable] = []
  /// The reason that ``moved(_:at:)`` gives for entries that are gone.
  var clearing = QueryEvent.RemovalReason.cleared

  /// Creates an empty ring.
  ///
  /// - Parameters:
  ///   - capacity: The number of rows.
  ///   - maxBytes: The size of all texts of values together; `nil` if there are none.
  ///   - date: The date of time 0.
  init(capacity: Int = 0, maxBytes: Int? = nil, date: Double = 0) {
    self.capacity = capacity
    self.date = date
    values = RecordedTexts(maxBytes: maxBytes)
    rows = RecordRows(repeating: RecordRow(time: 0, code: .lost), count: capacity)
  }

  /// The number of rows that are in use.
  var count: Int { Int(truncatingIfNeeded: min(next - 1, UInt64(capacity))) }

  /// The number of the oldest event that the ring still has; of the next event if there is none.
  var first: UInt64 { next - UInt64(count) }

  /// The position of the row of an event that the ring still has.
  func position(of event: UInt64) -> Int {
    let position = end - Int(truncatingIfNeeded: next - event)
    return position < 0 ? position + capacity : position
  }

  // MARK: Events

  /// Appends an event, perhaps with an error or a name.
  mutating func log(_ row: RecordRow, _ extra: RecordRow.Extra?) {
    guard var extra else { return log(row) }
    logBegun(at: row.time)
    var row = row
    row.hasExtra = true
    extra.event = next
    if extra.error != nil {
      lastError &+= 1
      extra.errorNumber = lastError
    }
    extras.append(extra)
    log(row)
  }

  /// Appends the changes of the network and the app as events.
  mutating func environmentChanged(to state: QueryRecord.Base, at time: Int64) {
    if state.isOnline != present.isOnline {
      log(RecordRow(time: time, code: .network, option: state.isOnline ? 1 : 0))
    }
    if state.isActive != present.isActive {
      log(RecordRow(time: time, code: .activity, option: state.isActive ? 1 : 0))
    }
    present = state
  }

  /// Appends an event that is complete.
  mutating func log(_ row: RecordRow) {
    logBegun(at: row.time)
    if row.code.isOfEntry {
      keys[Int(truncatingIfNeeded: row.subject)].rowCount &+= 1
    } else {
      runAdvanced(row)
    }
    hasNews = true
    foldOldest()
    store(row)
  }

  /// Stores a row in place of the oldest one.
  ///
  /// Before that, call ``foldOldest()`` and count the row in its key.
  @inline(__always)
  mutating func store(_ row: RecordRow) {
    rows[end] = row
    next &+= 1
    end &+= 1
    if end == capacity { end = 0 }
  }

  private mutating func runAdvanced(_ row: RecordRow) {
    guard row.code.isOfRun else { return }
    runs[row.subject]?.rowCount += 1
    if row.code.endsRun { runs[row.subject]?.isOver = true }
  }

  /// Makes room for an event: if all rows are in use, the oldest row is lost, and its state becomes the base.
  @inline(__always)
  mutating func foldOldest() {
    if rows[end].isPlain {
      let place = Int(truncatingIfNeeded: rows[end].subject)
      if keys[place].lost(rows[end].state) { free(place) }
    } else {
      foldRare(rows[end])
    }
  }

  @inline(never)
  private mutating func foldRare(_ row: RecordRow) {
    if row.hasExtra { dropExtra() }
    switch row.code {
    case .network: base.isOnline = row.option == 1
    case .activity: base.isActive = row.option == 1
    case .trigger, .persistenceFailed, .bulk, .lost: break
    default:
      if row.code.isOfEntry {
        let place = Int(truncatingIfNeeded: row.subject)
        if keys[place].lost(row.state) { free(place) }
        return
      }
      runs[row.subject]?.rowCount -= 1
      if row.code != .callbackFailed { runs[row.subject]?.base = row.code }
      forgetIfUnneeded(row.subject)
    }
  }

  @inline(never)
  private mutating func free(_ place: Int) {
    if let key = names[place].take() { release(key.storage) }
    keys[place] = Key()
    freePlaces.append(UInt32(truncatingIfNeeded: place))
  }

  private mutating func dropExtra() {
    let extra = extras[goneExtras]
    if extra.error != nil || extra.filter != nil { release(extra) }
    extras[goneExtras] = RecordRow.Extra()
    goneExtras += 1
    guard goneExtras > 64, goneExtras * 2 > extras.count else { return }
    extras.removeFirst(goneExtras)
    goneExtras = 0
  }

  /// Gives up a reference at the end of the transaction.
  mutating func release(_ reference: any Sendable) {
    garbage.append(reference)
    duties.insert(.garbage)
    hasNews = true
  }

  // MARK: Transactions

  /// Does what ``duties`` says, at the end of a transaction.
  ///
  /// - Parameters:
  ///   - released: Gets the references that the record gave up.
  ///   - time: The time of the transaction.
  /// - Returns: Whether a reader that waits has news.
  mutating func transactionEnded(_ released: inout Garbage, at time: Int64) -> Bool {
    guard hasNews else { return false }
    logBegun(at: time)
    let present = duties
    (duties, hasNews, transactionFirst) = ([], false, next)
    if present.contains(.garbage) { released.collect(value: garbage.takeAll()) }
    return present.contains(.reader)
  }

  /// The room that extras take: for tests.
  var extraRoom: Int { extras.count }

  /// The extras of the events from a number on.
  func extras(since number: UInt64) -> [RecordRow.Extra] {
    var start = extras.endIndex
    while start > goneExtras, extras[start - 1].event >= number { start -= 1 }
    return Array(extras[start...])
  }

  /// Keeps texts in place of errors.
  ///
  /// - Parameter texts: The texts, by the number of the error.
  /// - Returns: The errors, to be released outside the lock.
  mutating func replaceErrors(by texts: [UInt32: String]) -> [any Error] {
    var errors: [any Error] = []
    for index in goneExtras..<extras.count {
      guard let error = extras[index].error, let text = texts[extras[index].errorNumber] else {
        continue
      }
      errors.append(error)
      extras[index].error = RecordRow.FormerError(description: text)
    }
    return errors
  }

  /// The rows of the events from a number on; the ring must still have these events.
  func rows(since number: UInt64) -> [RecordRow] {
    guard number < next else { return [] }
    let start = position(of: number)
    return start < end ? Array(rows[start..<end]) : Array(rows[start...]) + rows[..<end]
  }
}

extension QueryEvent.RemovalReason {
  /// The number of the reason in a record.
  var recordedCode: UInt8 {
    switch self {
    case .expired: 0
    case .evicted: 1
    case .removed: 2
    case .cleared: 3
    }
  }

  /// The reason of a number; `nil` for a number of a later version.
  init?(recordedCode code: Int) {
    let all: [Self] = [.expired, .evicted, .removed, .cleared]
    guard all.indices.contains(code) else { return nil }
    self = all[code]
  }
}
