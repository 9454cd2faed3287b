public import StreamQuery

/// The partition of an account in each store, its accounts object, and the stores of that.
package struct AccountPlace: Sendable {
  let partition: StorePartition
  let stores: [any QueryStore]
  weak let accounts: QueryAccounts?

  /// Sets the place of the account's data for a client.
  package func set(in configuration: inout QueryClient.Configuration) {
    configuration.partition = partition
    configuration.keeping[AccountPlace.self] = self
  }

  /// The stores that a client has used with the partition.
  func stores(usedBy client: QueryClient) -> [any QueryStore] {
    let persister = client.persister as? StorePersister
    var used = persister?.stores(of: partition) ?? []
    if let outbox = client.durableRuns as? OutboxEngine, outbox.partition == partition {
      used.append(outbox.store)
    }
    return used
  }
}

nonisolated extension QueryClient {
  /// The accounts object that has made the client; `nil` if the client is of no account, or if the object is gone.
  @_spi(Adapters) public nonisolated var accounts: QueryAccounts? {
    configuration.keeping[AccountPlace.self]?.accounts
  }
}

extension AccountPlace: Adviser {
  package func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice] {
    let facts = Facts(
      named: stores,
      used: stores(usedBy: client),
      // At first there may be only entries of queries that are not saved.
      hasEntries: !isEarly && client.entrySerial > 0
    )
    return [facts.keepsNothing, facts.unlistedStore].compactMap(\.self)
  }
}

extension AccountPlace {
  /// The facts about an account on which its advice depends.
  struct Facts {
    /// The stores that the accounts object has.
    var named: [any QueryStore]
    /// The stores that the client of the account has used.
    var used: [any QueryStore]
    /// Whether the client has had entries that it could have kept.
    var hasEntries: Bool

    /// Applies if the accounts object has stores, and the client has used none of any kind.
    var keepsNothing: QueryAdvice? {
      guard !named.isEmpty, used.isEmpty, hasEntries else { return nil }
      return QueryAdvice(
        rule: "accountKeepsNothing",
        problem: "An account keeps nothing, although QueryAccounts was given a store",
        reason: """
          QueryAccounts(in:) names the stores to erase; only a configuration or a query keeps data there
          """,
        remedy: """
          Write configuration.persistence = Persistence(in: store) in the closure of QueryAccounts(in:), or \
          QueryAccounts() for accounts that live in memory
          """,
        article: "AccountsAndTenants"
      )
    }

    /// Applies if the client has used a store that the accounts object does not have.
    var unlistedStore: QueryAdvice? {
      guard used.contains(where: { store in !named.contains { $0 === store } }) else { return nil }
      return QueryAdvice(
        rule: "unlistedStore",
        problem: "An account keeps data in a store that QueryAccounts was not given",
        reason: """
          If the process ends while the account ends, the next launch does not erase that data
          """,
        remedy: """
          Write QueryAccounts(in: store, other), with all stores of its configuration and queries
          """,
        article: "AccountsAndTenants"
      )
    }
  }
}
