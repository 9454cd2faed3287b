/// Several observers of one client that look together: whole turns, never half of one.
///
/// All members are read under one lock, so that a call which changes several keys in one turn is
/// seen as one change by a consumer of all of them.
package final class JointSubscription: Sendable {
  private let members: [Subscription]
  private let ids: [ConsumerID]

  init(_ members: [Subscription]) {
    self.members = members
    ids = members.map(\.id)
  }

  /// Creates a joint view of observers that may be of several clients.
  ///
  /// - Parameter observers: The observers; `nil` comes back unless they are of one client.
  package convenience init?(ofOneClient observers: [Subscription]) {
    guard let client = observers.first?.client, observers.allSatisfy({ $0.client === client })
    else { return nil }
    self.init(observers)
  }

  /// Ends the observation of all; a second time is a no-op.
  package func cancel() {
    holding(self) {
      for member in members { member.cancel() }
    }
  }

  /// The state of all, as soon as any has news; `nil` when one of them is over.
  ///
  /// - Parameter isolation: The caller's isolation, which is kept.
  /// - Returns: Frame and flags of every member, in their order.
  package func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> [(frame: Frame, flags: QueryFlags)]? {
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

  /// The same for a stream that ends the observation when it is cancelled, which ends the wait; see
  /// ``Hub/next(_:)`` for why there is no handler here.
  func nextInStream() async -> [(frame: Frame, flags: QueryFlags)]? {
    while true {
      switch look() {
      case .results(let results): return results
      case .ended: return nil
      case .nothing: break
      }
      await withUnsafeContinuation { park($0) }
    }
  }

  private func look() -> JointPull {
    if Task.isCancelled {
      cancel()
      return .ended
    }
    guard let cache = members.first?.client.cache else { return .ended }
    return cache.record { [ids] in $0.pull(ids) }
  }

  private func park(_ continuation: UnsafeContinuation<Void, Never>) {
    let wait = JointWait(continuation)
    switch members.first?.client.cache.record({ [ids] in $0.park(ids, wait) }) {
    case .parked, .parkedBesideAnother:
      members.first?.client.consumerWaits(for: "news of several queries", self) { cancel() }
      return
    // One of them had news after all: those that are parked already hold a wait that is over.
    case .news, nil: break
    case .pointless(let fetch):
      members.first?.client.report(.streamInsideFetch(key: fetch.key.key.description))
      cancel()
    }
    wait.wake()
  }
}

/// What a joint consumer finds when it looks.
enum JointPull: Sendable {
  case results([(frame: Frame, flags: QueryFlags)])
  case nothing
  case ended
}

extension CacheState {
  /// What several consumers see, if any of them has something new, or the list of them is new.
  mutating func pull(_ ids: [ConsumerID], isNew: Bool = false) -> JointPull {
    var hasNews = isNew
    var results: [(frame: Frame, flags: QueryFlags)] = []
    results.reserveCapacity(ids.count)
    for id in ids {
      guard let index = find(id) else { return .ended }
      let (frame, flags) = view(index)
      if frame.version != consumers[index].seenVersion || flags != consumers[index].seenFlags {
        hasNews = true
        consumers[index].seenVersion = frame.version
        consumers[index].seenFlags = flags
      }
      results.append((frame, flags))
    }
    return hasNews ? .results(results) : .nothing
  }
}
