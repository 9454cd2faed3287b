/// Whoever is told of events: the configuration's receivers, and the readers of streams.
struct EventReceivers: Sendable {
  private let receivers: [EventReceiver]
  private let broadcaster: Broadcaster<EventRing>

  init(
    _ configuration: QueryClient.Configuration,
    _ broadcaster: Broadcaster<EventRing>
  ) {
    let first = configuration.onEvent.map { EventReceiver($0) }
    receivers = [first].compactMap(\.self) + configuration.eventReceivers
    self.broadcaster = broadcaster
  }

  /// What the configuration needs, even if nobody reads a stream of events.
  var needs: EventNeeds { receivers.reduce(.nothing) { $0.union($1.needs) } }

  func tell(_ event: QueryEvent) {
    if !receivers.isEmpty {
      TaskLocals.none { [receivers] in for receiver in receivers { receiver.tell(event) } }
    }
    broadcaster.send(event)
  }
}
