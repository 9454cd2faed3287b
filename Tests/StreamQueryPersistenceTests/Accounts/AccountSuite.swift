import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

/// Tests of accounts whose queries are kept in a ``SlowStore``.
protocol AccountSuite {
  var simulation: Simulation { get }
  var store: SlowStore { get }
}

extension AccountSuite {
  var key: QueryKey<String> { ["secret"] }

  /// Accounts that keep all their queries in the store.
  ///
  /// - Parameter other: Another store that they may use.
  /// - Returns: The accounts.
  func accounts(_ other: SlowStore? = nil) -> QueryAccounts {
    QueryAccounts(in: store, other ?? store, simulation: simulation) { [store] _, configuration in
      configuration.persistence = Persistence(in: store)
    }
  }

  /// The values that are kept for an account.
  func kept(_ name: String, in other: SlowStore? = nil) -> [String] {
    (other ?? store).memory.load(StorePartition("account/" + name)).records
      .map { String(decoding: $0.value.dropFirst(12), as: UTF8.self) }
  }

  var notes: [String] { store.memory.load("accounts").records.map(\.key) }

  func kind(of error: (any Error)?) -> String {
    switch error as? QueryAccountError {
    case .notErased(let name, let errors): "not erased: \(name), \(errors.count)"
    case .unreadable: "unreadable"
    case .notSaved(let name, _): "not saved: \(name)"
    case .openedAgain(let name): "opened again: \(name)"
    case nil: error.map { "\($0)" } ?? "none"
    }
  }

  /// What a call throws.
  func kind(of body: () async throws -> Void) async -> String {
    do { try await body() } catch { return kind(of: error) }
    return "none"
  }
}
