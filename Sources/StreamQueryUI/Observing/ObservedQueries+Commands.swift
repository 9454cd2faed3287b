internal import StreamQuery

extension ObservedQueries {
  /// Fetches all queries of the list, even if their data is fresh, and waits until all are settled.
  ///
  /// Failures are in the results. Queries that are disabled are left out. Cancelling the caller ends
  /// its wait and not the fetches, and is no error. Nothing is fetched by an object that does not
  /// observe.
  public func refetch() async { await perform { await $0.refetch($1) } }

  /// Marks all queries of the list as invalidated, and waits until those are fetched that are
  /// observed and enabled.
  public func invalidate() async { await perform { await $0.invalidate($1) } }

  /// Returns all queries of the list to their initial states, with initial data, and refetches those
  /// that are enabled.
  public func reset() async { await perform { await $0.reset($1) } }

  private func perform(_ command: (QueryClient, QueryFilter) async -> Void) async {
    guard let client = commandable else { return }
    await command(client, .queries(queries))
    arrivedNow()
  }

  /// The client, if commands do anything: in a preview, nothing changes unless that says so.
  private var commandable: QueryClient? {
    client.flatMap { Pump.prepared(for: $0) == nil ? $0 : nil }
  }

  // Commands that do not wait, for buttons. Where the caller is asynchronous, the compiler takes
  // those that wait. None keeps the object.

  /// Fetches without waiting.
  public func refetch() { withoutWaiting { await $0.refetch($1) } }

  /// Invalidates without waiting.
  public func invalidate() { withoutWaiting { await $0.invalidate($1) } }

  /// Resets without waiting.
  public func reset() { withoutWaiting { await $0.reset($1) } }

  private func withoutWaiting(
    _ command: @escaping @MainActor (QueryClient, QueryFilter) async -> Void
  ) {
    guard let client = commandable else { return }
    let filter = QueryFilter.queries(queries)
    // No executor preference: it runs on the main actor.
    Task { [weak self] in
      await command(client, filter)
      self?.arrivedNow()
    }
  }
}
