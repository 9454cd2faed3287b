internal import StreamQuery

/// Waits for the end of a client, without retaining the client.
///
/// A client disconnects its streams of triggers when it is shut down or freed. This object connects a stream
/// that never triggers anything, and notices when the stream is disconnected.
final class EndOfClient: Sendable {
  private let connection: TriggerConnection

  /// Calls an action at the end of the client, or when this object is released.
  init(_ client: QueryClient, _ action: @escaping @Sendable () -> Void) {
    let (triggers, continuation) = AsyncStream<QueryTrigger>.makeStream()
    continuation.onTermination = { _ in action() }
    connection = client.connect(triggers: triggers)
  }
}
