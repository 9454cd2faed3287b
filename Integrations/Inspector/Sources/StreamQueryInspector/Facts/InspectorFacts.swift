internal import Foundation
@_spi(Adapters) internal import StreamQuery
@_spi(Adapters) internal import StreamQueryPersistence

/// The facts about a client that are not in its record: the content of the event `facts` for a page.
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
    var usedCost: Int?

    /// Returns `nil` if the client limits nothing.
    init?(_ limits: QueryClient.Limits) {
      guard limits.maxFetches != nil || limits.maxEntries != nil || limits.maxCost != nil else {
        return nil
      }
      (fetches, running, waiting) = (
        limits.maxFetches, limits.runningFetches, limits.waitingFetches
      )
      (entries, cost, usedCost) = (limits.maxEntries, limits.maxCost, limits.cost)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      // `encode` writes a missing limit as null.
      try container.encode(fetches, forKey: .fetches)
      try container.encode(running, forKey: .running)
      try container.encode(waiting, forKey: .waiting)
      try container.encode(entries, forKey: .entries)
      try container.encode(cost, forKey: .cost)
      try container.encodeIfPresent(usedCost, forKey: .usedCost)
    }

    private enum CodingKeys: CodingKey {
      case fetches, running, waiting, entries, cost, usedCost
    }
  }

  struct Conditions: Encodable, Sendable {
    var offline: Bool
    var delay: Double
    var failing: Int

    init(_ conditions: ClientConditions) {
      offline = conditions.isOffline
      failing = conditions.failingCount
      delay = conditions.delay / .seconds(1)
    }
  }

  /// A mutation run in the outbox, without its input.
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

  /// A store that the client uses.
  struct Store: Encodable, Sendable {
    var name: String
    var partition: String
    var keeps: String
    var state: String
    var records: Int
    var pending: Int
    var error: String?
    var writeError: String?

    /// The stores of a client; stores of one name also have numbers, in the order of their first uses.
    static func all(of client: QueryClient) -> [Self] {
      let statuses = client.storeStatuses.prefix(InspectorFacts.listLimit)
      var known: [String: [ObjectIdentifier]] = [:]
      for status in statuses where known[status.name]?.contains(status.identity) != true {
        known[status.name, default: []].append(status.identity)
      }
      return statuses.map { status in
        var store = Self(status)
        if let same = known[store.name], same.count > 1,
          let place = same.firstIndex(of: status.identity)
        {
          store.name += " #\(place + 1)"
        }
        return store
      }
    }

    private init(_ status: StoreStatus) {
      name = status.name
      partition = "\(status.partition)"
      keeps =
        switch status.content {
        case .queries: "queries"
        case .runs: "outbox"
        }
      (state, error) =
        switch status.state {
        case .reading: ("reading", nil)
        case .failing(let error): ("failing", "\(error)")
        case .open: ("open", nil)
        case .closed(let error): ("closed", "\(error)")
        }
      (records, pending) = (status.recordCount, status.pendingCount)
      writeError = status.writeError?.description
    }
  }

  /// An account of the `QueryAccounts` that made the client.
  struct Account: Encodable, Sendable {
    var name: String
    /// Whether the inspected client belongs to this account.
    var isCurrent = false
    var state: String
    /// The number of entries in the cache of the account's client; `nil` after the account has ended.
    var entries: Int?

    /// Describes an open account.
    init(_ account: QueryAccount, isCurrent: Bool) {
      name = account.name
      self.isCurrent = isCurrent
      state = "open"
      entries = account.client.limits.entryCount
    }

    /// Describes an account that has ended, but that a store could not erase.
    init(notErased name: String) {
      self.name = name
      state = "not erased"
    }

    /// All accounts of the `QueryAccounts` that made a client; `nil` if the client belongs to no account.
    static func all(of client: QueryClient) -> [Self]? {
      guard let accounts = client.accounts else { return nil }
      return accounts.opened.map { Self($0, isCurrent: $0.client === client) }
        + accounts.unfinishedNames.map(Self.init(notErased:))
    }
  }

  /// The maximum number of elements in each of the lists below, because a page shows no more.
  static let listLimit = 1_000

  var client: String
  var allows: Permissions
  var lookups: Lookups
  var limits: Limits?
  var outbox: [Item]
  var stores: [Store]
  var accounts: [Account]?
  var conditions: Conditions?

  init(_ client: QueryClient, named name: String, allows permissions: Permissions) {
    self.client = name
    allows = permissions
    lookups = Lookups(client.lookups)
    limits = Limits(client.limits)
    outbox = client.outbox.currentItems.prefix(Self.listLimit).map(Item.init)
    stores = Store.all(of: client)
    accounts = Account.all(of: client).map { Array($0.prefix(Self.listLimit)) }
    conditions = client.conditions.map(Conditions.init)
  }
}

extension StoreStatus {
  fileprivate var identity: ObjectIdentifier { ObjectIdentifier(store) }
}
