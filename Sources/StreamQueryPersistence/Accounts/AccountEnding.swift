/// Erases an account in its stores.
struct AccountEnding: Sendable {
  /// A store that may still have records of the account, and the reason.
  typealias Failure = (store: any QueryStore, error: QueryStoreError)

  let name: String
  let stores: [any QueryStore]

  /// Notes the end in all stores.
  ///
  /// A note is a short write and outlives the process, while a wipe may take long.
  func note() async {
    // A store that cannot take a note can perhaps be wiped.
    _ = await failures { store throws(QueryStoreError) in
      try await AccountNotes(store: store).add(name)
    }
  }

  /// Notes the end in each store, and then begins a generation there, which erases its records.
  ///
  /// No store waits for another: one note is enough for all of them.
  ///
  /// - Returns: The stores that may still have records.
  func erase() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      try? await AccountNotes(store: store).add(name)
      _ = try await store.wipe(AccountNotes.partition(of: name))
    }
  }

  /// Removes the notes, after all stores are erased.
  ///
  /// - Returns: The stores that may still have a note: while one has, the account is not opened.
  func removeNotes() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      // The store releases the partition before the note goes. So the file of an empty partition goes too,
      // even if the process is killed in between.
      await store.release(AccountNotes.partition(of: name))
      try await AccountNotes(store: store).remove(name)
    }
  }

  /// Removes the notes of an end that came too late, because the account is open again.
  ///
  /// - Returns: The stores that may still have a note.
  func takeBack() async -> [Failure] {
    await failures { store throws(QueryStoreError) in
      try await AccountNotes(store: store).remove(name)
    }
  }

  /// Calls all stores at the same time.
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
