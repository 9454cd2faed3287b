extension CacheState {
  func isInScope(_ scope: RefetchScope, _ index: Int) -> Bool {
    switch scope {
    case .never: false
    case .active: slots[index].machine.isActive
    case .inactive: !slots[index].machine.isActive
    case .all: true
    }
  }

  func isBulkRefetched(_ index: Int) -> Bool {
    !slots[index].machine.isDisabled && !slots[index].machine.isStatic
  }

  /// Starts or joins a fetch that a bulk call watches, if somebody waits for it; unobserved keys get
  /// the client's own lease.
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
      isSuperseding: superseding,
      hasClientLease: slots[index].machine.observerCount == 0
    )
    let role: Waiter.Role? = gathering == nil ? nil : .watchingUnlessPaused
    _ = self.request(index, request, role: role, gathering: gathering, &turn)
  }

  /// Empties an entry; observers stay, retention goes on.
  mutating func empty(_ index: Int, _ turn: inout Turn) {
    let effects = slots[index].machine.cleared(in: turn.world)
    turn.drop(slots[index].data)
    turn.drop(slots[index].error)
    turn.drop(slots[index].failureReason)
    slots[index].data = nil
    slots[index].error = nil
    slots[index].failureReason = nil
    apply(effects, index, &turn)
  }

  /// Removes an entry; one that is observed stays, empty.
  mutating func remove(_ index: Int, reason: QueryEvent.RemovalReason, _ turn: inout Turn) {
    removeAllLayers(index, &turn)
    let isAlone = !slots[index].isWatched && slots[index].machine.isIdle
    // Emptying first would tell nobody, of an entry that goes at once.
    if !isAlone { empty(index, &turn) }
    guard slots[index].key != nil else { return }
    if !slots[index].isWatched {
      drop(index, reason: reason, &turn)
    } else {
      // For those who stay it is a new entry.
      slots[index].beganAt = nil
      for consumer in slots[index].consumers {
        consumers[Int(consumer)].settledBase = .zero
      }
      emit(.removed(reason), index, turn)
    }
  }
}
