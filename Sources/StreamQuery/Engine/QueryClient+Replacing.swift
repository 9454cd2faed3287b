internal import Synchronization

nonisolated extension QueryClient {
  /// Restores the defaults of the configuration.
  ///
  /// The defaults of mutations are removed, because the configuration has none.
  func forgetDefaults() {
    let defaults = configuration.defaults.over(configuration.preset)
    replaceDefaults(isErasing: true) { $0.replacing(client: defaults, prefixes: []) }
    replaceMutationDefaults(isErasing: true) { _ in MutationDefaultsTable() }
  }

  /// Replaces the defaults of mutations.
  ///
  /// After the client was erased, only the erasure itself may replace them.
  func replaceMutationDefaults(
    isErasing: Bool = false,
    _ change: (MutationDefaultsTable) -> MutationDefaultsTable
  ) {
    let old = mutationDefaults.withLock { table -> MutationDefaultsTable in
      let old = table
      // `isErased` is checked under the lock, so that the erasure forgets all earlier changes.
      if isErasing || !isErased { table = change(old) }
      return old
    }
    // The closures of the old table are user code, and are released outside the lock.
    _ = old
  }

  func replaceDefaults(
    isErasing: Bool = false,
    _ change: (DefaultsTable) -> DefaultsTable
  ) {
    let old = transaction {
      state,
      transaction -> (DefaultsTable, [ObjectIdentifier: StoredQuery])? in
      // `isErased` is checked under the lock, so that the erasure forgets all earlier changes.
      if isErased, !isErasing { return nil }
      let old = (state.defaults.table, state.bareQueries)
      state.replaceDefaults(change(old.0), &transaction)
      state.bareQueries = [:]
      return old
    }
    // The closures of the old table are user code, and are released outside the lock.
    _ = old
  }
}
