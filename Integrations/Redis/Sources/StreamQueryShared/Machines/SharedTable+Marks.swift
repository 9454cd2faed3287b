// Changes on their way into the client: marks for suspicions, and writes.
extension SharedTable {
  // MARK: Marks

  /// Suspicions are about to be marked in the client.
  mutating func marking(_ keys: Set<String>) {
    for key in keys { rows[key]?.marking += 1 }
  }

  /// Suspicions are marked in the client.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The keys without further suspicions to mark.
  mutating func marked(_ keys: Set<String>) -> [String] {
    for key in keys { rows[key]?.marking -= 1 }
    return keys.filter { !isMarking($0) }
  }

  /// Whether suspicions about a key are being marked in the client.
  func isMarking(_ key: String) -> Bool { rows[key].map { $0.marking > 0 } ?? false }

  // MARK: Writes

  /// Whether a value of a version may be written over the data; no suspicions about the key may be
  /// being marked.
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

  /// A value was written.
  ///
  /// It is suspected at once if the log is not read, or if it has told of a change before the value
  /// came.
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
