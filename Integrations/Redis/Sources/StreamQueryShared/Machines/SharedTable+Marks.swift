// Changes that the client is about to make: it marks suspect data as invalidated, and stores written
// values.
extension SharedTable {
  // MARK: Marks

  /// Notes that the client is about to mark the data of some keys as invalidated.
  mutating func marking(_ keys: Set<String>) {
    for key in keys { rows[key]?.marking += 1 }
  }

  /// Notes that the client has marked the data of some keys as invalidated.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The keys whose data the client is not about to mark again.
  mutating func marked(_ keys: Set<String>) -> [String] {
    for key in keys { rows[key]?.marking -= 1 }
    return keys.filter { !isMarking($0) }
  }

  /// Whether the client is about to mark the data of a key as invalidated.
  func isMarking(_ key: String) -> Bool { rows[key].map { $0.marking > 0 } ?? false }

  /// Whether the table knows data with one of some marks that the client has, so that it can become
  /// suspect.
  ///
  /// A fetch under way does not count: it may end without an answer.
  func isWatched(oneOf marks: [SharedMark]) -> Bool {
    marks.contains { mark in
      (rowsOfMarks[mark] ?? []).contains { rows[$0]?.landedAt != nil }
    }
  }

  // MARK: Writes

  /// Notes a write and returns `true` if the value of this version may replace the data; call it only if
  /// ``isMarking(_:)`` is `false`.
  mutating func mayWrite(_ version: SharedVersion, to key: SharedKey, at now: Duration) -> Bool {
    register(key)
    if let landed = rows[key.text]?.landed, landed > version { return false }
    rows[key.text]?.previous = nil
    rows[key.text]?.landed = version
    rows[key.text]?.bounds = SharedBounds()
    came(key.text, at: now)
    rows[key.text]?.requestedAt = now
    rows[key.text]?.isSuspect = !log.isRead
    return true
  }

  /// Notes that the client has stored a written value.
  ///
  /// The value is suspect at once if nobody reads the log, or if the log has already told of a later
  /// change.
  mutating func wrote(_ version: SharedVersion, to key: String) -> Effects {
    var effects = Effects()
    guard let row = rows[key] else { return effects }
    let flight = SharedFlight(messageNumber: messageNumber, epoch: epoch)
    guard !log.isRead || isOutdated(.stored(version), row, flight) else { return effects }
    rows[key]?.isSuspect = true
    effects.suspected.insert(key)
    return effects
  }
}
