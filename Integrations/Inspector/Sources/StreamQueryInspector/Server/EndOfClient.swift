internal import StreamQuery

/// Waits for the end of a client, without retaining it.
///
/// A client disconnects the streams of triggers that are connected to it when it is shut down or freed. This connects
/// one that never triggers anything.
final class EndOfClient: Sendable {
  private let connection: TriggerConnection

  /// Calls an action at the end of the client, or when this object is released.
  init(_ client: QueryClient, _ action: @escaping @Sendable () -> Void) {
    let (triggers, continuation) = AsyncStream<QueryTrigger>.makeStream()
    continuation.onTermination = { _ in action() }
    connection = client.connect(triggers: triggers)
  }
}
