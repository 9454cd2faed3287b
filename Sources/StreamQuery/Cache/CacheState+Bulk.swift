extension CacheState {
  @inline(__always)
  func isInScope(_ scope: RefetchScope, _ index: Int) -> Bool {
    switch scope {
    case .never: false
    case .active: slots[index].machine.isActive
    case .inactive: !slots[index].machine.isActive
    case .all: true
    }
  }

  @inline(__always)
  func isBulkRefetched(_ index: Int) -> Bool {
    !slots[index].machine.isDisabled && !slots[index].machine.isStatic
  }

  /// Starts or joins a fetch that a bulk call watches, if the call waits; unobserved keys get the
  /// client's own lease.
  mutating func refetch(
    _ index: Int,
    _ cause: FetchCause,
    superseding: Bool,
    _ gathering: Gathering?,
    _ turn: inout Turn
  ) {
    guard slots[index].plan != nil else { return }
    let request = FetchRequest(
      cause: cause,
      // A fetch may replace itself, but must not request its own successor again and again.
      isSuperseding: superseding
        && (slots[index].machine.isReplaceable || !waitsForCaller(index, turn)),
      hasClientLease: slots[index].machine.observerCount == 0
    )
    let role: Waiter.Role? = gathering == nil ? nil : .watchingUnlessPaused
    _ = self.request(index, request, role: role, gathering: gathering, &turn)
  }

  /// Empties an entry; its observers stay, and retention continues.
  mutating func empty(_ index: Int, isRemoved: Bool, _ turn: inout Turn) {
    let effects = slots[index].machine.cleared(isRemoved: isRemoved, in: turn.world)
    turn.drop(slots[index].data)
    turn.drop(slots[index].error)
    turn.drop(slots[index].failureReason)
    slots[index].data = nil
    slots[index].error = nil
    slots[index].failureReason = nil
    apply(effects, index, &turn)
  }

  /// Removes an entry; an observed entry stays, empty.
  mutating func remove(_ index: Int, reason: QueryEvent.RemovalReason, _ turn: inout Turn) {
    removeAllLayers(index, &turn)
    let isAlone = !slots[index].isWatched && slots[index].machine.isIdle
    // If the entry goes at once, emptying it first would tell nobody.
    if !isAlone { empty(index, isRemoved: true, &turn) }
    guard slots[index].key != nil else { return }
    if !slots[index].isWatched {
      drop(index, reason: reason, &turn)
    } else {
      // For its observers it is a new entry.
      turn.drop(slots[index].beginning)
      slots[index].beginning = nil
      for consumer in slots[index].consumers {
        consumers[Int(consumer)].settledBase = .zero
      }
      emit(.removed(reason), index, turn)
    }
  }

  /// The initial data that a reset restores: what the entry began with or, without that, what its
  /// newest query begins with.
  @inline(__always)
  func initialData(of index: Int) -> PlanExtras.InitialData? {
    slots[index].beginning?.source ?? slots[index].plan?.plan.initialData
  }

  /// The dynamic options of an entry's observers to evaluate before it is reset.
  ///
  /// - Returns: The question; `nil` if there are no such options.
  func questionsOfReset(_ index: Int, _ seed: Seed?, _ turn: Turn) -> ResetQuestion? {
    guard slots[index].dynamicCount > 0 else { return nil }
    var slot = slots[index]
    _ = slot.machine.cleared(in: turn.world)
    if let seed {
      let beginning = slot.beginning ?? seed.beginning(at: turn.world.now)
      _ = slot.machine.seeded(updatedAt: beginning.time, in: turn.world)
      slot.data = seed.box
    }
    guard let info = slot.info(slot.makeFrame(version: 0), at: turn.world.now.moment) else {
      return nil
    }
    let plans = slot.consumers.compactMap { position -> (ConsumerID, ResolvedPlan)? in
      let consumer = consumers[Int(position)]
      guard let plan = consumer.plan, plan.isDynamic else { return nil }
      return (ConsumerID(index: position, generation: consumer.generation), plan)
    }
    return ResetQuestion(entry: id(of: index), revision: slot.revision, info: info, plans: plans)
  }

  /// Resets an entry to its beginning, and refetches it if an observer is enabled then.
  mutating func reset(
    _ index: Int,
    _ seed: Seed?,
    _ profiles: [ResetQuestion.Answer],
    _ gathering: Gathering,
    _ turn: inout Turn
  ) {
    emit(.reset, index, turn)
    var enabledCount = slots[index].machine.enabledCount
    var turned: [(consumer: Int, ResetQuestion.Answer)] = []
    for answer in profiles {
      guard let consumer = find(answer.consumer), consumers[consumer].plan === answer.plan,
        Int(consumers[consumer].entry) == index
      else { continue }
      if consumers[consumer].profile.isEnabled { enabledCount -= 1 }
      if answer.profile.isEnabled { enabledCount += 1 }
      turned.append((consumer, answer))
    }
    let starter = enabledCount > 0 ? takeStarter(index) : nil
    empty(index, isRemoved: false, &turn)
    self.seed(index, seed, &turn)
    if enabledCount > 0 {
      refetch(index, .reset, superseding: true, gathering, &turn)
      // The caller of the dropped fetch waits for the one that replaced it.
      if let starter {
        readmit(starter, index)
        lendPriorityOfWaiters(index, &turn)
      }
    }
    for (consumer, answer) in turned {
      reobserve(consumer, plan: answer.plan, profile: answer.profile, &turn)
    }
  }
}

/// The dynamic options to evaluate before an entry is reset.
struct ResetQuestion: Sendable {
  /// What one observer asks for after the reset.
  struct Answer: Sendable {
    var consumer: ConsumerID
    var plan: ResolvedPlan
    var profile: ObserverProfile
  }

  let entry: EntryID
  let revision: UInt32
  /// The entry as it will be, without the refetch.
  let info: QueryInfo
  let plans: [(ConsumerID, ResolvedPlan)]

  /// Runs user code: never call it under the lock.
  var answered: (revision: UInt32, profiles: [Answer]) {
    (
      revision,
      plans.map { Answer(consumer: $0.0, plan: $0.1, profile: $0.1.profile { info }) }
    )
  }
}
