/// The order in which entries are evicted when a cache is over its budget.
///
/// The cache reports each entry, by the number of its row, and each use. Entries that are observed or
/// otherwise held are not evicted. The idle ones are in one of three lists:
///
/// | list | holds | leaves to |
/// |---|---|---|
/// | `window` | newcomers, by last use | `probation`, when newer ones come |
/// | `probation` | entries on trial, by arrival | `protected`, when used; evicted, when room is needed |
/// | `protected` | entries that were used again, by last use | `probation`, when it is full |
///
/// When the cache is full, the newcomer that leaves the window is compared with the oldest entry on
/// probation: the one that was used more often lately stays. So a scan of entries that are used once pushes
/// out none, and a loop over more entries than fit keeps the ones that are there. The uses of a key are
/// remembered for a while after it left (``PastUses``), and halve with time (``Popularity``), so that
/// yesterday's favourites leave. The size of the window follows the hit ratio (``WindowClimber``). This is
/// W-TinyLFU (Einziger, Friedman, Manes), with exact counts in place of its sketch, because hashes, and so a
/// sketch, differ between processes.
///
/// Each call is O(1), amortised.
struct EvictionOrder: Sendable {
  private enum Segment: Int, Sendable {
    case window, probation, protected
  }

  /// Whether a row has an entry, and whether that entry may be evicted.
  private enum Entry: Sendable {
    case none
    /// The entry is observed, or in use in another way, so it may not be evicted.
    case held
    /// The entry is in one of the lists, so it may be evicted.
    case idle
  }

  private struct Row: Sendable {
    var links = RowList.Links()
    var hash = 0
    var popularity = Popularity()
    var cost = 1
    var segment = Segment.window
    var entry = Entry.none
    /// Whether the entry was not used since it came.
    var isUnused = true
    /// Whether the entry is evicted as soon as it is idle, even if there is room.
    var isPassing = false
  }

  /// The share of the entries outside the window that is protected.
  private static let protectedShare = 0.7
  /// The number of evicted keys that are remembered, for each entry in the cache.
  private static let memoryFactor = 2
  /// The number of uses, for each entry in the cache, after which the counts of uses are halved.
  ///
  /// With a much larger number, entries that were popular long ago would stay.
  private static let ageFactor = 3
  /// The number of uses for each entry after which the size of the window is judged.
  private static let periodFactor = 10
  /// The smallest window: a tenth of the idle entries, but at most this number.
  ///
  /// Data that was prefetched or written for the next screen has to be there when the screen
  /// appears.
  private static let leastWindow = 16

  /// The maximum number of entries, and their maximum total cost.
  let maxEntries: Int
  let maxCost: Int
  private(set) var entryCount = 0
  /// The sum of the costs, in a wide type: a user's function gives the costs, so each may be large.
  private(set) var totalCost: Int128 = 0

  private var rows: [Row] = []
  private var lists = [RowList(), RowList(), RowList()]
  /// The entry that came from the window to probation last, to be compared with the oldest one there; -1 if
  /// there is none.
  private var candidate: Int32 = -1
  private var past = PastUses()
  private var climber = WindowClimber()
  private var age: UInt32 = 0
  private var usesOfAge = 0
  /// The number of idle entries that are evicted even if there is room.
  private var passingCount = 0

  /// Creates the order of an empty cache; `nil` is no limit.
  init(maxEntries: Int?, maxCost: Int?) {
    self.maxEntries = max(0, maxEntries ?? .max)
    self.maxCost = max(0, maxCost ?? .max)
  }

  /// Whether the cache exceeds its budget, or has an idle entry that is evicted even if there is
  /// room.
  var isOver: Bool {
    entryCount > maxEntries || totalCost > Int128(maxCost) || passingCount > 0
  }

  /// The number of entries that may leave.
  var idleCount: Int { lists[0].count + lists[1].count + lists[2].count }

  /// The number of entries by which `ageFactor`, `periodFactor` and `memoryFactor` are multiplied.
  ///
  /// This number does not exceed the limit: otherwise old uses would be forgotten too slowly.
  private var size: Int { max(16, min(entryCount, maxEntries)) }

  /// The number of recent uses of an entry, at most 15.
  @inline(__always)
  func uses(of row: Int) -> Int { isKnown(row) ? Int(rows[row].popularity.uses(at: age)) : 0 }

  // MARK: Changes of entries

