extension CacheState {
  /// The environment at a time, without a change of the state's own environment.
  @inline(__always)
  func environmentSeen(at now: ClockReading) -> Environment {
    var environment = self.environment
    // Time does not go back, even if a thread that read the clock earlier takes the lock later.
    if now.instant >= environment.now.instant {
      let former = environment.now
      let elapsed = Double(now.instant.nanoseconds - former.instant.nanoseconds) / 1_000_000_000
      environment.now = Timestamp(instant: now.instant, date: now.date ?? former.date + elapsed)
    }
    return environment
  }

  /// The state that an observer would see first if it subscribed now.
  ///
  /// This changes nothing.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - index: The entry of the key, if there is one.
  ///   - query: The query of the observer, resolved.
  ///   - resolvedOptions: The options of the observer.
  ///   - initialData: Its initial data, already obtained outside the lock.
  ///   - now: The time.
  /// - Returns: Its first snapshot and flags, without a placeholder.
  func firstLook(
    _ key: EntryKey,
    _ index: Int?,
    _ query: StoredQuery,
    _ resolvedOptions: ResolvedObserverOptions,
    _ initialData: InitialData? = nil,
    at now: ClockReading
  ) -> (EntrySnapshot, QueryFlags) {
    let environment = environmentSeen(at: now)
    let now = environment.now.instant
    if let index {
      let changes =
        initialData != nil && !slots[index].machine.hasData
        || slots[index].machine.changesOnArrival(of: resolvedOptions, at: now)
      guard changes, !isShutDown else {
        let flags = slots[index].machine.flags(for: resolvedOptions, since: nil, at: now)
        return (currentSnapshot(index), flags)
      }
    }
    // After a shutdown, the machine stays as it is: a list only shows the state of its keys.
    var slot = slot(key, index, query, isShutDown ? nil : initialData, in: environment)
    if !isShutDown {
      slot.machine = slot.machine.arrived(
        resolvedOptions,
        fetchOptions: slot.takes(query) ? query.fetchOptions : nil,
        in: environment
      )
    }
    if query.feature != nil { slot.query = query }
    // Without layers nothing is assigned, because that would copy the rare data.
    if slot.isLayered { slot.shown = slot.layeredData }
    let flags = slot.machine.flags(for: resolvedOptions, since: nil, at: now)
    return (slot.makeSnapshot(version: 0), flags)
  }

  /// The facts about an entry for the option closures of an observer that is about to subscribe.
  ///
  /// They describe the entry as if it had the observer's initial data already.
  func factsOfArrival(
    _ key: EntryKey,
    _ query: StoredQuery,
    _ initialData: InitialData?,
    at now: ClockReading
  ) -> EntryFacts {
    let environment = environmentSeen(at: now)
    var facts = facts(key, metBy: query, at: environment.now.instant)
    guard let initialData else { return facts }
    var slot = slot(key, find(key), query, initialData, in: environment)
    if slot.isLayered { slot.shown = slot.layeredData }
    guard var info = slot.info(slot.makeSnapshot(version: 0), at: environment.now.instant) else {
      return facts
    }
    info.meta = facts.info.meta
    facts.info = info
    return facts
  }

  /// A copy of an entry, or a new one of the observer's query, with the initial data that an observer
  /// would bring.
  private func slot(
    _ key: EntryKey,
    _ index: Int?,
    _ query: StoredQuery,
    _ initialData: InitialData?,
    in environment: Environment
  ) -> EntrySlot {
    var slot = index.map { slots[$0] } ?? EntrySlot()
    if index == nil {
      slot.key = key
      slot.machine = EntryMachine(at: environment.now.instant)
      slot.query = query
    }
    guard let initialData, !slot.machine.hasData else { return slot }
    let beginning = slot.initialState ?? initialData.initialState(at: environment.now)
    _ = slot.machine.initialDataPlaced(
      updatedAt: beginning.time,
      isPart: initialData.isPart,
      in: environment
    )
    if initialData.isInvalidated {
      _ = slot.machine.invalidated(isJoining: true, at: environment.now, in: environment)
    }
    slot.data = initialData.box
    return slot
  }
}
