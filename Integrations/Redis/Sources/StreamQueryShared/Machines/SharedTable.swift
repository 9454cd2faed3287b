/// What a peer knows of the shared keys: which of its data is older than what the log told of.
///
/// It decides only. Versions are those of the store; of what did not come from the store, such as
/// the answer of a fetch while the store was away, it knows between which messages it came.
struct SharedTable: Sendable {
  /// What is to be done about what was told.
  struct Effects: Equatable, Sendable {
    /// Keys whose data is not to be trusted any more, and whether a fetch is under way that will
    /// be checked before it lands.
    var doubted: [String: Bool] = [:]
    /// Fetches that get the news they wait for.
    var told: [FlightID: SharedNews] = [:]
  }

  /// What a fetch brings.
  enum Answer: Equatable, Sendable {
    /// An entry, or a committed value.
    case stored(SharedVersion)
    /// A value that did not come from the store.
    case unversioned
  }

  /// What becomes of a fetch's answer.
  enum Verdict: Equatable, Sendable {
    /// It is the data.
    case lands
    /// It is the data, but nobody reads the log that would tell of changes.
    case landsUnwatched
    /// Something has changed since it was fetched.
    case again
  }

  private(set) var rows: [String: SharedRow] = [:]
  private var rowsOfMarks: [SharedMark: Set<String>] = [:]
  private var recent = RecentMarks()
  private var lastFlight: UInt64 = 0
  /// The number of the last message.
  private var tide: UInt64 = 0
  /// How often all was forgotten.
  private var epoch: UInt64 = 0
  /// The end of the log and when it was asked for, while its messages are handled.
  private var end: (version: SharedVersion, askedAt: Duration)?
  /// How the log is read.
  var log = SharedLog()

  // MARK: Fetches

