import Synchronization

/// Several observers of one client that are read together, and whose list may be replaced.
///
/// As in a ``JointSubscription``, each transaction is seen as a whole. An observer sees the old
/// list or the new one, and at least one element of the new one.
final class ListSubscription: Sendable {
  /// One observer of the list.
  private struct Member: Sendable {
    var key: EntryKey
    var triggerCount: Int
    var subscription: Subscription
  }

  private struct State {
    var members: [Member] = []
    /// Counts lists.
    var serial = 1
    /// The list of which the observer has seen an element.
    var seenSerial = 0
    var isCancelled = false
    /// The waits of the observer: more than one only if several tasks iterate the same stream.
    var waits: [JointWait] = []
    /// The last requested list, if it has not taken effect yet.
    var wanted: [AnyQuery]?
    var isUpdating = false
  }

  private let client: QueryClient
  private let state = Mutex(State())
  /// An empty list observes nothing that would end with the client.
  private let ending = Mutex<Int?>(nil)

  init(client: QueryClient, _ queries: [AnyQuery]) {
    self.client = client
    let members = queries.map(subscribe)
    state.withLock { $0.members = members }
    let ending = client.shutdownHandlers.add { [weak self] in self?.cancel() }
    if let ending { self.ending.withLock { $0 = ending } } else { cancel() }
  }

  deinit {
    if let ending = ending.withLock({ $0 }) { client.shutdownHandlers.remove(ending) }
  }

  /// Ends all observations; a second call is a no-op.
  func cancel() {
    holding(self) {
      let (members, waits) = state.withLock { state -> ([Member], [JointWait]) in
        state.isCancelled = true
        defer { state.waits = [] }
        return (state.members, state.waits)
      }
      for member in members { member.subscription.cancel() }
      for wait in waits { wait.wake() }
    }
  }

  // MARK: Looking

  /// The results of all members, as soon as any has news or the list is new; `nil` at the end.
  ///
  /// For streams that end the observation when they are cancelled, which ends the wait; see
  /// ``Mailbox/next(whenSuspended:)`` for why there is no handler here.
  ///
  /// - Parameter isolation: The caller's isolation, which is kept.
  /// - Returns: Every member's result, in the order of the list.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> [QueryListResults.Member]? {
    while true {
      let (members, serial, isNew, isOver) = state.withLock {
        ($0.members, $0.serial, $0.seenSerial != $0.serial, $0.isCancelled)
      }
      if isOver { return nil }
      if Task.isCancelled {
        cancel()
        return nil
      }
      let ids = members.map(\.subscription.id)
      switch client.cache.record({ $0.poll(ids, isNew: isNew) }) {
      case .results(let results):
        state.withLock { if $0.serial == serial { $0.seenSerial = serial } }
        return zip(members, results).map { member, result in
          QueryListResults.Member(key: member.key, snapshot: result.snapshot, flags: result.flags)
        }
      case .ended:
        // Unless a member only left the list, this is the end.
        if state.withLock({ $0.serial == serial }) { return nil }
        continue
      case .nothing: break
      }
      await withUnsafeContinuation(isolation: isolation) { park(ids, serial, $0) }
    }
  }

  /// Waits for news of any member, or for another list.
  private func park(
    _ ids: [ObserverID],
    _ serial: Int,
    _ continuation: UnsafeContinuation<Void, Never>
  ) {
    let wait = JointWait(continuation)
    let isCurrent = state.withLock { state in
      guard state.serial == serial, !state.isCancelled else { return false }
      state.waits.removeAll(where: \.isSpent)
      state.waits.append(wait)
      return true
    }
    switch isCurrent ? client.cache.record({ $0.park(ids, wait) }) : .news {
    case .suspended, .suspendedBesideAnother:
      client.observerWaits(for: "news of several queries", self) { cancel() }
      return
    // One of them had news after all: those that are suspended already hold a wait that is over.
    case .news: break
    case .pointless(let fetch):
      client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
    wait.wake()
  }

  /// The present results of all members, seen or not.
  func current() -> [QueryListResults.Member] {
    let members = state.withLock { $0.members }
    // A transaction, so that staleness is judged now.
    return client.transaction { state, _ in
      members.compactMap { member in
        state.find(member.subscription.id).map { index in
          let (snapshot, flags) = state.view(index)
          return QueryListResults.Member(key: member.key, snapshot: snapshot, flags: flags)
        }
      }
    }
  }

  // MARK: Replacing the list

  /// Replaces the list; of several concurrent replacements the last one wins.
  func update(_ queries: [AnyQuery]) {
    // Lists that are no longer wanted hold closures of the user: they are released outside the
    // lock.
    let (mustWork, _) = state.withLock { state -> (Bool, [AnyQuery]?) in
      let dropped = state.wanted
      guard !state.isCancelled else { return (false, dropped) }
      state.wanted = queries
      guard !state.isUpdating else { return (false, dropped) }
      state.isUpdating = true
      return (true, dropped)
    }
    guard mustWork else { return }
    // Subscribing calls the user's closures, so no lock is held meanwhile.
    while let wanted = nextWanted() { replace(by: wanted) }
  }

  private func nextWanted() -> [AnyQuery]? {
    let (wanted, isOver) = state.withLock { state -> ([AnyQuery]?, Bool) in
      let wanted = state.wanted.take()
      if wanted == nil || state.isCancelled { state.isUpdating = false }
      return (wanted, state.isCancelled)
    }
    return isOver ? nil : wanted
  }

  private func replace(by queries: [AnyQuery]) {
    let old = state.withLock { $0.members }
    var left: [EntryKey: [Member]] = [:]
    // Last first, so that of equal keys the first one is taken first.
    for member in old.reversed() { left[member.key, default: []].append(member) }
    let members = queries.map { query in
      guard let kept = left[query.entryKey]?.popLast() else { return subscribe(query) }
      return update(kept, query)
    }
    let (isOver, waits) = state.withLock { state -> (Bool, [JointWait]) in
      guard !state.isCancelled else { return (true, []) }
      state.members = members
      state.serial += 1
      defer { state.waits = [] }
      return (false, state.waits)
    }
    // In the order of the list: no order depends on hashes.
    let kept = Set(isOver ? [] : members.map { ObjectIdentifier($0.subscription) })
    for member in isOver ? members : old
    where !kept.contains(ObjectIdentifier(member.subscription)) {
      member.subscription.cancel()
    }
    for wait in waits { wait.wake() }
  }

  private func update(_ member: Member, _ query: AnyQuery) -> Member {
    client.update(member.subscription.id, query.entryKey, query.definition, query.options)
    var member = member
    if member.triggerCount != query.definition.triggers.count {
      member.triggerCount = query.definition.triggers.count
      member.subscription.forward(query.definition.triggers, into: query.entryKey)
    }
    return member
  }

  private func subscribe(_ query: AnyQuery) -> Member {
    Member(
      key: query.entryKey,
      triggerCount: query.definition.triggers.count,
      subscription: client.subscribe(query.entryKey, query.definition, options: query.options)
    )
  }
}
