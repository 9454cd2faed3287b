/// Erases an ended account from all of its stores.
struct AccountEnding: Sendable {
  /// A store that failed to erase the account or its notes, and the error.
  typealias Failure = (store: any QueryStore, error: QueryStoreError)

  let name: String
  let stores: [any QueryStore]

  /// Writes a note in every store that the account has ended.
  ///
  /// A wipe may take long. If the process ends meanwhile, the next process finds the note and wipes
  /// the account's partition.
  func note() async {
    // The error is ignored: a store that cannot take a note may still be able to wipe the partition.
    _ = await failures { store throws(QueryStoreError) in
      try await AccountNotes(store: store).add(name)
    }
  }

  /// Writes a note of the account's end in each store, and then wipes the account's partition there.
  ///
  /// The stores work in parallel. A note in one of them is enough: the account is then not opened
  /// before it is erased.
  ///
  /// - Returns: The stores that may still have records.
  func erase() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      try? await AccountNotes(store: store).add(name)
      _ = try await store.wipe(AccountNotes.partition(of: name))
    }
  }

  /// Removes the notes of the account's end, after all stores have wiped the account's partition.
  ///
  /// - Returns: The stores that may still have a note. The account cannot be opened while a store has one.
  func removeNotes() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      // The store releases the partition before the note is removed. So the file of the empty partition is
      // deleted, even if the process is killed in between.
      await store.release(AccountNotes.partition(of: name))
      try await AccountNotes(store: store).remove(name)
    }
  }

  /// Removes the notes that a call wrote before it turned out that the call does not end the account.
  ///
  /// - Returns: The stores that may still have a note.
  func takeBack() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      try await AccountNotes(store: store).remove(name)
    }
  }

  /// Calls a closure for all stores at the same time, and returns the stores for which it threw.
  private func failures(
    _ body: @escaping @Sendable (any QueryStore) async throws(QueryStoreError) -> Void
  ) async -> [Failure] {
    await withTaskGroup(of: (Int, QueryStoreError)?.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          do throws(QueryStoreError) {
            try await body(store)
            return nil
          } catch {
            return (index, error)
          }
        }
      }
      var errors: [(Int, QueryStoreError)] = []
      for await case let error? in group { errors.append(error) }
      return errors.sorted { $0.0 < $1.0 }.map { (stores[$0.0], $0.1) }
    }
  }
}
