/// The newest events that a subscriber of ``QueryClient/events`` has not seen.
///
/// When the ring is full, the oldest event is dropped, and the subscriber gets the number of dropped events
/// before the next one.
struct EventRing: Inbox {
  /// The maximum number of events that a subscriber may be behind.
  static let capacity = 1_024

  private var events: [QueryEvent] = []
  private var start = 0
  private var count = 0
  private var missed = 0

  var isEmpty: Bool { count == 0 }

  mutating func receive(_ event: QueryEvent) -> QueryEvent? {
    guard count == Self.capacity else {
      // The ring grows only when each of its elements is an unread event.
      if count < events.count {
        let index = (start + count) % events.count
        defer { events[index] = event }
        count += 1
        return events[index]
      }
      if start > 0 {
        events = Array(events[start...] + events[..<start])
        start = 0
      }
      events.append(event)
      count += 1
      return nil
    }
    let oldest = events[start]
    events[start] = event
    start = (start + 1) % Self.capacity
    missed += 1
    return oldest
  }

  mutating func takeNext() -> QueryEvent? {
    guard count > 0 else { return nil }
    if missed > 0 {
      defer { missed = 0 }
      return .eventsDropped(missed, before: events[start])
    }
    defer {
      start = (start + 1) % events.count
      count -= 1
    }
    return events[start]
  }
}
