/// What a peer knows of the shared keys: which of its data is older than what the log told of.
///
/// It decides only. Versions are those of the store; of what did not come from the store, such as
/// the answer of a fetch while the store was away, it knows between which messages it came.
struct SharedTable: Sendable {
  /// What is to be done about what was told.
  struct Effects: Equatable, Sendable {
    /// Keys whose data is not to be trusted any more, to be marked in the client: what is under way
    /// will be compared before it lands, but not what was compared already.
    var doubted: Set<String> = []
    /// Fetches that get the news they wait for.
    var told: [FlightID: SharedNews] = [:]
  }

  /// What a fetch brings.
  enum Answer: Equatable, Sendable {
    /// An entry, or a committed value.
    case stored(SharedVersion)
    /// A value that did not come from the store.
    case unversioned(requestedAt: Duration)
  }

  /// What is known of the data when a fetch begins.
  struct Beginning: Equatable, Sendable {
    var id: FlightID
    /// The version of the data that is there.
    var landed: SharedVersion?
    var isDoubted: Bool
    /// From when an entry must be.
    var bounds: SharedBounds
  }

  /// What becomes of a fetch's answer.
  enum Verdict: Equatable, Sendable {
    /// It is the data.
    case lands
    /// It is the data, but nobody reads the log that would tell of changes.
    case landsUnwatched
    /// Something has changed since it was fetched.
    case again
    /// Whether something has changed is not known.
    case unsure
    /// The client has replaced the fetch, and ignores what it brings.
    case ignored
    /// What was told is just being marked in the client: ask again when it is.
    case waits
  }

  var rows: [String: SharedRow] = [:]
  var rowsOfMarks: [SharedMark: Set<String>] = [:]
  /// How many bytes the texts of all rows and of their marks have.
  private(set) var bytes = 0
  var recent = RecentMarks()
  private var lastFlight: UInt64 = 0
  /// The number of the last answer, write or arrival of one in the client.
  private(set) var arrivals: UInt64 = 0
  /// The number of the last message.
  var tide: UInt64 = 0
  /// How often all was forgotten.
  var epoch: UInt64 = 0
  /// The end of the log and when it was asked for, while its messages are handled.
  var end: (version: SharedVersion, askedAt: Duration)?
  /// The life of the log in which versions were given.
  var history: SharedHistory?
  /// How the log is read.
  var log = SharedLog()

  // MARK: Fetches

  /// A fetch begins.
  ///
  /// - Parameters:
  ///   - key: Its key.
  ///   - hasLanded: Whether the last answer became the data; if not, it never will.
  /// - Returns: Its number, and what is known of the data; `nil` if what was told is just being
  ///   marked in the client: begin when it is.
  mutating func began(_ key: SharedKey, hasLanded: Bool = true) -> Beginning? {
    guard !isMarking(key.text) else { return nil }
    register(key)
    if !hasLanded { restore(key.text) }
    lastFlight += 1
    let id = FlightID(rawValue: lastFlight)
    let row = rows[key.text]
    var flight = SharedFlight(tide: tide, epoch: epoch)
    flight.before = row?.landed ?? row?.newest.flatMap { row?.flights[$0]?.before }
    // It may land or not, nobody says: until then, nothing is known of the data.
    rows[key.text]?.landed = nil
    rows[key.text]?.flights[id] = flight
    rows[key.text]?.newest = id
    return Beginning(
      id: id,
      landed: row?.landed,
      isDoubted: row?.isDoubted ?? false,
      bounds: row?.bounds ?? SharedBounds()
    )
  }

  /// The last answer did not become the data.
  private mutating func restore(_ key: String) {
    guard let former = rows[key]?.former else { return }
    rows[key]?.landed = former.landed
    rows[key]?.bounds = former.bounds
    rows[key]?.landedAt = former.landedAt
    if former.isDoubted { rows[key]?.isDoubted = true }
    rows[key]?.former = nil
  }

  /// The last answers of some keys did not become the data for so long that they never will.
  mutating func lost(_ keys: [String]) -> Effects {
    var effects = Effects()
    for key in keys {
      let landedAt = rows[key]?.landedAt
      restore(key)
      // If it lands at this very moment, it is data that changes are told of.
      rows[key]?.landedAt = landedAt
      rows[key]?.isDoubted = true
      effects.doubted.insert(key)
    }
    return effects
  }

  /// A fetch begins anew: what was told before does not concern it.
  mutating func beganAgain(_ id: FlightID, of key: String) {
    rows[key]?.flights[id]?.tide = tide
    rows[key]?.flights[id]?.epoch = epoch
    rows[key]?.flights[id]?.follows = nil
  }

  /// A fetch waits for what the log tells of its key.
  ///
  /// - Returns: The news, if it was told already.
  mutating func follows(_ position: SharedPosition, _ id: FlightID, of key: String) -> SharedNews? {
    guard let row = rows[key], let flight = row.flights[id], flight.epoch == epoch else {
      return .silence
    }
    if let news = row.news, news.version > position.version { return news.news }
    if sights(row).contains(where: { $0.version > position.version }) { return .free }
    rows[key]?.flights[id]?.follows = position
    return nil
  }

