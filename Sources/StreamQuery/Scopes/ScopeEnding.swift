/// Erases what stores keep of an account.
struct ScopeEnding: Sendable {
  /// A store that may still keep something, and why.
  typealias Failure = (store: any QueryStore, error: QueryStoreError)

  let name: String
  let stores: [any QueryStore]

  /// Notes the end in all stores, then begins a generation in each, which erases what is there.
  ///
  /// A note is a short write, and outlives the process, whereas a wipe may take long. The note goes when
  /// the wipe is over. If that fails, the note stays, and the account is wiped once more before it is
  /// opened.
  ///
  /// - Returns: The stores that may still keep something.
  func run() async -> [Failure] {
    for store in stores {
      // If it cannot be noted, it can perhaps be wiped.
      try? await ScopeNotes(store: store).add(name)
    }
    var failures: [Failure] = []
    for store in stores {
      do {
        _ = try await store.wipe(ScopeNotes.partition(of: name))
      } catch {
        failures.append((store, error))
        continue
      }
      try? await ScopeNotes(store: store).remove(name)
    }
    return failures
  }
}
