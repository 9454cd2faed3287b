internal import StreamQuery
internal import Synchronization

/// The client that all views share for which no view around them has set one.
enum FallbackClient {
  private struct State {
    var make: @Sendable () -> QueryClient = { QueryClient() }
    var client: QueryClient?
  }

  private static let state = Mutex(State())

  /// Makes the client; tests replace this closure.
  static var make: @Sendable () -> QueryClient {
    get { state.withLock { $0.make } }
    set {
      // The former closure is released after the unlock, because its release may run user code.
      _ = state.withLock { state in
        defer { state.make = newValue }
        return state.make
      }
    }
  }

  /// Returns the client, which the first call makes; each call reports ``ViewMisuse/noClient``.
  ///
  /// It may be called on any thread.
  static func taken() -> QueryClient {
    ViewMisuse.noClient.report()
    let (client, make) = state.withLock { ($0.client, $0.make) }
    if let client { return client }
    let new = make()
    // Another thread may have made a client meanwhile; then that client is used.
    return state.withLock { state in
      let client = state.client ?? new
      state.client = client
      return client
    }
  }

  /// Releases the client, for tests.
  static func reset() {
    // The client is released after the unlock, because its release may run user code.
    _ = state.withLock { $0.client.take() }
  }
}
