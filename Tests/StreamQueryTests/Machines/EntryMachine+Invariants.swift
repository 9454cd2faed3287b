@testable import StreamQuery

extension EntryMachine {
  /// The rules that the current state breaks; empty if all is well.
  ///
  /// - Parameter now: The time of the last input.
  /// - Returns: The broken rules.
  func brokenInvariants(at now: Instant) -> [String] {
    var broken: [String] = []
    func rule(_ name: String, _ holds: Bool) { if !holds { broken.append(name) } }
    checkObservers(rule)
    checkFetch(rule)
    checkOutcome(rule)
    if case .none(let toldUntil) = mark {
      rule("what was told of lies in the past", toldUntil <= now)
    }
    rule("the data was invalidated in the past", invalidatedAt ?? now <= now)
    rule("the ticks dealt with lie in the past", polledUntil <= now)
    rule("the last tick lies in the past", lastTick <= now)
    rule("nobody stopped wanting the entry in the future", unwantedSince <= now)
    return broken
  }

  private func checkObservers(_ rule: (String, Bool) -> Void) {
    rule("observers are those of the groups", observerCount == groups.reduce(0) { $0 + $1.count })
    rule(
      "enabled observers are those of enabled groups",
      enabledCount == groups.reduce(0) { $0 + ($1.resolvedOptions.isEnabled ? $1.count : 0) }
    )
    rule("no group is empty", groups.allSatisfy { $0.count > 0 })
    rule("groups have distinct options", Set(groups.map(\.resolvedOptions)).count == groups.count)
    for group in groups {
      rule("only polling groups keep bases", group.resolvedOptions.polls || group.bases.isEmpty)
      rule("no more bases than observers", group.bases.count <= group.count)
      rule("bases are in order", zip(group.bases, group.bases.dropFirst()).allSatisfy { $0 <= $1 })
      rule("bases are later than the last tick", group.bases.allSatisfy { $0 > lastTick })
    }
  }

  private func checkFetch(_ rule: (String, Bool) -> Void) {
    rule("waiters are not negative", waiterCount >= 0)
    guard let current = fetch else {
      rule("who waits, waits for a fetch", waiterCount == 0)
      return
    }
    rule("the fetch in flight is the newest", current.id.rawValue == fetchSerial)
    rule("a fetch in flight has a cause", cause != nil)
    rule("supersessions are bounded", current.supersessions <= Self.supersessionLimit)
    rule("nobody wants a fetch that lingers", !(current.lingersUntil != nil && isWanted))
    rule("nobody waits for a last attempt", !(current.stopsRetrying && waiterCount > 0))
    rule(
      "somebody wants a fetch, or it is abandoned",
      isWanted || current.hasClientLease || current.isAbandoned || mayLingerForEver
    )
    switch current.stage {
    case .running: break
    case .waiting: rule("who waits to retry has failed", failureCount > 0)
    case .deferred:
      rule("a fetch that is held back has not failed", failureCount == 0)
      rule("there is no data if a fetch is held back", !hasData)
    case .paused(before: .firstAttempt):
      rule("a fetch that is paused before its start has not failed", failureCount == 0)
      rule(
        "only online fetches pause before their start",
        current.fetchOptions.networkMode == .online
      )
    case .paused(before: .retry): rule("who is paused before a retry has failed", failureCount > 0)
    }
  }

  /// Whether a fetch that nobody wants may go on for ever: then it has no time at which it is
  /// cancelled.
  private var mayLingerForEver: Bool {
    fetch?.fetchOptions.abandonment == .linger(.infinite)
      || fetch?.lingerPromise?.span == .infinite
  }

  private func checkOutcome(_ rule: (String, Bool) -> Void) {
    rule("data has a date", hasData == (dataUpdatedAt != .never))
    rule("updates leave data", hasData || dataUpdateCount == 0)
    rule("an error was counted", !isError || errorUpdateCount > 0)
    rule("errors have a date", (errorUpdateCount > 0) == (errorUpdatedAt != .never))
  }
}
