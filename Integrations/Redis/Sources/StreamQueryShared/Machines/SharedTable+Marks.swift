// What is on its way into the client: marks of what was told, and writes.
extension SharedTable {
  // MARK: Marks

  /// Doubts are going to be marked in the client.
  mutating func marking(_ keys: Set<String>) {
    for key in keys { rows[key]?.marking += 1 }
  }

  /// Doubts are marked in the client.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: Those of which nothing is being marked any more.
  mutating func marked(_ keys: Set<String>) -> [String] {
    for key in keys { rows[key]?.marking -= 1 }
    return keys.filter { !isMarking($0) }
  }

  /// Whether doubts about a key are just being marked in the client.
  func isMarking(_ key: String) -> Bool { rows[key].map { $0.marking > 0 } ?? false }

  // MARK: Writes

  /// Whether a value of a version may be written over the data; nothing of the key is just being
  /// marked.
  mutating func mayWrite(_ version: SharedVersion, to key: SharedKey, at now: Duration) -> Bool {
    register(key)
    if let landed = rows[key.text]?.landed, landed > version { return false }
    rows[key.text]?.former = nil
    rows[key.text]?.landed = version
    rows[key.text]?.bounds = SharedBounds()
    came(key.text, at: now)
    rows[key.text]?.requestedAt = now
    rows[key.text]?.isDoubted = !log.isRead
    return true
  }

  /// A value was written that is doubted at once if nobody reads the log, or if it told of a change
  /// before the value was here.
  mutating func wrote(_ version: SharedVersion, to key: String) -> Effects {
    var effects = Effects()
    guard let row = rows[key] else { return effects }
    let flight = SharedFlight(tide: tide, epoch: epoch)
    guard !log.isRead || isOutdated(.stored(version), row, flight) else { return effects }
    rows[key]?.isDoubted = true
    effects.doubted.insert(key)
    return effects
  }
}
