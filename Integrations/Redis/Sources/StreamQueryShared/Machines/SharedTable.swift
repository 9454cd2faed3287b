/// A peer's knowledge of shared keys, by which it finds data that is older than a change in the log: such
/// data is suspect.
///
/// The table only decides. Versions come from the store. Data has no version if, for example, it was
/// fetched while the store did not answer. Then the table compares the order in which the fetch and the
/// log's messages came.
struct SharedTable: Sendable {
  /// The actions that a change of the table requires.
  struct Effects: Equatable, Sendable {
    /// The keys with suspect data, which the client must mark as invalidated.
    ///
    /// A fetch under way goes on: its answer is compared with the changes when the answer comes. If its
    /// answer was compared before the change, the cache marks the answer as outdated.
    var suspected: Set<String> = []
    /// The fetches that stop waiting for another machine, and the news that each of them gets.
    var notified: [FlightID: SharedNews] = [:]
  }

  /// The source of a fetch's answer.
  enum Answer: Equatable, Sendable {
    /// The answer is an entry, or this peer has committed it.
    case stored(SharedVersion)
    /// The answer came from upstream, and the store does not have it.
    case unversioned(requestedAt: Duration)
  }

  /// The facts about the data when a fetch begins.
  struct Beginning: Equatable, Sendable {
    var id: FlightID
    /// The version of the present data.
    var landed: SharedVersion?
    var isSuspect: Bool
    /// The bounds for an entry that may replace the data.
    var bounds: SharedBounds
  }

  /// The decision about a fetch's answer.
  enum Verdict: Equatable, Sendable {
    /// The answer becomes the data.
    case lands
    /// The answer becomes the data. But nobody reads the log, so this peer will not hear of
    /// changes.
    case landsUnwatched
    /// Something has changed since the answer was fetched, so the fetch begins again.
    case again
    /// This peer has missed messages of the log since the answer was fetched, so the answer may be
    /// outdated.
    case unsure
    /// The client has replaced the fetch, and ignores its answer.
    case ignored
    /// The client is about to mark the key's data as invalidated: ask again after that.
    case waits
  }

  var rows: [String: SharedRow] = [:]
  var rowsOfMarks: [SharedMark: Set<String>] = [:]
  /// The number of bytes of the texts of all rows and of their marks.
  private(set) var bytes = 0
  var recent = RecentMarks()
  private var lastFlight: UInt64 = 0
  /// A counter of all keys: it rises when data is on its way to the client, and when the client has stored
  /// it.
  private(set) var arrivals: UInt64 = 0
  /// The number of the last message that this peer has seen.
  var messageNumber: UInt64 = 0
  /// The number of times that all data became suspect, because messages may have been missed.
  var epoch: UInt64 = 0
  /// The end of the log and the time when this peer asked for it; set only while the last messages of the
  /// log are handled.
  var end: (version: SharedVersion, askedAt: Duration)?
  /// The history of the log to which all versions in the table belong; `nil` if it is not known yet.
  var history: SharedHistory?
  /// The state of reading the log.
  var log = SharedLog()

  // MARK: Fetches

