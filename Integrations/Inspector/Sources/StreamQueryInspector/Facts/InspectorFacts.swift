internal import Foundation
@_spi(Adapters) internal import StreamQuery
internal import StreamQueryPersistence

/// The facts about a client that no record has: the event `facts` of a page.
struct InspectorFacts: Encodable, Sendable {
  struct Permissions: Encodable, Sendable {
    var values: Bool
    var actions: Bool
  }

  struct Lookups: Encodable, Sendable {
    var hits, staleHits, joined, misses, failures: Int

    init(_ counts: LookupCounts) {
      (hits, staleHits, joined) = (counts.hits, counts.staleHits, counts.joined)
      (misses, failures) = (counts.misses, counts.failures)
    }
  }

  struct Limits: Encodable, Sendable {
    var fetches: Int?
    var running: Int
    var waiting: Int
    var entries: Int?
    var cost: Int?

    /// `nil` if nothing is limited.
    init?(_ limits: QueryClient.Limits) {
      guard limits.maxFetches != nil || limits.maxEntries != nil || limits.maxCost != nil else {
        return nil
      }
      (fetches, running, waiting) = (
        limits.maxFetches, limits.runningFetches, limits.waitingFetches
      )
      (entries, cost) = (limits.maxEntries, limits.maxCost)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      // A missing limit is there as null.
      try container.encode(fetches, forKey: .fetches)
      try container.encode(running, forKey: .running)
      try container.encode(waiting, forKey: .waiting)
      try container.encode(entries, forKey: .entries)
      try container.encode(cost, forKey: .cost)
    }

    private enum CodingKeys: CodingKey {
      case fetches, running, waiting, entries, cost
    }
  }

  struct Conditions: Encodable, Sendable {
    var offline: Bool
    var delay: Double

    init(_ conditions: ClientConditions) {
      offline = conditions.isOffline
      delay = conditions.delay / .seconds(1)
    }
  }

  /// A run that waits in the outbox, without its input.
  struct Item: Encodable, Sendable {
    var id: String
    var mutation: String
    var state: String
    var attempts: Int
    var scope: String?
    var waitsFor: String?
    var error: String?

    init(_ item: OutboxItem) {
      id = item.id.uuidString
      mutation = item.mutation
      attempts = item.attempts
      scope = item.scope
      error = item.error.map { "\($0)" }
      (state, waitsFor) =
        switch item.state {
        case .saving: ("waiting", "store")
        case .waiting: ("waiting", nil)
        case .sending: ("sending", nil)
        case .stopped: ("stopped", "answer")
        case .unregistered: ("stopped", "mutation")
        }
      if case .stopped(let error) = item.state { self.error = "\(error)" }
    }
  }

  var client: String
  var allows: Permissions
  var lookups: Lookups
  var limits: Limits?
  var outbox: [Item]
  var conditions: Conditions?
}
