/// What a consumer gets when it looks.
enum Pull: Sendable {
  /// The newest snapshot that it has not seen.
  case result(Frame, QueryFlags)
  /// Nothing new.
  case nothing
  /// It was cancelled, or the client was shut down.
  case ended
}

/// What happens to a consumer that is about to wait for news.
enum Parking: Sendable {
  case parked
  /// It waits, and another task is already waiting for the same consumer's news.
  case parkedBesideAnother(EntryKey)
  /// There is already news.
  case news
  /// It is a fetch that looks at its own key: news comes when the fetch ends, and the fetch waits
  /// for the news.
  case pointless(FetchJob)
}

extension CacheState {
  /// The newest snapshot that a consumer has not seen.
  mutating func pull(_ id: ConsumerID) -> Pull {
    guard let index = find(id) else { return .ended }
    let (frame, flags) = view(index)
    guard frame.version != consumers[index].seenVersion || flags != consumers[index].seenFlags
    else { return .nothing }
    consumers[index].seenVersion = frame.version
    consumers[index].seenFlags = flags
    return .result(frame, flags)
  }

  /// What a consumer sees now.
  mutating func view(_ consumer: Int) -> (Frame, QueryFlags) {
    let entry = Int(consumers[consumer].entry)
    let frame = frame(entry)
    let flags = flags(of: consumer, entry)
    guard consumers[consumer].hasPlaceholder else { return (frame, flags) }
    return stand(in: consumers[consumer].plan, for: frame, flags)
  }

  /// Suspends a consumer until there is news, unless there already is some or never will be.
  mutating func park(
    _ id: ConsumerID,
    _ parked: Parked
  ) -> Parking {
    guard let index = find(id), !hasNews(index) else { return .news }
    if let own = ownFetch(of: Int(consumers[index].entry)) { return .pointless(own) }
    if consumers[index].parked?.isSpent ?? true {
      consumers[index].parked = parked
    } else {
      // News of another entry may have ended a wait for several entries.
      consumers[index].alsoParked.removeAll(where: \.isSpent)
      consumers[index].alsoParked.append(parked)
      if case .alone = parked, let key = slots[Int(consumers[index].entry)].key {
        return .parkedBesideAnother(key)
      }
    }
    return .parked
  }

  /// Suspends several consumers together until one of them has news; either all or none.
  mutating func park(_ ids: [ConsumerID], _ wait: JointWait) -> Parking {
    for id in ids {
      let parking = park(id, .jointly(wait))
      guard case .parked = parking else { return parking }
    }
    return .parked
  }

  /// Whether a consumer has not seen the current state.
  ///
  /// It returns no reference, so that a look need not count one.
  private mutating func hasNews(_ consumer: Int) -> Bool {
    let entry = Int(consumers[consumer].entry)
    guard consumers[consumer].seenVersion == version(entry) else { return true }
    guard !consumers[consumer].hasPlaceholder else {
      return view(consumer).1 != consumers[consumer].seenFlags
    }
    return flags(of: consumer, entry) != consumers[consumer].seenFlags
  }

  @inline(__always)
  private func flags(of consumer: Int, _ entry: Int) -> QueryFlags {
    slots[entry].machine.flags(
      for: consumers[consumer].profile,
      since: consumers[consumer].settledBase,
      at: latest.moment
    )
  }

  /// Wakes the suspended consumers of an entry that would see a difference.
  mutating func wake(_ entry: Int) {
    for consumer in slots[entry].consumers { wakeIfNews(Int(consumer)) }
  }

  /// Another plan may add, change or remove a placeholder.
  mutating func showPlaceholder(_ consumer: Int, isKept: Bool) {
    let wasShown = consumers[consumer].seenFlags.contains(.placeholder)
    guard wasShown || consumers[consumer].parked != nil else { return }
    let isShown = view(consumer).1.contains(.placeholder)
    let isOther = wasShown && isShown && !isKept
    // Neither version nor flags distinguish one placeholder from another.
    if isOther { consumers[consumer].seenVersion = .max }
    if isOther || isShown != wasShown { wakeParked(consumer) }
  }

  mutating func wakeIfNews(_ consumer: Int) {
    guard consumers[consumer].parked != nil else { return }
    let entry = Int(consumers[consumer].entry)
    if consumers[consumer].seenVersion == version(entry) {
      let seen = consumers[consumer].seenFlags.subtracting(.placeholder)
      guard flags(of: consumer, entry) != seen else { return }
    }
    wakeParked(consumer)
  }

  /// Ends a wait, unless that was already requested.
  @inline(__always)
  mutating func call(_ parked: Parked) {
    if parked.claim() { errands.append(.wake(parked)) }
  }

  private mutating func wakeParked(_ consumer: Int) {
    if let parked = consumers[consumer].parked { call(parked) }
    consumers[consumer].parked = nil
    guard !consumers[consumer].alsoParked.isEmpty else { return }
    for parked in consumers[consumer].alsoParked { call(parked) }
    consumers[consumer].alsoParked = []
  }
}

/// Shows a plan's placeholder if a query has neither data nor error.
func stand(
  in plan: ResolvedPlan?,
  for frame: Frame,
  _ flags: QueryFlags
) -> (Frame, QueryFlags) {
  // What layers show is not known here; what is below them is.
  guard frame.base == nil, frame.error == nil, let placeholder = plan?.plan.placeholder else {
    return (frame, flags)
  }
  return (Frame(frame, standIn: placeholder), flags.union(.placeholder))
}
