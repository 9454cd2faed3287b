internal import StreamQuery

/// The queries that a view fetches ahead; another value if a key, or the client, is another one.
struct Prefetching: Sendable {
  private let keys: [AnyQueryKey]
  private let fetches: [@Sendable @MainActor (QueryClient) async -> Void]
  /// Of which client; `nil` fetches nothing.
  var client: QueryClient?

  init<each Value: Sendable>(_ query: repeat Query<each Value>, client: QueryClient? = nil) {
    var keys: [AnyQueryKey] = []
    var fetches: [@Sendable @MainActor (QueryClient) async -> Void] = []
    for query in repeat each query {
      keys.append(query.key.erased)
      fetches.append { client in
        if client.result(for: query).isEnabled { await client.prefetch(query) }
      }
    }
    (self.keys, self.fetches, self.client) = (keys, fetches, client)
  }

  /// Fetches those that are missing or stale and fetch by themselves, and waits.
  ///
  /// A cancellation, as by a view that disappears, ends the wait at once and the fetches a second later:
  /// the next view may want them.
  @MainActor
  func fetchAhead() async {
    // In a preview, nothing is fetched.
    guard let client, Pump.prepared(for: client) == nil else { return }
    // No executor preference: they run on the main actor. No children: they outlive the cancellation.
    let tasks = fetches.map { fetch in Task { await fetch(client) } }
    await withTaskCancellationHandler {
      for task in tasks { await task.value }
    } onCancel: {
      // No executor preference: it runs on the main actor.
      Task { @MainActor in
        try? await client.clock.sleep(for: .seconds(1))
        for task in tasks { task.cancel() }
      }
    }
  }
}

extension Prefetching: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.keys == other.keys && one.client === other.client
  }
}
