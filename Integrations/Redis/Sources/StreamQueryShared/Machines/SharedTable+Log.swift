// Changes that the log reports.
extension SharedTable {
  /// Handles the messages that a read of the log has returned.
  ///
  /// - Parameters:
  ///   - changes: The result, without a gap.
  ///   - start: The time of the request.
  /// - Returns: The effects.
  mutating func received(_ changes: SharedChanges, askedAt start: Duration) -> Effects {
    end = changes.hasMore ? nil : (changes.position.version, start)
    defer { end = nil }
    return received(changes.messages)
  }

  private mutating func received(_ messages: [SharedMessage]) -> Effects {
    var effects = Effects()
    for message in messages { received(message, &effects) }
    return effects
  }

  /// Handles an invalidation by this peer, which the store has accepted.
  mutating func invalidated(_ marks: [SharedMark], _ version: SharedVersion) -> Effects {
    received([SharedMessage(version, .invalidated(marks))])
  }

  private mutating func received(_ message: SharedMessage, _ effects: inout Effects) {
    switch message.kind {
    case .committed(let key): stored(message.version, key, &effects)
    case .written(let key):
      stored(message.version, key, &effects)
      // Entries of the key in other encodings still have the former value.
      guard let mark = SharedNames.mark(ofEntry: key) else { return }
      for other in rowsOfMarks[mark] ?? [] where other != key {
        stored(message.version, other, &effects)
      }
    case .abandoned(let key, let failure):
      let news =
        failure.map { text -> SharedNews in
          switch SharedFailure(text) {
          case .failed(let report): .failed(report)
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
    messageNumber += 1
    if row.stored.map({ $0.version < version }) ?? true {
      rows[key]?.stored = RecentMarks.SeenInvalidation(
        version: version,
        messageNumber: messageNumber
      )
    }
    suspect(key, since: version, &effects)
  }

  private mutating func invalidated(
    _ marks: [SharedMark],
    _ version: SharedVersion,
    _ effects: inout Effects
  ) {
    messageNumber += 1
    let seen = RecentMarks.SeenInvalidation(version: version, messageNumber: messageNumber)
    for mark in marks where recent.saw(mark, seen) {
      for key in rowsOfMarks[mark] ?? [] {
        let previous = rows[key]?.invalidated
        rows[key]?.invalidated = seen.joined(with: previous)
        wake(.free, version, key, &effects)
        suspect(key, since: version, &effects)
      }
    }
  }

  /// Makes the data of a key suspect because of a change with this version, unless the data is newer.
  private mutating func suspect(
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
    rows[key]?.isSuspect = true
    effects.suspected.insert(key)
  }

  /// Whether the store can have given the data its version.
  ///
  /// Data that came before this peer asked for the end of the log cannot have a version after that end.
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
      effects.notified[id] = news
    }
  }

  /// Makes the data with these marks suspect, because this peer tried to change it and does not know whether
  /// the change took place.
  mutating func suspected(_ marks: some Sequence<SharedMark>) -> Effects {
    messageNumber += 1
    var effects = Effects()
    for mark in marks {
      for key in rowsOfMarks[mark] ?? [] {
        guard let row = rows[key], row.landedAt != nil else { continue }
        rows[key]?.isSuspect = true
        effects.suspected.insert(key)
      }
    }
    return effects
  }
}
