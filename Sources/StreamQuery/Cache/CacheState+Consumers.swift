extension CacheState {
  @inline(__always)
  func find(_ id: ConsumerID) -> Int? {
    let index = Int(id.index)
    guard consumers.indices.contains(index), consumers[index].isLive,
      consumers[index].generation == id.generation
    else { return nil }
    return index
  }

  // MARK: Coming and going

  /// Adds a consumer to a key; after a shutdown it ends before it begins.
  mutating func arrive(
    _ index: Int?,
    at key: EntryKey,
    _ plan: ResolvedPlan,
    _ profile: ObserverProfile,
    _ seed: Seed?,
    _ turn: inout Turn
  ) -> ConsumerID {
    guard !isShutDown else { return ConsumerID(index: -1, generation: 0) }
    let index = index ?? entry(key, plan, &turn)
    self.plan(index, with: plan, &turn)
    self.seed(index, seed, &turn)
    return subscribe(index, plan: plan, profile: profile, &turn)
  }

  /// Adds a consumer to an entry and lets the machine decide about a fetch.
  mutating func subscribe(
    _ entry: Int,
    plan: ResolvedPlan,
    profile: ObserverProfile,
    _ turn: inout Turn
  ) -> ConsumerID {
    let index: Int
    if freeConsumer >= 0 {
      index = Int(freeConsumer)
      freeConsumer = consumers[index].nextFree
    } else {
      index = consumers.count
      consumers.append(Consumer())
    }
    consumerCount += 1
    consumerSerial &+= 1
    let id = ConsumerID(index: Int32(truncatingIfNeeded: index), generation: consumerSerial)
    consumers[index].occupy(with: plan, id.generation)
    attach(index, to: entry, profile: profile, arrival: .subscribed, &turn)
    return id
  }

  private mutating func attach(
    _ consumer: Int,
    to entry: Int,
    profile: ObserverProfile,
    arrival: EntryMachine.Arrival,
    _ turn: inout Turn
  ) {
    arrivalSerial += 1
    consumers[consumer].stand(
      at: entry,
      slots[entry].consumers.count,
      as: profile,
      arrival: arrivalSerial,
      at: turn.world.now.moment,
      slots[entry].machine.counts
    )
    slots[entry].consumers.append(Int32(truncatingIfNeeded: consumer))
    if consumers[consumer].isDynamic { slots[entry].dynamicCount += 1 }
    if let job = slots[entry].job { turn.lend(to: job.tasks) }
    let lookup = slots[entry].machine.lookup(by: profile, at: turn.world.now.moment)
    let effects = slots[entry].machine.observed(by: profile, arrival: arrival, in: turn.world)
    emit(.observed(count: slots[entry].machine.observerCount), entry, turn)
    if let lookup { note(lookup, entry, turn) }
    apply(effects, entry, &turn)
  }

  private mutating func detach(_ consumer: Int, _ turn: inout Turn) {
    let entry = Int(consumers[consumer].entry)
    let position = Int(consumers[consumer].position)
    let last = slots[entry].consumers.removeLast()
    if last != Int32(truncatingIfNeeded: consumer) {
      slots[entry].consumers[position] = last
      consumers[Int(last)].position = Int32(truncatingIfNeeded: position)
    }
    if consumers[consumer].isDynamic { slots[entry].dynamicCount -= 1 }
    let effects = slots[entry].machine.unobserved(
      by: consumers[consumer].profile,
      since: consumers[consumer].pollBase,
      in: turn.world
    )
    emit(.unobserved(count: slots[entry].machine.observerCount), entry, turn)
    apply(effects, entry, &turn)
  }

  /// What a consumer asks for, so that its handle can still look after it has left.
  func farewell(of id: ConsumerID) -> Farewell? {
    guard let index = find(id), let key = slots[Int(consumers[index].entry)].key else { return nil }
    return Farewell(of: consumers[index], on: key)
  }

  /// Removes a consumer: its stream ends.
  ///
  /// A second time is a no-op.
  mutating func unsubscribe(_ id: ConsumerID, _ turn: inout Turn) {
    guard let index = find(id) else { return }
    detach(index, &turn)
    turn.drop(consumers[index].surrenderPlan())
    if let parked = consumers[index].parked { call(parked) }
    for parked in consumers[index].alsoParked { call(parked) }
    consumers[index].vacate(next: freeConsumer)
    freeConsumer = Int32(truncatingIfNeeded: index)
    consumerCount -= 1
    if consumerCount == 0, consumers.count > leastConsumers { mayShrink = true }
  }

  /// What a consumer that left would see now.
  func view(_ farewell: Farewell, after end: EntryEnd?) -> (Frame, QueryFlags) {
    guard let entry = find(farewell.key) else {
      if let end {
        let flags = end.flags(for: farewell, at: latest.moment)
        return stand(in: farewell.plan, for: end.frame, flags)
      }
      let flags: QueryFlags = farewell.profile.isEnabled ? [.enabled, .stale] : []
      return stand(in: farewell.plan, for: .empty, flags)
    }
    let flags = slots[entry].machine.flags(
      for: farewell.profile,
      since: farewell.settledBase,
      at: latest.moment
    )
    return stand(in: farewell.plan, for: glimpse(entry), flags)
  }

  /// The stand-in for the data of an entry that a consumer observes; `nil` if it observes another
  /// entry.
  func placeholder(of id: ConsumerID, on key: EntryKey) -> ValueBox? {
    guard let index = find(id), slots[Int(consumers[index].entry)].key == key else { return nil }
    return consumers[index].plan?.plan.placeholder
  }

  /// Changes what an existing consumer asks for.
  ///
  /// - Parameters:
  ///   - consumer: The consumer.
  ///   - plan: Its new plan.
  ///   - profile: What it asks for from now on.
  ///   - keepsPlaceholder: Whether the new plan has the same placeholder as the old one.
  ///   - turn: The turn.
  mutating func reobserve(
    _ consumer: Int,
    plan: ResolvedPlan,
    profile: ObserverProfile,
    keepsPlaceholder: Bool = true,
    _ turn: inout Turn
  ) {
    let entry = Int(consumers[consumer].entry)
    let old = consumers[consumer].profile
    // Has no meaning for an existing consumer; what a function said on arrival stays.
    var profile = profile
    profile.onSubscribe = old.onSubscribe
    if consumers[consumer].plan !== plan {
      let wasDynamic = consumers[consumer].isDynamic
      slots[entry].dynamicCount += (plan.isDynamic ? 1 : 0) - (wasDynamic ? 1 : 0)
      turn.drop(consumers[consumer].plan)
      consumers[consumer].follow(plan)
      showPlaceholder(consumer, isKept: keepsPlaceholder)
    }
    guard old != profile else { return }
    let now = turn.world.now.moment
    let lookup = old.isEnabled ? nil : slots[entry].machine.lookup(by: profile, at: now)
    let (effects, base) = slots[entry].machine.reobserved(
      from: old,
      since: consumers[consumer].pollBase,
      to: profile,
      isTurnedByFunction: plan.asksWhetherEnabled,
      in: turn.world
    )
    consumers[consumer].profile = profile
    consumers[consumer].pollBase = base
    // If a function enables it because the entry was emptied, nobody asked for anything.
    if let lookup, lookup != .miss || !slots[entry].machine.isIdle { note(lookup, entry, turn) }
    apply(effects, entry, &turn)
  }

  /// Moves a consumer to another entry: it is added there before it leaves the old one.
  mutating func move(
    _ consumer: Int,
    to entry: Int,
    plan: ResolvedPlan,
    profile: ObserverProfile,
    _ turn: inout Turn
  ) {
    let old = consumers[consumer]
    let oldEntry = Int(old.entry)
    let position = Int(old.position)
    consumers[consumer].follow(plan)
    attach(consumer, to: entry, profile: profile, arrival: .moved, &turn)

    let last = slots[oldEntry].consumers.removeLast()
    if last != Int32(truncatingIfNeeded: consumer) {
      slots[oldEntry].consumers[position] = last
      consumers[Int(last)].position = Int32(truncatingIfNeeded: position)
    }
    if old.isDynamic { slots[oldEntry].dynamicCount -= 1 }
    let effects = slots[oldEntry].machine.unobserved(
      by: old.profile,
      since: old.pollBase,
      in: turn.world
    )
    emit(.unobserved(count: slots[oldEntry].machine.observerCount), oldEntry, turn)
    apply(effects, oldEntry, &turn)
    turn.drop(old.plan)
    wakeIfNews(consumer)
  }

  /// Lets the first observer whose refetch is due decide how to fetch, if nothing is in flight.
  mutating func electObserver(
    of entry: Int,
    _ cause: FetchCause?,
    _ turn: inout Turn
  ) {
    guard slots[entry].machine.isIdle, slots[entry].isWatched else { return }
    let machine = slots[entry].machine
    var first: Int?
    for consumer in slots[entry].consumers.lazy.map(Int.init) {
      if let first, consumers[first].arrival < consumers[consumer].arrival { continue }
      let (profile, base) = (consumers[consumer].profile, consumers[consumer].pollBase)
      if machine.isDue(profile, since: base, cause, in: turn.world) { first = consumer }
    }
    if let first, let plan = consumers[first].plan { self.plan(entry, with: plan, &turn) }
  }
}