  /// A fetch has an answer.
  ///
  /// If it lands, the fetch is over.
  mutating func answered(
    _ answer: Answer,
    by id: FlightID,
    of key: String,
    at now: Duration,
    requestedAt: Duration? = nil
  ) -> Verdict {
    guard let row = rows[key], let flight = row.flights[id] else { return .landsUnwatched }
    guard row.newest == id else {
      rows[key]?.flights[id] = nil
      return .ignored
    }
    guard row.marking == 0 else { return .waits }
    guard !isOutdated(answer, row, flight) else { return .again }
    guard flight.epoch == epoch else { return .unsure }
    rows[key]?.former = SharedRow.Former(
      landed: flight.before,
      bounds: row.bounds,
      landedAt: row.landedAt,
      isDoubted: row.isDoubted
    )
    switch answer {
    case .stored(let version):
      rows[key]?.landed = version
      rows[key]?.bounds = SharedBounds()
    case .unversioned(let requestedAt):
      rows[key]?.landed = nil
      rows[key]?.bounds = SharedBounds(requestedAt: requestedAt)
    }
    came(key, at: now)
    rows[key]?.requestedAt = requestedAt ?? now
    rows[key]?.isDoubted = !log.isRead
    rows[key]?.flights[id] = nil
    return log.isRead ? .lands : .landsUnwatched
  }

  func isOutdated(_ answer: Answer, _ row: SharedRow, _ flight: SharedFlight) -> Bool {
    let sights = sights(row) + (row.stored.map { [$0] } ?? [])
    return switch answer {
    case .stored(let version):
      // What was told before all was forgotten is in the bounds, also if the fetch began before.
      version < row.bounds.version ?? version || sights.contains { $0.version > version }
    case .unversioned: sights.contains { $0.tide > flight.tide }
    }
  }

  /// The invalidations of a row's marks: those from before it was there, and the newest since.
  private func sights(_ row: SharedRow) -> [RecentMarks.Sight] {
    row.marks.compactMap { recent[$0] } + (row.invalidated.map { [$0] } ?? [])
  }

  /// A fetch ended without an answer, or with one that is known to be outdated.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - key: Its key.
  ///   - now: When an answer came that is outdated; `nil` if there was none.
  ///   - requestedAt: When that was requested.
  mutating func ended(
    _ id: FlightID,
    of key: String,
    outdatedAt now: Duration? = nil,
    requestedAt: Duration? = nil
  ) {
    guard let row = rows[key], let flight = rows[key]?.flights.removeValue(forKey: id),
      row.newest == id
    else { return }
    if let now {
      rows[key]?.former = nil
      rows[key]?.landed = nil
      came(key, at: now)
      rows[key]?.isDoubted = true
      // Nobody is served less than before by what is outdated: the next entry must not be from before
      // the data that was here, nor from before this answer. A version was given by the present life of
      // the log, so that whatever is stored from now on is after it.
      rows[key]?.bounds = SharedBounds(
        version: [row.bounds.version, flight.before].compactMap { $0 }.max(),
        requestedAt: [row.bounds.requestedAt, requestedAt].compactMap { $0 }.max()
      )
      // In another life of the log the version says nothing, and only this is left.
      rows[key]?.requestedAt = [row.requestedAt, requestedAt].compactMap { $0 }.max()
    } else if rows[key]?.landed == nil {
      rows[key]?.landed = flight.before
    }
  }

  // MARK: Rows

  mutating func register(_ key: SharedKey) {
    if let known = rows[key.text]?.marks {
      guard known != key.marks else { return }
      remove(marks: known, of: key.text)
      rows[key.text]?.marks = key.marks
      // What is under way may have been outdated by marks that it has no more.
      if rows[key.text]?.flights.isEmpty == true { rows[key.text]?.invalidated = nil }
    } else {
      rows[key.text] = SharedRow(marks: key.marks)
      bytes += key.text.utf8.count
    }
    for mark in key.marks { rowsOfMarks[mark, default: []].insert(key.text) }
    bytes += Self.bytes(of: key.marks)
  }

  private static func bytes(of marks: [SharedMark]) -> Int {
    marks.reduce(0) { $0 + $1.text.utf8.count }
  }

  private mutating func remove(marks: [SharedMark], of key: String) {
    bytes -= Self.bytes(of: marks)
    for mark in marks {
      rowsOfMarks[mark]?.remove(key)
      if rowsOfMarks[mark]?.isEmpty == true { rowsOfMarks[mark] = nil }
    }
  }

  /// Data of a key is on its way into the client.
  mutating func came(_ key: String, at now: Duration) {
    arrivals += 1
    rows[key]?.arrival = arrivals
    rows[key]?.landedAt = now
    rows[key]?.hasArrived = false
  }

  /// The last answers of some keys became the data.
  mutating func arrived(_ keys: some Sequence<String>) {
    for key in keys {
      arrivals += 1
      rows[key]?.arrival = arrivals
      rows[key]?.hasArrived = true
    }
  }

  /// Forgets keys that nobody fetches.
  ///
  /// - Parameters:
  ///   - keys: The keys, which the client did not have when it was asked.
  ///   - arrival: The number of what had come last before it was asked: what came later may be in the
  ///     client by now.
  ///   - time: What landed later stays, unless it is known to have arrived: it may not be in the
  ///     client yet.
  /// - Returns: What was forgotten.
  mutating func forget(
    _ keys: [String],
    cameUpTo arrival: UInt64,
    landedBefore time: Duration
  ) -> [String] {
    keys.filter { key in
      guard let row = rows[key], row.flights.isEmpty, row.marking == 0, row.arrival <= arrival,
        row.hasArrived || row.landedAt.map({ $0 < time }) ?? true
      else { return false }
      remove(marks: row.marks, of: key)
      bytes -= key.utf8.count
      rows[key] = nil
      return true
    }
  }
}
