@_spi(Adapters) internal import StreamQuery

extension ObservedQueries {
  /// Fetches all queries of the list, even if their data is fresh, and waits until all are settled.
  ///
  /// Failures are in the results. A query is omitted if it is static or if all of its observers are disabled,
  /// as in `QueryClient.refetch(_:superseding:)`. A fetch that already waits for the network counts as
  /// settled. Cancelling the caller ends its wait and not the fetches, and is no error. An object that does
  /// not observe fetches nothing.
  public func refetch() async { await perform { await $0.refetch($1) } }

  /// Invalidates all queries of the list, and waits until the observed and enabled ones are fetched.
  public func invalidate() async { await perform { await $0.invalidate($1) } }

  /// Puts all queries of the list back into their initial states, and refetches the enabled ones.
  public func reset() async { await perform { await $0.reset($1) } }

  private func perform(_ command: (QueryClient, QueryFilter) async -> Void) async {
    guard let client = commandable else { return }
    await command(client, .queries(queries))
    arrivedNow()
  }

  /// The client; `nil` in a preview, where commands have no effect.
  private var commandable: QueryClient? {
    client.flatMap { MainActorDelivery.prepared(for: $0) == nil ? $0 : nil }
  }

  // Commands that do not wait, for buttons. In an asynchronous caller, the compiler chooses the commands that
  // wait. No command retains the object.

  /// Fetches without waiting, in the next job of the main actor.
  ///
  /// Queries that have left the list by then are not fetched. Nothing is fetched if the object was released,
  /// was stopped or got another client.
  public func refetch() {
    guard let client = commandable else { return }
    let asked = Set(queries.map { QueryIdentity($0) })
    // The task has no executor preference, because the main actor would ignore one.
    Task { [weak self] in
      // A query that has left the list since the call would be fetched for nobody.
      guard let filter = self?.filter(of: asked, in: client) else { return }
      await client.refetch(filter)
      self?.arrivedNow()
    }
  }

  /// Invalidates all queries of the list without waiting.
  public func invalidate() {
    guard let (client, filter) = target else { return }
    client.markInvalidated(filter)
    arrivedNow()
  }

  /// Resets all queries of the list without waiting.
  public func reset() {
    guard let (client, filter) = target else { return }
    client.startReset(filter)
    arrivedNow()
  }

  /// Returns a filter for the asked queries that are still in the list; `nil` if the object does not observe
  /// the client any more.
  private func filter(of asked: Set<QueryIdentity>, in client: QueryClient) -> QueryFilter? {
    guard commandable === client else { return nil }
    return .queries(queries.filter { asked.contains(QueryIdentity($0)) })
  }

  private var target: (QueryClient, QueryFilter)? {
    commandable.map { ($0, .queries(queries)) }
  }
}
