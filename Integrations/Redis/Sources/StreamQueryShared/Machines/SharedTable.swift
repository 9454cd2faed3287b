/// The facts that a peer has about shared keys, by which it finds data that is older than the log's
/// news.
///
/// It only decides. Versions are the store's. For data from elsewhere, such as the answer of a
/// fetch while the store was away, it knows between which messages the data came.
struct SharedTable: Sendable {
  /// The effects of news.
  struct Effects: Equatable, Sendable {
    /// The keys whose data is not trusted any more, to be marked in the client.
    ///
    /// Answers under way are compared before they land, except for ones that were already compared.
    var suspected: Set<String> = []
    /// The fetches that get the news for which they wait.
    var notified: [FlightID: SharedNews] = [:]
  }

  /// The answer of a fetch.
  enum Answer: Equatable, Sendable {
    /// An entry, or a value that was committed.
    case stored(SharedVersion)
    /// A value that did not come from the store.
    case unversioned(requestedAt: Duration)
  }

  /// The facts about the data when a fetch begins.
  struct Beginning: Equatable, Sendable {
    var id: FlightID
    /// The version of the present data.
    var landed: SharedVersion?
    var isSuspect: Bool
    /// The bounds for an entry that may follow the data.
    var bounds: SharedBounds
  }

  /// The decision about a fetch's answer.
  enum Verdict: Equatable, Sendable {
    /// It becomes the data.
    case lands
    /// The answer becomes the data. But nobody reads the log, so this peer will not hear of
    /// changes.
    case landsUnwatched
    /// Something has changed since the answer was fetched, so the fetch begins again.
    case again
    /// It is not known whether something has changed.
    case unsure
    /// The client has replaced the fetch, and ignores its answer.
    case ignored
    /// Suspicions are being marked in the client: ask again after that.
    case waits
  }

  var rows: [String: SharedRow] = [:]
  var rowsOfMarks: [SharedMark: Set<String>] = [:]
  /// The number of bytes of the texts of all rows and of their marks.
  private(set) var bytes = 0
  var recent = RecentMarks()
  private var lastFlight: UInt64 = 0
  /// The number of the last answer, write, or arrival in the client.
  private(set) var arrivals: UInt64 = 0
  /// The sequence number of the last message.
  var messageNumber: UInt64 = 0
  /// The number of times that the peer has forgotten everything.
  var epoch: UInt64 = 0
  /// The end of the log and the time of its request, while its messages are handled.
  var end: (version: SharedVersion, askedAt: Duration)?
  /// The identity of the log to which all these versions belong; `nil` if it is not known yet.
  var history: SharedHistory?
  /// The state of reading the log.
  var log = SharedLog()

  // MARK: Fetches

  /// A fetch begins.
  ///
  /// - Parameters:
  ///   - key: Its key.
  ///   - hasLanded: Whether the last answer became the data; if not, it never will.
  /// - Returns: Its number, and the facts about the data; `nil` if suspicions are being marked in the
  ///   client: begin after that.
  mutating func began(_ key: SharedKey, hasLanded: Bool = true) -> Beginning? {
    guard !isMarking(key.text) else { return nil }
    register(key)
    if !hasLanded { restore(key.text) }
    lastFlight += 1
    let id = FlightID(rawValue: lastFlight)
    let row = rows[key.text]
    var flight = SharedFlight(messageNumber: messageNumber, epoch: epoch)
    flight.before = row?.landed ?? row?.newest.flatMap { row?.flights[$0]?.before }
    // Nobody reports whether the answer lands, so the data is unknown until then.
    rows[key.text]?.landed = nil
    rows[key.text]?.flights[id] = flight
    rows[key.text]?.newest = id
    return Beginning(
      id: id,
      landed: row?.landed,
      isSuspect: row?.isSuspect ?? false,
      bounds: row?.bounds ?? SharedBounds()
    )
  }

  /// The last answer did not become the data.
  private mutating func restore(_ key: String) {
    guard let previous = rows[key]?.previous else { return }
    rows[key]?.landed = previous.landed
    rows[key]?.bounds = previous.bounds
    rows[key]?.landedAt = previous.landedAt
    if previous.isSuspect { rows[key]?.isSuspect = true }
    rows[key]?.previous = nil
  }

  /// The last answers of some keys have not become the data for so long that they never will.
  mutating func lost(_ keys: [String]) -> Effects {
    var effects = Effects()
    for key in keys {
      let landedAt = rows[key]?.landedAt
      restore(key)
      // If the answer lands at this very moment, it is still suspected after a change.
      rows[key]?.landedAt = landedAt
      rows[key]?.isSuspect = true
      effects.suspected.insert(key)
    }
    return effects
  }

