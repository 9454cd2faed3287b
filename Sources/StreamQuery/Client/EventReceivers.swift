/// Whoever is told of every event: the configuration's receivers, and the readers of streams.
struct EventReceivers: Sendable {
  private let receivers: [@Sendable (QueryEvent) -> Void]
  private let broadcaster: Broadcaster<EventRing>

  init(
    _ configuration: QueryClient.Configuration,
    _ broadcaster: Broadcaster<EventRing>
  ) {
    receivers = [configuration.onEvent].compactMap(\.self) + configuration.eventReceivers
    self.broadcaster = broadcaster
  }

  /// Whether the configuration wants events, even if nobody reads a stream of them.
  var isAlwaysNeeded: Bool { !receivers.isEmpty }

  func tell(_ event: QueryEvent) {
    if !receivers.isEmpty {
      TaskLocals.none { [receivers] in for receiver in receivers { receiver(event) } }
    }
    broadcaster.send(event)
  }
}
