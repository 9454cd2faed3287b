extension EntryMachine {
  /// The entry as it would be if an observer subscribed now: its first frame is made from this.
  ///
  /// It is computed with the same inputs as a real subscription, so that both follow one rule.
  ///
  /// - Parameters:
  ///   - profile: What the observer asks for.
  ///   - terms: The terms of its plan; `nil` if the entry has a better one.
  ///   - seed: When the initial data that it would bring was good.
  ///   - world: The world at the time of the look.
  /// - Returns: The entry, and whether a fetch would have hidden its data.
  func arrived(
    _ profile: ObserverProfile,
    terms: FetchTerms?,
    seed: Timestamp?,
    in world: World
  ) -> (machine: EntryMachine, isShelved: Bool) {
    var machine = self
    machine.planned(terms: terms, gcTime: .zero)
    if let seed, !machine.hasData { _ = machine.seeded(updatedAt: seed, in: world) }
    let effects = machine.observed(by: profile, in: world)
    return (machine, effects.shelved)
  }

  /// Whether a new observer changes what is visible, by starting a fetch or resuming one.
  @inline(__always)
  func changesOnArrival(of profile: ObserverProfile, at now: Moment) -> Bool {
    !isFetching && fetchesOnSubscribe(profile, at: now)
  }
}

extension CacheState {
  /// The world at a look, which is not a turn.
  @inline(__always)
  func worldSeen(at now: Now) -> World {
    var time = latest
    if now.moment >= latest.moment {
      let elapsed = Double(now.moment.nanoseconds - latest.moment.nanoseconds) / 1_000_000_000
      time = Timestamp(moment: now.moment, date: now.date ?? latest.date + elapsed)
    }
    return World(now: time, isOnline: isOnline, isActive: isActive)
  }

  /// What an observer would see first if it subscribed now; the look changes nothing.
  ///
  /// - Parameters:
  ///   - key: What it would observe.
  ///   - plan: Its plan.
  ///   - profile: What it asks for.
  ///   - seed: The initial data that it would bring, already obtained outside the lock.
  ///   - now: The time.
  /// - Returns: Its first frame and flags, without a stand-in for data.
  func firstLook(
    _ key: EntryKey,
    _ plan: ResolvedPlan,
    _ profile: ObserverProfile,
    _ seed: Seed? = nil,
    at now: Now
  ) -> (Frame, QueryFlags) {
    let world = worldSeen(at: now)
    guard let index = find(key) else {
      let empty = EntryMachine(at: world.now.moment)
      guard !isShutDown else {
        return (.empty, empty.flags(for: profile, since: nil, at: world.now.moment))
      }
      let (machine, _) = empty.arrived(
        profile,
        terms: plan.terms,
        seed: seed?.beginning(at: world.now).time,
        in: world
      )
      let frame = Frame(
        version: 0,
        key: key,
        facts: machine.frameFacts,
        data: machine.hasData ? seed?.box : nil,
        error: nil,
        failureReason: nil,
        paging: plan.plan.paging
      )
      return (frame, machine.flags(for: profile, since: nil, at: world.now.moment))
    }
    let isSeeded = seed != nil && !slots[index].machine.hasData
    guard !isShutDown,
      isSeeded || slots[index].machine.changesOnArrival(of: profile, at: world.now.moment)
    else {
      let flags = slots[index].machine.flags(for: profile, since: nil, at: world.now.moment)
      return (glimpse(index), flags)
    }
    let hasBetter = plan.fetch == nil && slots[index].plan?.fetch != nil
    let beginning = slots[index].beginning ?? seed?.beginning(at: world.now)
    let (machine, isShelved) = slots[index].machine.arrived(
      profile,
      terms: hasBetter ? nil : plan.terms,
      seed: isSeeded ? beginning?.time : nil,
      in: world
    )
    let cached = isSeeded ? seed?.box : slots[index].data
    let data = machine.hasData && !isShelved ? cached : nil
    var layered = slots[index].shown
    if let shown = layered, shown.base !== data {
      layered = LayeredBox(base: data, layers: slots[index].layers.map(\.layer))
    }
    let frame = Frame(
      version: 0,
      key: key,
      facts: machine.frameFacts,
      data: data,
      error: machine.isError ? slots[index].error : nil,
      failureReason: machine.failureCount > 0 ? slots[index].failureReason : nil,
      paging: plan.plan.paging ?? slots[index].plan?.plan.paging,
      layered: layered
    )
    return (frame, machine.flags(for: profile, since: nil, at: world.now.moment))
  }

  /// The info for the dynamic options of an observer that arrives at an entry with initial data.
  func infoOfArrival(
    _ key: EntryKey,
    _ plan: ResolvedPlan,
    _ seed: Seed?,
    at now: Now
  ) -> QueryInfo {
    let world = worldSeen(at: now)
    let met = facts(key, metBy: plan, at: world.now.moment).info
    guard let seed else { return met }
    var slot = find(key).map { slots[$0] } ?? EntrySlot()
    if slot.key == nil {
      slot.key = key
      slot.machine = EntryMachine(at: world.now.moment)
      slot.plan = plan
    }
    if !slot.machine.hasData {
      let beginning = slot.beginning ?? seed.beginning(at: world.now)
      _ = slot.machine.seeded(updatedAt: beginning.time, in: world)
      slot.data = seed.box
    }
    guard var info = slot.info(slot.makeFrame(version: 0), at: world.now.moment) else { return met }
    info.meta = met.meta
    return info
  }
}
