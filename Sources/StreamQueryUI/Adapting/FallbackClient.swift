internal import StreamQuery
internal import Synchronization

/// The client of views that were given none.
enum FallbackClient {
  private struct State {
    var make: @Sendable () -> QueryClient = { QueryClient() }
    var client: QueryClient?
  }

  private static let state = Mutex(State())

  /// Makes it; tests replace this.
  static var make: @Sendable () -> QueryClient {
    get { state.withLock { $0.make } }
    set {
      // The former one is released after unlocking.
      _ = state.withLock { state in
        defer { state.make = newValue }
        return state.make
      }
    }
  }

  /// The client, made when something needs it first, on any thread; that is reported.
  static func taken() -> QueryClient {
    ViewMisuse.noClient.report()
    let (client, make) = state.withLock { ($0.client, $0.make) }
    if let client { return client }
    let new = make()
    // Another thread may have been first.
    return state.withLock { state in
      let client = state.client ?? new
      state.client = client
      return client
    }
  }

  /// Lets go of the client, for tests.
  static func forget() {
    // Released after unlocking.
    _ = state.withLock { $0.client.take() }
  }
}
