internal import StreamQuery

/// The queries that a view fetches ahead.
///
/// When a view is drawn with an unequal value, SwiftUI starts the task of `prefetch(_:)` again. Two values
/// are equal if they have the same keys and the same client, and if the same queries were enabled when the
/// client was set.
struct Prefetching: Sendable {
  private let keys: [AnyQueryKey]
  private let asks: [@Sendable (QueryClient) -> Bool]
  private let fetches: [@Sendable @MainActor (QueryClient) async -> Void]
  /// Whether each query was enabled when the client was set.
  private var areEnabled: [Bool] = []
  /// The client; with `nil`, nothing is fetched.
  var client: QueryClient? { didSet { noteEnabled() } }

  init<each Value: Sendable>(_ query: repeat Query<each Value>, client: QueryClient? = nil) {
    var keys: [AnyQueryKey] = []
    var asks: [@Sendable (QueryClient) -> Bool] = []
    var fetches: [@Sendable @MainActor (QueryClient) async -> Void] = []
    for query in repeat each query {
      keys.append(query.key.erased)
      asks.append { $0.result(for: query).isEnabled }
      fetches.append { await Self.fetch(query, by: $0) }
    }
    (self.keys, self.asks, self.fetches, self.client) = (keys, asks, fetches, client)
    noteEnabled()
  }

  @MainActor
  private static func fetch<Value>(_ query: Query<Value>, by client: QueryClient) async {
    // A query does not count as enabled before its store is read. The disabled observer waits for the end of
    // the reading, and fetches nothing.
    if client.result(for: query).isRestoring {
      let results = client.results(of: query, options: ObserverOptions(enabled: false))
      for await result in results where !result.isRestoring { break }
    }
    if client.result(for: query).isEnabled { await client.prefetch(query) }
  }

  private mutating func noteEnabled() {
    areEnabled = if let client { asks.map { $0(client) } } else { [] }
  }

  /// Fetches the queries that are enabled and stale or missing, and waits.
  ///
  /// If the task is cancelled, for example because its view disappears, the fetches and the wait end a second
  /// later, because the next view may want the same queries. A call in a cancelled task fetches nothing.
  @MainActor
  func fetchAhead() async {
    // In a preview, nothing is fetched.
    guard !Task.isCancelled, let client, MainActorDelivery.prepared(for: client) == nil else {
      return
    }
    // The tasks have no executor preference, because the main actor would ignore one. They are no child
    // tasks, because they go on for a second after a cancellation.
    let tasks = fetches.map { fetch in Task { await fetch(client) } }
    await withTaskCancellationHandler {
      for task in tasks { await task.value }
    } onCancel: {
      // The task has no executor preference, because the main actor would ignore one.
      Task { @MainActor in
        try? await client.clock.sleep(for: .seconds(1))
        for task in tasks { task.cancel() }
      }
    }
  }
}

extension Prefetching: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.keys == other.keys && one.client === other.client && one.areEnabled == other.areEnabled
  }
}
