/// The signals that a client's loop has not taken yet, oldest first.
///
/// Few signals wait for the loop, even if the sources are fast: a key waits at most once for each
/// pacing, and a forwarded source has at most one element under way.
struct SignalQueue: Inbox {
  /// Signals that were taken leave `nil` at the front; these elements are removed now and then.
  private var queue: [SignalPort.Delivery?] = []
  private var front = 0
  /// The waiting elements of queries' own triggers: an equal one would request the same refetch.
  private var waiting: Set<Signal.KeyTrigger> = []

  var isEmpty: Bool { front == queue.count }

  mutating func receive(_ delivery: SignalPort.Delivery) -> SignalPort.Delivery? {
    if case .query(let trigger) = delivery.signal, !waiting.insert(trigger).inserted {
      return delivery
    }
    queue.append(delivery)
    return nil
  }

  mutating func takeNext() -> SignalPort.Delivery? {
    guard front < queue.count, let delivery = queue[front].take() else { return nil }
    if case .query(let trigger) = delivery.signal { waiting.remove(trigger) }
    front += 1
    if front == queue.count || (front > 16 && front * 2 > queue.count) {
      queue.replaceSubrange(..<front, with: EmptyCollection())
      front = 0
    }
    return delivery
  }
}

/// An element of an asynchronous source, for the client.
enum Signal: Sendable {
  /// The earliest deadline was reached.
  case time
  case online(Bool)
  case active(Bool)
  case pressure(MemoryPressure.Level)
  case query(KeyTrigger)
  /// An element of a connected stream, and the name of the stream for the record of the cache's history.
  case trigger(QueryTrigger, of: String)

  /// An element of a query's own trigger stream.
  struct KeyTrigger: Hashable {
    let key: EntryKey
    let pacing: RefetchPacing
  }
}
