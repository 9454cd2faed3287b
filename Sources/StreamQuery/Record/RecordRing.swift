/// The newest events of a cache, and the states before the first of them.
///
/// A value that is told about each event, under the lock. An event takes one row of fixed size; its error or its
/// name, which few events have, are in a queue beside the rows. When a row is overwritten, its state becomes the
/// base of its entry. So the state at any time that the rows cover is known.
///
/// An entry is known by its place in ``keys`` and has one for as long as it is in the cache or in a row. Then the
/// place is used again, under a new number. References to objects of users are given up only through ``garbage``.
struct RecordRing: Sendable {
  /// An entry that is in the cache, or that a row is about.
  struct Key: Sendable {
    /// `nil` while the place is free.
    var key: EntryKey?
    /// The number of the key in records; no other entry ever has it.
    var number: UInt32 = 0
    /// The number of rows about it.
    var rowCount: UInt32 = 0
    /// The first row whose state is still to be filled in; 0 is none.
    var unfinished: UInt64 = 0
    /// The state before the first row.
    var base = RecordedState()
    /// The state now.
    var present = RecordedState()

    // A key is changed in one access each: each has a price.

    /// An event begins, whose state is still to be filled in.
    @inline(__always)
    mutating func began(_ event: UInt64, in transaction: UInt64) -> RecordedState {
      if unfinished < transaction { unfinished = event }
      rowCount &+= 1
      return present
    }

    /// The entry has a state.
    ///
    /// - Returns: The first event that is to have it, or 0 if that is a new one; `nil` if nothing changed.
    @inline(__always)
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

    /// A row is lost.
    ///
    /// - Returns: Whether nothing needs the key any more.
    @inline(__always)
    mutating func lost(_ row: RecordedState) -> Bool {
      base = row
      rowCount &-= 1
      return rowCount == 0 && !present.isPresent
    }
  }

  /// A run that goes on, or that a row is about.
  struct Run: Sendable {
    let serial: UInt64
    let key: EntryKey
    let scope: String?
    let startedAt: Int64
    var rowCount = 0
    /// The last step before the first row; `nil` if the run began later.
    var base: RecordCode?
    var isOver = false

    /// Whether a record needs it.
    var isNeeded: Bool { rowCount > 0 || !isOver }
  }

  /// The date of time 0, in seconds since the reference date.
  let date: Double
  let capacity: Int
  /// The rows; once there are enough of them, the oldest one is at ``oldest``.
  var rows: [RecordRow] = []
  var oldest = 0
  /// The number of the next event.
  var next: UInt64 = 1
  /// The number of the first event of the present transaction.
  var transactionFirst: UInt64 = 1

  var keys: [Key] = []
  var freePlaces: [UInt32] = []
  var lastKey: UInt32 = 0
  /// The places of entries, by slot.
  var places: [UInt32] = []

  var runs: [UInt32: Run] = [:]
  var runNumbers: [UInt64: UInt32] = [:]
  var lastRun: UInt32 = 0

  var options = RecordedOptions()
  /// The extras of rows, oldest first, behind those that are gone.
  private var extras: [RecordRow.Extra] = []
  private var goneExtras = 0
  private var lastError: UInt32 = 0
  /// The state of the network and the app before the first row, and now.
  var base = QueryRecord.Base()
  var present = QueryRecord.Base()
  var values: RecordedTexts
  /// Whether a reader waits for the next event.
  var isAwaited = false
  /// References that were given up, to be released outside the lock.
  var garbage: [any Sendable] = []
  /// The reason for which entries that do not move are removed.
  var clearing = QueryEvent.RemovalReason.cleared

  /// Creates an empty ring.
  ///
  /// - Parameters:
  ///   - capacity: The number of rows.
  ///   - maxBytes: The size of all texts of values together; `nil` if there are none.
  ///   - date: The date of time 0.
  init(capacity: Int, maxBytes: Int?, date: Double) {
    self.capacity = capacity
    self.date = date
    values = RecordedTexts(maxBytes: maxBytes)
    rows.reserveCapacity(capacity)
  }

  /// The number of the first event that is there, or of the next one.
  var first: UInt64 { next - UInt64(rows.count) }

  // MARK: Events

  /// Appends an event with an error or a name.
  mutating func log(_ row: RecordRow, _ extra: RecordRow.Extra) {
    var (row, extra) = (row, extra)
    row.hasExtra = true
    extra.event = next
    if extra.error != nil {
      lastError &+= 1
      extra.errorNumber = lastError
    }
    extras.append(extra)
    log(row)
  }

  /// The network or the app has a state.
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
  @inline(__always)
  mutating func log(_ row: RecordRow) {
    if row.code.isOfEntry {
      keys[Int(truncatingIfNeeded: row.subject)].rowCount &+= 1
    } else {
      runAdvanced(row)
    }
    store(row)
  }

  /// Appends a row that its key counts already.
  @inline(__always)
  mutating func store(_ row: RecordRow) {
    next &+= 1
    if rows.count < capacity {
      rows.append(row)
    } else {
      let former = rows[oldest]
      rows[oldest] = row
      oldest += 1
      if oldest == capacity { oldest = 0 }
      fold(former)
    }
  }

  private mutating func runAdvanced(_ row: RecordRow) {
    guard row.code.isOfRun else { return }
    runs[row.subject]?.rowCount += 1
    if row.code.endsRun { runs[row.subject]?.isOver = true }
  }

  /// An event is lost; the state after it becomes the base.
  @inline(__always)
  private mutating func fold(_ row: RecordRow) {
    if row.code.isOfEntry, !row.hasExtra {
      let place = Int(truncatingIfNeeded: row.subject)
      if keys[place].lost(row.state) { free(place) }
    } else {
      foldRare(row)
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
        var plain = row
        plain.hasExtra = false
        return fold(plain)
      }
      runs[row.subject]?.rowCount -= 1
      if row.code != .callbackFailed { runs[row.subject]?.base = row.code }
      forgetIfUnneeded(row.subject)
    }
  }

  private mutating func free(_ place: Int) {
    if let key = keys[place].key { garbage.append(key.storage) }
    keys[place] = Key()
    freePlaces.append(UInt32(truncatingIfNeeded: place))
  }

  private mutating func dropExtra() {
    let extra = extras[goneExtras]
    if extra.error != nil || extra.filter != nil { garbage.append(extra) }
    extras[goneExtras] = RecordRow.Extra()
    goneExtras += 1
    guard goneExtras > 64, goneExtras * 2 > extras.count else { return }
    extras.removeFirst(goneExtras)
    goneExtras = 0
  }

  // MARK: Transactions

  /// A transaction ends.
  ///
  /// - Returns: Whether a reader that waits has news.
  @inline(__always)
  mutating func transactionEnded(_ released: inout Garbage) -> Bool {
    guard next != transactionFirst else { return false }
    transactionFirst = next
    if !garbage.isEmpty { released.collect(value: garbage.takeAll()) }
    guard isAwaited else { return false }
    isAwaited = false
    return true
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

  /// The rows of the events from a number on, which are there.
  func rows(since number: UInt64) -> [RecordRow] {
    let skipped = Int(truncatingIfNeeded: number - first)
    var list: [RecordRow] = []
    list.reserveCapacity(rows.count - skipped)
    for position in skipped..<rows.count {
      let index = oldest + position
      list.append(rows[index < rows.count ? index : index - rows.count])
    }
    return list
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