  /// Registers a fetch.
  ///
  /// - Parameters:
  ///   - key: The key of the fetch.
  ///   - hasLanded: Whether the key's last answer became the data; if not, it never will.
  /// - Returns: The number of the fetch, and the facts about the data; `nil` while ``isMarking(_:)`` is
  ///   `true`: call again when it is `false`.
  mutating func began(_ key: SharedKey, hasLanded: Bool = true) -> Beginning? {
    guard !isMarking(key.text) else { return nil }
    register(key)
    if !hasLanded { restore(key.text) }
    lastFlight += 1
    let id = FlightID(rawValue: lastFlight)
    let row = rows[key.text]
    var flight = SharedFlight(messageNumber: messageNumber, epoch: epoch)
    flight.before = row?.landed ?? row?.newest.flatMap { row?.flights[$0]?.before }
    // The client does not report when the answer becomes the data, so from now on the data's version is
    // unknown.
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

  /// Restores the facts about the data from before the last answer, because that answer did not become the
  /// data.
  private mutating func restore(_ key: String) {
    guard let previous = rows[key]?.previous else { return }
    rows[key]?.landed = previous.landed
    rows[key]?.bounds = previous.bounds
    rows[key]?.landedAt = previous.landedAt
    if previous.isSuspect { rows[key]?.isSuspect = true }
    rows[key]?.previous = nil
  }

  /// Gives up the last answers of some keys, because they have not become the client's data in time.
  ///
  /// The present data becomes suspect.
  mutating func lost(_ keys: [String]) -> Effects {
    var effects = Effects()
    for key in keys {
      let landedAt = rows[key]?.landedAt
      restore(key)
      // `landedAt` stays as it is. The answer may become the data at this very moment, and then a later
      // change must make the answer suspect, too; without `landedAt` the row would count as having no data.
      rows[key]?.landedAt = landedAt
      rows[key]?.isSuspect = true
      effects.suspected.insert(key)
    }
    return effects
  }

  /// Makes a fetch begin again, so that earlier messages do not concern it.
  mutating func beganAgain(_ id: FlightID, of key: String) {
    rows[key]?.flights[id]?.messageNumber = messageNumber
    rows[key]?.flights[id]?.epoch = epoch
    rows[key]?.flights[id]?.follows = nil
  }

  /// Makes a fetch wait for news about its key after a position of the log.
  ///
  /// - Returns: The news; `nil` if there is none yet, so that the fetch must wait.
  mutating func follows(_ position: SharedPosition, _ id: FlightID, of key: String) -> SharedNews? {
    guard let row = rows[key], let flight = row.flights[id], flight.epoch == epoch else {
      return .silence
    }
    if let news = row.news, news.version > position.version { return news.news }
    if seenInvalidations(row).contains(where: { $0.version > position.version }) { return .free }
    rows[key]?.flights[id]?.follows = position
    return nil
  }

  /// Decides whether the answer of a fetch becomes the data.
  ///
  /// If it does, the fetch is over.
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
      // `forgot(in:)` removes the known changes, but puts their highest version into the bounds. So an
      // answer is compared with these changes even if its fetch began before that call.
      version < row.bounds.version ?? version || seenInvalidations.contains { $0.version > version }
    case .unversioned: seenInvalidations.contains { $0.messageNumber > flight.messageNumber }
    }
  }

  /// The invalidations of a row's marks: the recent ones from before the row existed, and the newest
  /// since.
  private func seenInvalidations(_ row: SharedRow) -> [RecentMarks.SeenInvalidation] {
    row.marks.compactMap { recent[$0] } + (row.invalidated.map { [$0] } ?? [])
  }

  /// Removes a fetch that ended without an answer, or with one that is known to be outdated.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - key: The key of the fetch.
  ///   - now: The time when an outdated answer came; `nil` if there was none.
  ///   - requestedAt: The time when the outdated answer was requested.
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
      // The next entry must not be older than the former data or this outdated answer. The version is from
      // the present history of the log, so later entries have greater versions.
      rows[key]?.bounds = SharedBounds(
        version: [row.bounds.version, flight.before].compactMap { $0 }.max(),
        requestedAt: [row.bounds.requestedAt, requestedAt].compactMap { $0 }.max()
      )
      // If the log gets another history, the version does not count any more, and only the time of the
      // request remains.
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
      // During a fetch, `invalidated` stays: it may be of a mark that the row no longer has, and still
      // outdates the answer.
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

  /// Notes that data of a key is on its way into the client.
  mutating func came(_ key: String, at now: Duration) {
    arrivals += 1
    rows[key]?.sequence = arrivals
    rows[key]?.landedAt = now
    rows[key]?.isInClient = false
  }

  /// Notes that the client has stored the last answers of some keys.
  mutating func arrived(_ keys: some Sequence<String>) {
    for key in keys {
      arrivals += 1
      rows[key]?.sequence = arrivals
      rows[key]?.isInClient = true
    }
  }

  /// Forgets keys that have no fetch, and that the client does not have.
  ///
  /// - Parameters:
  ///   - keys: The keys for which the client had no data when it was asked.
  ///   - sequence: The value of ``arrivals`` before the client was asked. A row whose data came later
  ///     stays.
  ///   - time: A row with data that came after this time stays, unless the client has stored the data:
  ///     the data may still be on its way.
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
