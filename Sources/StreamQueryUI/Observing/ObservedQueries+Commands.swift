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

  /// Fetches without waiting, in the next job of the main actor: what the list has then, and nothing
  /// if it is released before.
  public func refetch() {
    // No executor preference: it runs on the main actor.
    Task { [weak self] in
      // What it has by now: a fetch of what nobody observes would be nobody's.
      guard let (client, filter) = self?.target else { return }
      await client.refetch(filter)
      self?.arrivedNow()
    }
  }

  /// Invalidates without waiting.
  public func invalidate() {
    guard let (client, filter) = target else { return }
    client.markInvalidated(filter)
    arrivedNow()
  }

  /// Resets without waiting, in the next job of the main actor.
  public func reset() {
    guard let (client, filter) = target else { return }
    // No executor preference: it runs on the main actor.
    Task { [weak self] in
      await client.reset(filter)
      self?.arrivedNow()
    }
  }

  private var target: (QueryClient, QueryFilter)? {
    commandable.map { ($0, .queries(queries)) }
  }
}
