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
    guard let index else {
      let empty = EntryMachine(at: environment.now.instant)
      var machine = empty
      // After a shutdown, the machine stays as it is: a list only shows the state of its keys.
      if !isShutDown {
        (machine, _) = empty.arrived(
          resolvedOptions,
          fetchOptions: query.fetchOptions,
          initialData: initialData?.initialState(at: environment.now).time,
          isInvalidated: initialData?.isInvalidated == true,
          isPart: initialData?.isPart == true,
          in: environment
        )
      }
      let snapshot = EntrySnapshot(
        version: 0,
        key: key,
        facts: machine.snapshotFacts,
        data: machine.hasData ? initialData?.box : nil,
        error: nil,
        failureReason: nil,
        feature: query.feature
      )
      return (
        snapshot, machine.flags(for: resolvedOptions, since: nil, at: environment.now.instant)
      )
    }
    let bringsInitialData = initialData != nil && !slots[index].machine.hasData
    guard !isShutDown,
      bringsInitialData
        || slots[index].machine.changesOnArrival(of: resolvedOptions, at: environment.now.instant)
    else {
      let flags = slots[index].machine.flags(
        for: resolvedOptions,
        since: nil,
        at: environment.now.instant
      )
      return (currentSnapshot(index), flags)
    }
    let hasBetter = !query.canFetch && slots[index].query?.canFetch == true
    let beginning = slots[index].initialState ?? initialData?.initialState(at: environment.now)
    let (machine, isStashed) = slots[index].machine.arrived(
      resolvedOptions,
      fetchOptions: hasBetter ? nil : query.fetchOptions,
      initialData: bringsInitialData ? beginning?.time : nil,
      isInvalidated: initialData?.isInvalidated == true,
      isPart: initialData?.isPart == true,
      in: environment
    )
    let cached = bringsInitialData ? initialData?.box : slots[index].data
    let data = machine.hasData && !isStashed ? cached : nil
    var layered = slots[index].shown
    if let shown = layered, shown.base !== data {
      layered = LayeredBox(base: data, layers: slots[index].layers.map(\.layer))
    }
    let snapshot = EntrySnapshot(
      version: 0,
      key: key,
      facts: machine.snapshotFacts,
      data: data,
      error: machine.isError ? slots[index].error : nil,
      failureReason: machine.failureCount > 0 ? slots[index].failureReason : nil,
      feature: query.feature ?? slots[index].query?.feature,
      layered: layered
    )
    return (snapshot, machine.flags(for: resolvedOptions, since: nil, at: environment.now.instant))
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
    var slot = find(key).map { slots[$0] } ?? EntrySlot()
    if slot.key == nil {
      slot.key = key
      slot.machine = EntryMachine(at: environment.now.instant)
      slot.query = query
    }
    if !slot.machine.hasData {
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
      if slot.isLayered {
        slot.shown = LayeredBox(base: initialData.box, layers: slot.layers.map(\.layer))
      }
    }
    guard var info = slot.info(slot.makeSnapshot(version: 0), at: environment.now.instant) else {
      return facts
    }
    info.meta = facts.info.meta
    facts.info = info
    return facts
  }
}
