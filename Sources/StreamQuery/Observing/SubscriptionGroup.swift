import Synchronization

/// Several subscriptions of one client that are read together, and that can be replaced.
///
/// All members are read under one lock, so an observer of the group sees a transaction that changes
/// several keys as one change. It sees either the old members or the new ones, and at least one
/// element of the new ones.
package final class SubscriptionGroup: Sendable {
  private struct State {
    var members: [Subscription]
    var ids: [ObserverID]
    /// Whether an element is due although no member has news, because there are new members.
    var isNew: Bool
    /// The number of replacements.
    var serial = 0
    var isCancelled = false
    /// The waits; more than one only if several tasks iterate the same stream.
    var waits: [SharedOneShot<Void>] = []
    /// See ``endWithClient()``.
    var ending: Int?
  }

  let client: QueryClient
  private let state: Mutex<State>

  /// Creates a group of observers.
  ///
  /// - Parameters:
  ///   - client: The client of all of them.
  ///   - members: The observers.
  ///   - isNew: Whether there is an element even if no observer has news.
  init(_ client: QueryClient, _ members: [Subscription], isNew: Bool = false) {
    self.client = client
    state = Mutex(State(members: members, ids: members.map(\.id), isNew: isNew))
  }

  /// Creates a group of observers of one client.
  ///
  /// - Parameter observers: The observers; the result is `nil` unless they belong to one client.
  package convenience init?(ofOneClient observers: [Subscription]) {
    guard let client = observers.first?.client, observers.allSatisfy({ $0.client === client })
    else { return nil }
    self.init(client, observers)
  }

  deinit {
    if let ending = state.withLock({ $0.ending }) { client.shutdownHandlers.remove(ending) }
  }

  /// Ends the group with the client even if it has no member that would.
  func endWithClient() {
    let ending = client.shutdownHandlers.add { [weak self] in self?.cancel() }
    if let ending { state.withLock { $0.ending = ending } } else { cancel() }
  }

  /// The members, in their order.
  var ids: [ObserverID] { state.withLock { $0.ids } }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the observation of all members; a second call does nothing.
  package func cancel() {
    holding(self) {
      let (members, waits) = state.withLock { state in
        state.isCancelled = true
        defer { state.waits = [] }
        return (state.members, state.waits)
      }
      for member in members { member.cancel() }
      for wait in waits { wait.give(()) }
    }
  }

  /// Replaces the members; former members that are not among the new ones end, in their order.
  func replace(by members: [Subscription]) {
    let (old, kept, waits) = state.withLock {
      state -> ([Subscription], [Subscription], [SharedOneShot<Void>]) in
      guard !state.isCancelled else { return (members, [], []) }
      defer {
        state.members = members
        state.ids = members.map(\.id)
        state.isNew = true
        state.serial += 1
        state.waits = []
      }
      return (state.members, members, state.waits)
    }
    let ids = Set(kept.map(ObjectIdentifier.init))
    for member in old where !ids.contains(ObjectIdentifier(member)) { member.cancel() }
    for wait in waits { wait.give(()) }
  }

  // MARK: Looking

  /// The state of all members, as soon as one has news; `nil` when one of them has ended.
  ///
  /// - Parameter isolation: The caller's isolation, which is kept.
  /// - Returns: Snapshot and flags of every member, in their order.
  package func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> [(snapshot: EntrySnapshot, flags: QueryFlags)]? {
    switch look() {
    case .news(let results): return results
    case .over: return nil
    case .nothing: break
    }
    return await withTaskCancellationHandler {
      _ = isolation
      return await nextInStream()
    } onCancel: {
      cancel()
    }
  }

  /// Does the same for a stream, whose cancellation ends the observation and with it the wait.
  ///
  /// ``Mailbox/next(whenSuspended:)`` says why it has no cancellation handler.
  func nextInStream() async -> [(snapshot: EntrySnapshot, flags: QueryFlags)]? {
    while true {
      switch look() {
      case .news(let results): return results
      case .over: return nil
      case .nothing: await wait()
      }
    }
  }

  private func look() -> Poll<[(snapshot: EntrySnapshot, flags: QueryFlags)]> {
    if Task.isCancelled { cancel() }
    let (ids, serial, isNew, isOver) = state.withLock {
      ($0.ids, $0.serial, $0.isNew, $0.isCancelled)
    }
    if isOver { return .over }
    let result = client.cache.record { $0.poll(ids, isNew: isNew) }
    switch result {
    case .news where isNew: state.withLock { if $0.serial == serial { $0.isNew = false } }
    // Unless a member was only replaced, this is the end.
    case .over where state.withLock { $0.serial != serial }: return .nothing
    case .news, .over, .nothing: break
    }
    return result
  }

  /// Waits for news of a member, or for other members.
  private func wait() async {
    let wait = SharedOneShot<Void>()
    let ids = state.withLock { state -> [ObserverID]? in
      guard !state.isNew, !state.isCancelled else { return nil }
      state.waits.removeAll(where: \.isSettled)
      state.waits.append(wait)
      return state.ids
    }
    guard let ids else { return }
    switch client.cache.record({ $0.park(ids, wait) }) {
    case .suspended, .suspendedBesideAnother:
      _ = await wait.take {
        client.observerWaits(for: "news of several queries", self) { cancel() }
      }
    // A member had news after all, so the wait that suspended members hold is over.
    case .news: wait.close()
    case .pointless(let fetch):
      client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
  }

  /// The present results of all members, seen or unseen.
  func current() -> [(snapshot: EntrySnapshot, flags: QueryFlags)] {
    let ids = state.withLock { $0.ids }
    // A transaction, so that staleness is judged now.
    return client.transaction { state, _ in
      ids.compactMap { id in state.find(id).map { state.view($0) } }
    }
  }
}