  /// A fetch begins.
  ///
  /// - Parameter key: Its key.
  /// - Returns: Its number, the version of the data that is there, and whether that is doubted.
  mutating func began(
    _ key: SharedKey
  ) -> (id: FlightID, landed: SharedVersion?, isDoubted: Bool) {
    register(key)
    lastFlight += 1
    let id = FlightID(rawValue: lastFlight)
    let row = rows[key.text]
    var flight = SharedFlight(tide: tide, epoch: epoch)
    flight.before = row?.landed ?? row?.newest.flatMap { row?.flights[$0]?.before }
    // It may land or not, nobody says: until then, nothing is known of the data.
    rows[key.text]?.landed = nil
    rows[key.text]?.flights[id] = flight
    rows[key.text]?.newest = id
    return (id, row?.landed, row?.isDoubted ?? false)
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
      return .free
    }
    if let news = row.news, news.version > position.version { return news.news }
    for mark in row.marks {
      if let sight = recent[mark], sight.version > position.version { return .free }
    }
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
    at now: Duration
  ) -> Verdict {
    guard let row = rows[key], let flight = row.flights[id] else { return .lands }
    guard row.newest == id else {
      // The client has replaced it, and ignores what it brings.
      rows[key]?.flights[id] = nil
      return .lands
    }
    guard flight.epoch == epoch, !isOutdated(answer, row, flight) else { return .again }
    switch answer {
    case .stored(let version): rows[key]?.landed = version
    case .unversioned: rows[key]?.landed = nil
    }
    rows[key]?.landedAt = now
    rows[key]?.isDoubted = !log.isRead
    rows[key]?.flights[id] = nil
    return log.isRead ? .lands : .landsUnwatched
  }

  private func isOutdated(_ answer: Answer, _ row: SharedRow, _ flight: SharedFlight) -> Bool {
    let sights = row.marks.compactMap { recent[$0] } + (row.stored.map { [$0] } ?? [])
    return switch answer {
    case .stored(let version): sights.contains { $0.version > version }
    case .unversioned: sights.contains { $0.tide > flight.tide }
    }
  }

  /// A fetch ended without an answer, or with one that is known to be outdated.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - key: Its key.
  ///   - now: When an answer came that is outdated; `nil` if there was none.
  mutating func ended(_ id: FlightID, of key: String, outdatedAt now: Duration? = nil) {
    guard let flight = rows[key]?.flights.removeValue(forKey: id), rows[key]?.newest == id else {
      return
    }
    if let now {
      rows[key]?.landed = nil
      rows[key]?.landedAt = now
      rows[key]?.isDoubted = true
    } else if rows[key]?.landed == nil {
      rows[key]?.landed = flight.before
    }
  }

  // MARK: Writes

  /// Whether a value of a version may be written over the data.
  mutating func mayWrite(_ version: SharedVersion, to key: SharedKey, at now: Duration) -> Bool {
    register(key)
    if let landed = rows[key.text]?.landed, landed > version { return false }
    rows[key.text]?.landed = version
    rows[key.text]?.landedAt = now
    rows[key.text]?.isDoubted = !log.isRead
    return true
  }

  /// Whether something has changed since a value was written.
  mutating func isOutdated(_ version: SharedVersion, of key: String) -> Bool {
    guard let row = rows[key] else { return false }
    let flight = SharedFlight(tide: tide, epoch: epoch)
    guard isOutdated(.stored(version), row, flight) else { return false }
    rows[key]?.isDoubted = true
    return true
  }

  // MARK: The log

  /// The log was read.
  ///
  /// - Parameters:
  ///   - changes: What was found, without a gap.
  ///   - start: When it was asked.
  /// - Returns: What to do.
  mutating func heard(_ changes: SharedChanges, askedAt start: Duration) -> Effects {
    end = changes.hasMore ? nil : (changes.position.version, start)
    defer { end = nil }
    return heard(changes.messages)
  }

  private mutating func heard(_ messages: [SharedMessage]) -> Effects {
    var effects = Effects()
    for message in messages { heard(message, &effects) }
    return effects
  }

  /// The peer itself invalidated marks.
  mutating func invalidated(_ marks: [SharedMark], _ version: SharedVersion) -> Effects {
    heard([SharedMessage(version, .invalidated(marks))])
  }

  private mutating func heard(_ message: SharedMessage, _ effects: inout Effects) {
    switch message.kind {
    case .committed(let key), .written(let key): stored(message.version, key, &effects)
    case .abandoned(let key, let failure):
      let news =
        failure.map { text -> SharedNews in
          switch SharedFailure(text) {
          case .failed(let text): .failed(text)
          case .unshareable: .unshareable
          }
        } ?? .free
      tell(news, message.version, key, &effects)
    case .invalidated(let marks): invalidated(marks, message.version, &effects)
    }
  }

  private mutating func stored(
    _ version: SharedVersion,
    _ key: String,
    _ effects: inout Effects
  ) {
    guard let row = rows[key] else { return }
    tell(.arrived, version, key, &effects)
    tide += 1
    if row.stored.map({ $0.version < version }) ?? true {
      rows[key]?.stored = RecentMarks.Sight(version: version, tide: tide)
    }
    doubt(key, since: version, &effects)
  }

  private mutating func invalidated(
    _ marks: [SharedMark],
    _ version: SharedVersion,
    _ effects: inout Effects
  ) {
    tide += 1
    for mark in marks where recent.saw(mark, RecentMarks.Sight(version: version, tide: tide)) {
      for key in rowsOfMarks[mark] ?? [] {
        wake(.free, version, key, &effects)
        doubt(key, since: version, &effects)
      }
    }
  }

  /// The data of a key is older than a version, unless it is known not to be.
  private mutating func doubt(
    _ key: String,
    since version: SharedVersion,
    _ effects: inout Effects
  ) {
    guard let row = rows[key], row.landedAt != nil else { return }
    if let landed = row.landed ?? row.newest.flatMap({ row.flights[$0]?.before }),
      landed >= version, isPossible(landed, row)
    {
      return
    }
    rows[key]?.isDoubted = true
    effects.doubted[key] = row.isInFlight
  }

  /// Whether the store can have given a version: what was here before the end of the log was asked
  /// for is not after it.
  private func isPossible(_ landed: SharedVersion, _ row: SharedRow) -> Bool {
    guard let end, let landedAt = row.landedAt, landedAt < end.askedAt else { return true }
    return landed <= end.version
  }

  private mutating func tell(
    _ news: SharedNews,
    _ version: SharedVersion,
    _ key: String,
    _ effects: inout Effects
  ) {
    guard rows[key] != nil else { return }
    rows[key]?.news = (version, news)
    wake(news, version, key, &effects)
  }

  private mutating func wake(
    _ news: SharedNews,
    _ version: SharedVersion,
    _ key: String,
    _ effects: inout Effects
  ) {
    for (id, flight) in rows[key]?.flights ?? [:] {
      guard let position = flight.follows, position.version < version else { continue }
      rows[key]?.flights[id]?.follows = nil
      effects.told[id] = news
    }
  }

  /// The peer tried to change what has these marks, and does not know whether it did.
  mutating func doubted(_ marks: some Sequence<SharedMark>) -> Effects {
    tide += 1
    var effects = Effects()
    for mark in marks {
      for key in rowsOfMarks[mark] ?? [] {
        guard let row = rows[key], row.landedAt != nil else { continue }
        rows[key]?.isDoubted = true
        effects.doubted[key] = row.isInFlight
      }
    }
    return effects
  }

  // MARK: Trust

  /// Nothing is known of what changed: all that is here is doubted, and what is fetched begins
  /// again.
  mutating func forgot() -> Effects {
    epoch += 1
    recent.removeAll()
    var effects = Effects()
    for (key, row) in rows {
      rows[key]?.stored = nil
      rows[key]?.news = nil
      for id in row.flights.keys {
        if row.flights[id]?.follows != nil { effects.told[id] = .free }
        rows[key]?.flights[id]?.follows = nil
        rows[key]?.flights[id]?.before = nil
      }
      guard row.landedAt != nil, !row.isDoubted else { continue }
      rows[key]?.landed = nil
      rows[key]?.isDoubted = true
      effects.doubted[key] = row.isInFlight
    }
    return effects
  }

  /// Time passed: what was not confirmed by the log for too long is doubted.
  ///
  /// - Parameters:
  ///   - trust: For how long data is trusted without the log.
  ///   - now: The time.
  /// - Returns: What to do.
  mutating func expired(trust: Duration, at now: Duration) -> Effects {
    var effects = Effects()
    if let completeAt = log.completeAt, completeAt + trust > now { return effects }
    for (key, row) in rows {
      guard let landedAt = row.landedAt, !row.isDoubted, landedAt + trust <= now else { continue }
      rows[key]?.isDoubted = true
      effects.doubted[key] = row.isInFlight
    }
    return effects
  }

  // MARK: Rows

  private mutating func register(_ key: SharedKey) {
    if let known = rows[key.text]?.marks {
      guard known != key.marks else { return }
      remove(marks: known, of: key.text)
      rows[key.text]?.marks = key.marks
    } else {
      rows[key.text] = SharedRow(marks: key.marks)
    }
    for mark in key.marks { rowsOfMarks[mark, default: []].insert(key.text) }
  }

  private mutating func remove(marks: [SharedMark], of key: String) {
    for mark in marks {
      rowsOfMarks[mark]?.remove(key)
      if rowsOfMarks[mark]?.isEmpty == true { rowsOfMarks[mark] = nil }
    }
  }

  /// Forgets keys that nobody fetches.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - time: What landed later stays: it may not be in the client yet.
  /// - Returns: What was forgotten.
  mutating func forget(_ keys: [String], landedBefore time: Duration) -> [String] {
    keys.filter { key in
      guard let row = rows[key], row.flights.isEmpty, row.landedAt.map({ $0 < time }) ?? true else {
        return false
      }
      remove(marks: row.marks, of: key)
      rows[key] = nil
      return true
    }
  }
}
