public import StreamQuery

/// The partition of an account, with the accounts object that opened it and the stores of that object.
package struct AccountPlace: Sendable {
  let partition: StorePartition
  let stores: [any QueryStore]
  weak let accounts: QueryAccounts?

  /// Puts the account's partition and this place into the configuration of a client.
  package func set(in configuration: inout QueryClient.Configuration) {
    configuration.partition = partition
    configuration.keeping[AccountPlace.self] = self
  }

  /// Returns the stores in which a client has used the account's partition.
  func stores(usedBy client: QueryClient) -> [any QueryStore] {
    let persister = client.persister as? StorePersister
    var used = persister?.stores(of: partition) ?? []
    if let outbox = client.durableRuns as? OutboxEngine, outbox.partition == partition {
      used.append(outbox.store)
    }
    return used
  }

  /// Reports stores that a client has used but that the accounts object does not have, because the next
  /// launch could not erase them.
  ///
  /// Also reports that a client has used no store.
  ///
  /// - Parameters:
  ///   - client: A client of the account, which has ended or is being closed.
  ///   - name: The name of the account.
  func reportUnlisted(_ client: QueryClient, _ name: String) {
    let used = stores(usedBy: client)
    if used.contains(where: { store in !stores.contains { $0 === store } }) {
      client.report(.unlistedStore(account: name))
    }
    let facts = Facts(named: stores, used: used, hasEntries: client.entrySerial > 0)
    if let advice = facts.keepsNothing { client.report(.advice(advice)) }
  }
}

nonisolated extension QueryClient {
  /// The accounts object that made the client; `nil` if the client belongs to no account, or if the object is
  /// gone.
  @_spi(Adapters) public nonisolated var accounts: QueryAccounts? {
    configuration.keeping[AccountPlace.self]?.accounts
  }
}

extension AccountPlace: Adviser {
  package func advice(for client: QueryClient, isEarly: Bool) -> [QueryAdvice] {
    let facts = Facts(
      named: stores,
      used: stores(usedBy: client),
      // Early in a client's life, entries do not count, because all may belong to queries that are not saved.
      hasEntries: !isEarly && client.entrySerial > 0
    )
    return [facts.keepsNothing, facts.unlistedStore].compactMap(\.self)
  }
}

extension AccountPlace {
  /// The facts from which an account's advice is derived.
  struct Facts {
    /// The stores that the accounts object has.
    var named: [any QueryStore]
    /// The stores that the client of the account has used.
    var used: [any QueryStore]
    /// Whether the client has had entries, which it could have saved.
    var hasEntries: Bool

    /// The advice for an accounts object that has stores, while the account's client has used no store.
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

    /// The advice for a client that has used a store which the accounts object does not have.
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
