import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

/// Tests of accounts whose queries are kept in a ``SlowStore``.
protocol ScopeSuite {
  var simulation: Simulation { get }
  var store: SlowStore { get }
}

extension ScopeSuite {
  var key: QueryKey<String> { ["secret"] }

  /// Accounts that keep all their queries in the store.
  ///
  /// - Parameter other: Another store that they may use.
  /// - Returns: The accounts.
  func scopes(_ other: SlowStore? = nil) -> QueryScopes {
    QueryScopes(in: store, other ?? store, simulation: simulation) { [store] _, configuration in
      configuration.persistence = Persistence(in: store)
    }
  }

  /// The values that are kept for an account.
  func kept(_ name: String, in other: SlowStore? = nil) -> [String] {
    (other ?? store).memory.load(StorePartition("scope/" + name)).records
      .map { String(decoding: $0.value.dropFirst(12), as: UTF8.self) }
  }

  var notes: [String] { store.memory.load("scopes").records.map(\.key) }

  func kind(of error: (any Error)?) -> String {
    switch error as? QueryScopeError {
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
