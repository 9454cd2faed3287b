/// One observer's hold on the cache: what a stream, an iterator or a handle keeps.
///
/// It counts from its creation until it is cancelled or its last reference goes.
final class Subscription: Sendable {
  let client: QueryClient
  let id: ConsumerID
  private let pumps: [Task<Void, Never>]

  init(client: QueryClient, id: ConsumerID, pumps: [Task<Void, Never>]) {
    self.client = client
    self.id = id
    self.pumps = pumps
  }

  deinit {
    cancel()
  }

  /// Ends the observation; a second time is a no-op.
  func cancel() {
    for pump in pumps { pump.cancel() }
    client.turn { state, turn in state.unsubscribe(id, &turn) }
  }

  /// The newest snapshot that was not seen, as soon as there is one; `nil` at the end.
  ///
  /// Whoever is cancelled while waiting leaves at once, and the observation ends.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async -> (frame: Frame, flags: QueryFlags)? {
    while true {
      switch client.cache.read({ $0.pull(id) }) {
      case .result(let frame, let flags): return (frame, flags)
      case .ended: return nil
      case .nothing: break
      }
      if Task.isCancelled {
        cancel()
        return nil
      }
      await withTaskCancellationHandler {
        // Captured, so that the closure stays on the caller's actor: each wait would hop else.
        _ = isolation
        await withUnsafeContinuation(isolation: isolation) { continuation in
          let isParked = client.cache.read { $0.park(id, .alone(continuation)) }
          if !isParked { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// What the observer sees at present, seen or not; `nil` at the end.
  func current() -> (frame: Frame, flags: QueryFlags)? {
    // A turn, so that staleness is as of now.
    client.turn { state, _ in
      state.find(id).map { state.view($0) }
    }
  }
}