  /// Adds an entry; it is held until ``changed(_:isIdle:)`` says that it is idle.
  ///
  /// - Parameters:
  ///   - row: The entry.
  ///   - hash: The hash of its key.
  ///   - isPassing: Whether it is evicted as soon as it is idle.
  mutating func added(_ row: Int, hash: Int, isPassing: Bool = false) {
    while rows.count <= row { rows.append(Row()) }
    rows[row].entry = .held
    rows[row].hash = hash
    rows[row].isPassing = isPassing
    if let popularity = past.recall(hash) { rows[row].popularity = popularity }
    entryCount += 1
    totalCost += 1
  }

  /// Counts a use of an entry, and moves the entry in the order accordingly.
  ///
  /// - Parameters:
  ///   - row: The entry.
  ///   - times: The number of uses, if several become known together.
  mutating func used(_ row: Int, times: Int = 1) {
    guard times > 0, isKnown(row) else { return }
    rows[row].popularity.used(at: age, times: times)
    let isHit = !rows[row].isUnused
    rows[row].isUnused = false
    usesOfAge += times
    let ageLength = size * Self.ageFactor
    if usesOfAge >= ageLength {
      age &+= UInt32(clamping: usesOfAge / ageLength)
      usesOfAge %= ageLength
    }
    climber.used(isHit: isHit, times: times, period: size * Self.periodFactor)
    guard isHit, rows[row].entry == .idle else { return }
    let short = Int32(truncatingIfNeeded: row)
    switch rows[row].segment {
    case .window, .protected:
      let segment = rows[row].segment
      // An entry that is used several times in a row is the newest already.
      guard lists[segment.rawValue].newest != short else { return }
      unlist(short)
      list(short, segment)
    case .probation:
      guard !isOversized(row) else { return }
      unlist(short)
      list(short, .protected)
      trimProtected()
    }
  }

  /// Lists an entry that became idle, or takes an entry out that is held again, for example observed.
  mutating func changed(_ row: Int, isIdle: Bool) {
    guard isKnown(row), (rows[row].entry == .idle) != isIdle else { return }
    let short = Int32(truncatingIfNeeded: row)
    guard isIdle else { return unlist(short) }
    guard !isOversized(row) else { return listAsNext(short) }
    list(short, rows[row].segment)
    trimWindow()
    trimProtected()
  }

  /// Sets the cost of an entry, because it has become known.
  mutating func measured(_ row: Int, cost: Int) {
    guard isKnown(row) else { return }
    let cost = max(0, cost)
    totalCost += Int128(cost) - Int128(rows[row].cost)
    rows[row].cost = cost
    guard rows[row].entry == .idle, isOversized(row) else { return }
    let short = Int32(truncatingIfNeeded: row)
    unlist(short)
    listAsNext(short)
  }

  /// Forgets an entry that left the cache, except for its popularity.
  mutating func removed(_ row: Int) {
    guard isKnown(row) else { return }
    if rows[row].entry == .idle { unlist(Int32(truncatingIfNeeded: row)) }
    entryCount -= 1
    totalCost -= Int128(rows[row].cost)
    past.remember(
      rows[row].hash,
      rows[row].popularity,
      room: size * Self.memoryFactor
    )
    rows[row] = Row()
  }

  /// Renumbers the rows after a compaction: the entries that are not in `kept` are gone.
  ///
  /// - Parameter kept: The former row of each remaining entry.
  mutating func moved(_ kept: [Int32]) {
    var newRows = Array(repeating: -1 as Int32, count: rows.count)
    for (newRow, row) in kept.enumerated() where Int(row) < rows.count {
      newRows[Int(row)] = Int32(truncatingIfNeeded: newRow)
    }
    var (old, oldLists) = ([Row](), [RowList(), RowList(), RowList()])
    swap(&old, &rows)
    swap(&oldLists, &lists)
    rows = kept.map { Int($0) < old.count ? old[Int($0)] : Row() }
    (entryCount, totalCost, passingCount) = (0, 0, 0)
    for row in rows.indices where isKnown(row) {
      if rows[row].isPassing, rows[row].entry == .idle { passingCount += 1 }
      entryCount += 1
      totalCost += Int128(rows[row].cost)
    }
    for segment in oldLists.indices {
      var row = oldLists[segment].oldest
      while row >= 0 {
        if newRows[Int(row)] >= 0 {
          lists[segment].pushNewest(newRows[Int(row)], in: &rows, \.links)
        }
        row = old[Int(row)].links.newer
      }
    }
    candidate = candidate >= 0 ? newRows[Int(candidate)] : -1
  }

  // MARK: Order of eviction

