import Synchronization

/// Several subscriptions of one client that are read as a whole, and that can be replaced: an
/// ``ObservationGroup`` that retains its members.
///
/// All members are read under one lock, so an observer of the group sees a transaction that changes several
/// keys as one change. When the members are replaced, the observer sees either the old ones or the new ones,
/// never a mixture, and at least one element of the new ones.
package final class SubscriptionGroup: Sendable {
  let client: QueryClient
  private let group: ObservationGroup
  /// The observers; `nil` once the observation was cancelled.
  private let members: Mutex<[Subscription]?>

  /// Creates a group of observers.
  ///
  /// - Parameters:
  ///   - client: The client of all of them.
  ///   - members: The observers.
  ///   - isDue: Whether a first element comes even if no observer has news.
  init(_ client: QueryClient, _ members: [Subscription], isDue: Bool = false) {
    self.client = client
    group = ObservationGroup(client)
    self.members = Mutex(members)
    replaceMembers(by: members, isDue: isDue)
  }

  /// Creates a group of observers of one client.
  ///
  /// - Parameter observers: The observers; the result is `nil` unless they belong to one client.
  package convenience init?(ofOneClient observers: [Subscription]) {
    guard let client = observers.first?.client, observers.allSatisfy({ $0.client === client })
    else { return nil }
    self.init(client, observers)
  }

  /// The members, in the order of the group.
  var ids: [ObserverID] { members.withLock { $0 ?? [] }.map(\.id) }

  var isOver: Bool { client.cache.read { [number = group.number] in $0.isOver(number) } }

  /// Ends the observation of all members; a second call does nothing.
  package func cancel() {
    holding(self) {
      let members = members.withLock { $0.take() } ?? []
      let waits = client.cache.record { [number = group.number] in $0.endGroup(number) }
      for member in members { member.cancel() }
      for wait in waits { wait.give(()) }
    }
  }

  /// Replaces the members; former members that are not among the new ones end, in the former order.
  func replace(by members: [Subscription]) {
    let old = self.members.withLock { present -> [Subscription]? in
      guard let old = present else { return nil }
      present = members
      return old
    }
    // If the observation was cancelled, the new members end at once.
    guard let old else { return members.forEach { $0.cancel() } }
    replaceMembers(by: members, isDue: true)
    let ids = Set(members.map(ObjectIdentifier.init))
    for member in old where !ids.contains(ObjectIdentifier(member)) { member.cancel() }
  }

  private func replaceMembers(by members: [Subscription], isDue: Bool) {
    let (number, ids) = (group.number, members.map(\.id))
    let waits = client.cache.record { $0.replaceMembers(of: number, by: ids, isDue: isDue) }
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

  /// The state of all members, as soon as one has news, for a stream.
  ///
  /// A stream that is cancelled calls ``cancel()``, which ends this wait.
  ///
  /// ``Mailbox/next(whenSuspended:)`` says why this has no cancellation handler.
  func nextInStream() async -> [(snapshot: EntrySnapshot, flags: QueryFlags)]? {
    while true {
      switch look() {
      case .news(let results): return results
      case .over: return nil
      case .nothing: await waitForNews()
      }
    }
  }

  private func look() -> Poll<[(snapshot: EntrySnapshot, flags: QueryFlags)]> {
    if Task.isCancelled { cancel() }
    return client.cache.record { [number = group.number] in $0.poll(group: number) }
  }

  /// Waits until a member has news, or the members are replaced.
  private func waitForNews() async {
    let wait = SharedOneShot<Void>()
    switch client.cache.record({ [number = group.number] in $0.park(group: number, wait) }) {
    case .suspended, .suspendedBesideAnother:
      _ = await wait.wait {
        client.observerWaits(for: "news of several queries", self) { cancel() }
      }
    case .news: break
    case .ownFetch(let fetch):
      client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
  }

  /// The present results of all members, seen or unseen.
  func current() -> [(snapshot: EntrySnapshot, flags: QueryFlags)] {
    let ids = ids
    // This is a transaction, so that data counts as stale by the present time.
    return client.transaction { state, _ in
      ids.compactMap { id in state.find(id).map { state.shownSnapshot($0) } }
    }
  }
}
