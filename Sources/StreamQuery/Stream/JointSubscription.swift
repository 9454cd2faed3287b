/// Several observers of one client that are read together: they see whole transactions, never half
/// of one.
///
/// All members are read under one lock, so an observer of all of them sees a call that changes
/// several keys in one transaction as one change.
package final class JointSubscription: Sendable {
  private let members: [Subscription]
  private let ids: [ObserverID]

  init(_ members: [Subscription]) {
    self.members = members
    ids = members.map(\.id)
  }

  /// Creates a joint view of observers, if they belong to one client.
  ///
  /// - Parameter observers: The observers; the result is `nil` unless they belong to one client.
  package convenience init?(ofOneClient observers: [Subscription]) {
    guard let client = observers.first?.client, observers.allSatisfy({ $0.client === client })
    else { return nil }
    self.init(observers)
  }

  /// Ends the observation of all; a second call does nothing.
  package func cancel() {
    holding(self) {
      for member in members { member.cancel() }
    }
  }

  /// The state of all, as soon as any has news; `nil` when one of them has ended.
  ///
  /// - Parameter isolation: The caller's isolation, which is kept.
  /// - Returns: Snapshot and flags of every member, in their order.
  package func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> [(snapshot: EntrySnapshot, flags: QueryFlags)]? {
    while true {
      switch look() {
      case .results(let results): return results
      case .ended: return nil
      case .nothing: break
      }
      await withTaskCancellationHandler {
        _ = isolation
        await withUnsafeContinuation(isolation: isolation) { park($0) }
      } onCancel: {
        cancel()
      }
    }
  }

  /// The same for a stream whose own cancellation ends the observation, and with it the wait; see
  /// ``Mailbox/next(whenSuspended:)`` for why there is no handler here.
  func nextInStream() async -> [(snapshot: EntrySnapshot, flags: QueryFlags)]? {
    while true {
      switch look() {
      case .results(let results): return results
      case .ended: return nil
      case .nothing: break
      }
      await withUnsafeContinuation { park($0) }
    }
  }

  private func look() -> JointPollResult {
    if Task.isCancelled {
      cancel()
      return .ended
    }
    guard let cache = members.first?.client.cache else { return .ended }
    return cache.record { [ids] in $0.poll(ids) }
  }

  private func park(_ continuation: UnsafeContinuation<Void, Never>) {
    let wait = JointWait(continuation)
    switch members.first?.client.cache.record({ [ids] in $0.park(ids, wait) }) {
    case .suspended, .suspendedBesideAnother:
      members.first?.client.observerWaits(for: "news of several queries", self) { cancel() }
      return
    // One of them had news after all: the others are suspended with a wait that is over.
    case .news, nil: break
    case .pointless(let fetch):
      members.first?.client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
    wait.wake()
  }
}

/// The result of a joint observer's look.
enum JointPollResult: Sendable {
  case results([(snapshot: EntrySnapshot, flags: QueryFlags)])
  case nothing
  case ended
}

extension CacheState {
  /// What several observers see, if any of them has news or the list of them is new.
  mutating func poll(_ ids: [ObserverID], isNew: Bool = false) -> JointPollResult {
    var hasNews = isNew
    var results: [(snapshot: EntrySnapshot, flags: QueryFlags)] = []
    results.reserveCapacity(ids.count)
    for id in ids {
      guard let index = find(id) else { return .ended }
      let (snapshot, flags) = view(index)
      if snapshot.version != observers[index].seenVersion || flags != observers[index].seenFlags {
        hasNews = true
        observers[index].seenVersion = snapshot.version
        observers[index].seenFlags = flags
      }
      results.append((snapshot, flags))
    }
    return hasNews ? .results(results) : .nothing
  }
}