  /// A fetch begins again, so that earlier news does not concern it.
  mutating func beganAgain(_ id: FlightID, of key: String) {
    rows[key]?.flights[id]?.messageNumber = messageNumber
    rows[key]?.flights[id]?.epoch = epoch
    rows[key]?.flights[id]?.follows = nil
  }

  /// A fetch begins to wait for the log's news about its key.
  ///
  /// - Returns: The news, if it came before.
  mutating func follows(_ position: SharedPosition, _ id: FlightID, of key: String) -> SharedNews? {
    guard let row = rows[key], let flight = row.flights[id], flight.epoch == epoch else {
      return .silence
    }
    if let news = row.news, news.version > position.version { return news.news }
    if seenInvalidations(row).contains(where: { $0.version > position.version }) { return .free }
    rows[key]?.flights[id]?.follows = position
    return nil
  }

  /// A fetch has an answer.
  ///
  /// If the answer lands, the fetch is over.
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
    rows[key]?.previous = SharedRow.Previous(
      landed: flight.before,
      bounds: row.bounds,
      landedAt: row.landedAt,
      isSuspect: row.isSuspect
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
    rows[key]?.isSuspect = !log.isRead
    rows[key]?.flights[id] = nil
    return log.isRead ? .lands : .landsUnwatched
  }

  func isOutdated(_ answer: Answer, _ row: SharedRow, _ flight: SharedFlight) -> Bool {
    let seenInvalidations = seenInvalidations(row) + (row.stored.map { [$0] } ?? [])
    return switch answer {
    case .stored(let version):
      // News from before everything was forgotten is in the bounds, even if the fetch began before
      // that.
      version < row.bounds.version ?? version || seenInvalidations.contains { $0.version > version }
    case .unversioned: seenInvalidations.contains { $0.messageNumber > flight.messageNumber }
    }
  }

  /// The invalidations of a row's marks: the recent ones from before it existed, and the newest
  /// since.
  private func seenInvalidations(_ row: SharedRow) -> [RecentMarks.SeenInvalidation] {
    row.marks.compactMap { recent[$0] } + (row.invalidated.map { [$0] } ?? [])
  }

  /// A fetch ended without an answer, or with one that is known to be outdated.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - key: Its key.
  ///   - now: The time when an outdated answer came; `nil` if there was none.
  ///   - requestedAt: The time when that was requested.
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
      rows[key]?.previous = nil
      rows[key]?.landed = nil
      came(key, at: now)
      rows[key]?.isSuspect = true
      // An outdated answer must not let data go back: the next entry must not be older than the former data
      // or this answer. The version is from the present life of the log, so later entries have greater
      // versions.
      rows[key]?.bounds = SharedBounds(
        version: [row.bounds.version, flight.before].compactMap { $0 }.max(),
        requestedAt: [row.bounds.requestedAt, requestedAt].compactMap { $0 }.max()
      )
      // In another life of the log, the version does not count, and only the time of the request
      // remains.
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
      // A fetch under way may have been outdated by a mark that the row no longer has.
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
    rows[key]?.sequence = arrivals
    rows[key]?.landedAt = now
    rows[key]?.isInClient = false
  }

  /// The last answers of some keys became the data.
  mutating func arrived(_ keys: some Sequence<String>) {
    for key in keys {
      arrivals += 1
      rows[key]?.sequence = arrivals
      rows[key]?.isInClient = true
    }
  }

  /// Forgets keys without a fetch.
  ///
  /// - Parameters:
  ///   - keys: The keys, which the client did not have when it was asked.
  ///   - sequence: The last arrival before it was asked: later data may be in the client by now.
  ///   - time: Data that landed later stays unless it is known to have arrived, because it may not
  ///     be in the client yet.
  /// - Returns: The forgotten keys.
  mutating func forget(
    _ keys: [String],
    cameUpTo sequence: UInt64,
    landedBefore time: Duration
  ) -> [String] {
    keys.filter { key in
      guard let row = rows[key], row.flights.isEmpty, row.marking == 0, row.sequence <= sequence,
        row.isInClient || row.landedAt.map({ $0 < time }) ?? true
      else { return false }
      remove(marks: row.marks, of: key)
      bytes -= key.utf8.count
      rows[key] = nil
      return true
    }
  }
}