  /// The entry that leaves next; `nil` if the cache is within its budget, or only held entries
  /// exceed it.
  ///
  /// The entry stays in its list until ``removed(_:)``.
  mutating func victim() -> Int? {
    guard isOver else {
      // The comparison is over, and the candidate stays in the cache.
      candidate = -1
      return nil
    }
    let oldest = lists[Segment.probation.rawValue].oldest
    if oldest >= 0, isOversized(Int(oldest)) { return Int(oldest) }
    guard candidate >= 0 else {
      if oldest >= 0 { return Int(oldest) }
      let row = lists[Segment.protected.rawValue].oldest
      let last = row >= 0 ? row : lists[Segment.window.rawValue].oldest
      return last >= 0 ? Int(last) : nil
    }
    let rival = oldest == candidate ? lists[Segment.protected.rawValue].oldest : oldest
    guard rival >= 0 else { return Int(candidate) }
    // The counts must differ by more than one. Otherwise, of two equal entries the one that was
    // used last would always win, and the two would replace each other again and again.
    let isPopular =
      rows[Int(candidate)].popularity.uses(at: age) > rows[Int(rival)].popularity.uses(at: age) + 1
    return Int(isPopular ? rival : candidate)
  }

  // MARK: Lists

  private func isKnown(_ row: Int) -> Bool { row < rows.count && rows[row].entry != .none }

  private func isOversized(_ row: Int) -> Bool { rows[row].isPassing || rows[row].cost > maxCost }

  private mutating func list(_ row: Int32, _ segment: Segment) {
    lists[segment.rawValue].pushNewest(row, in: &rows, \.links)
    rows[Int(row)].segment = segment
    rows[Int(row)].entry = .idle
  }

  /// Makes an entry the next one to be evicted, because it alone exceeds the budget, or is to be
  /// evicted even if there is room.
  private mutating func listAsNext(_ row: Int32) {
    if rows[Int(row)].isPassing { passingCount += 1 }
    lists[Segment.probation.rawValue].prepend(row, in: &rows, \.links)
    rows[Int(row)].segment = .probation
    rows[Int(row)].entry = .idle
  }

  private mutating func unlist(_ row: Int32) {
    lists[rows[Int(row)].segment.rawValue].remove(row, in: &rows, \.links)
    rows[Int(row)].entry = .held
    if rows[Int(row)].isPassing { passingCount -= 1 }
    if candidate == row { candidate = -1 }
  }

  private mutating func trimWindow() {
    let least = max(1, min(Self.leastWindow, idleCount / 10))
    let most = max(least, Int(climber.share * Double(idleCount)))
    while lists[Segment.window.rawValue].count > most {
      let row = lists[Segment.window.rawValue].oldest
      unlist(row)
      list(row, .probation)
      candidate = row
    }
  }

  private mutating func trimProtected() {
    let main = idleCount - lists[Segment.window.rawValue].count
    let most = Int(Self.protectedShare * Double(main))
    while lists[Segment.protected.rawValue].count > most {
      let row = lists[Segment.protected.rawValue].oldest
      unlist(row)
      list(row, .probation)
    }
  }
}

/// A list of rows of a table, from oldest to newest.
///
/// Each row links to its neighbours, so that removing one from the middle costs O(1).
struct RowList: Sendable {
  /// The neighbours of a row in its list; -1 where there is none.
  struct Links: Hashable, Sendable {
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  private(set) var oldest: Int32 = -1
  private(set) var newest: Int32 = -1
  private(set) var count = 0

  /// Puts a row at the newest end.
  @inline(__always)
  mutating func pushNewest<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    rows[Int(row)][keyPath: links] = Links(older: newest)
    if newest >= 0 { rows[Int(newest)][keyPath: links].newer = row } else { oldest = row }
    newest = row
    count += 1
  }

  /// Puts a row at the oldest end.
  mutating func prepend<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    rows[Int(row)][keyPath: links] = Links(newer: oldest)
    if oldest >= 0 { rows[Int(oldest)][keyPath: links].older = row } else { newest = row }
    oldest = row
    count += 1
  }

  /// Takes a row out; its links mean nothing until it is put into a list again.
  @inline(__always)
  mutating func remove<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    let older = rows[Int(row)][keyPath: links].older
    let newer = rows[Int(row)][keyPath: links].newer
    if older >= 0 { rows[Int(older)][keyPath: links].newer = newer } else { oldest = newer }
    if newer >= 0 { rows[Int(newer)][keyPath: links].older = older } else { newest = older }
    count -= 1
  }
}
