// Data that becomes suspect because changes may have been missed.
extension SharedTable {
  /// Makes all data suspect and fetches under way begin again, because changes may have been missed.
  ///
  /// - Parameter history: The history of the log from now on; `nil` if it is not known. Versions of
  ///   different histories cannot be compared: if the new server's clock is slow, its versions are lower
  ///   than the old ones.
  /// - Returns: The effects.
  mutating func forgot(in history: SharedHistory? = nil) -> Effects {
    epoch += 1
    let isOther = history.map { self.history != nil && $0 != self.history } ?? false
    self.history = history ?? self.history
    recent.removeAll()
    var effects = Effects()
    for (key, row) in rows {
      rows[key]?.stored = nil
      rows[key]?.invalidated = nil
      rows[key]?.news = nil
      // The changes that the log reported were made, even if the store has forgotten them, for instance
      // because a replica took over that had not copied everything. So their highest version becomes a
      // bound.
      let known = [row.stored, row.invalidated].compactMap { $0?.version }
      let landed = row.landed ?? row.newest.flatMap { row.flights[$0]?.before }
      if landed != nil { rows[key]?.bounds = SharedBounds() }
      let version = (known + [row.bounds.version, landed].compactMap { $0 }).max()
      rows[key]?.bounds.version = version
      rows[key]?.landed = nil
      if isOther {
        // A fetch can reach the store before the log is read, so the data may already have a version of the
        // new history. An entry with just this version is accepted.
        let requestedAt = version == nil ? rows[key]?.bounds.requestedAt : row.requestedAt
        rows[key]?.bounds = SharedBounds(requestedAt: requestedAt, same: landed)
      }
      if var previous = row.previous {
        if previous.landed != nil { previous.bounds = SharedBounds() }
        previous.bounds.version =
          (known + [previous.landed, previous.bounds.version].compactMap { $0 })
          .max()
        (previous.landed, previous.isSuspect) = (nil, true)
        rows[key]?.previous = previous
      }
      for id in row.flights.keys {
        if row.flights[id]?.follows != nil { effects.notified[id] = .silence }
        rows[key]?.flights[id]?.follows = nil
        rows[key]?.flights[id]?.before = nil
      }
      guard row.landedAt != nil, !row.isSuspect else { continue }
      rows[key]?.isSuspect = true
      effects.suspected.insert(key)
    }
    return effects
  }

  /// Makes data suspect that the log has not confirmed for too long.
  ///
  /// - Parameters:
  ///   - trust: For how long data is trusted without the log.
  ///   - now: The time.
  /// - Returns: The effects.
  mutating func expired(trust: Duration, at now: Duration) -> Effects {
    var effects = Effects()
    if let completeAt = log.completeAt, completeAt + trust > now { return effects }
    for (key, row) in rows {
      guard let landedAt = row.landedAt, !row.isSuspect, landedAt + trust <= now else { continue }
      rows[key]?.isSuspect = true
      effects.suspected.insert(key)
    }
    return effects
  }
}
