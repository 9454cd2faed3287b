/// Somebody who is told what happens in a cache, and how much of it.
///
/// What a receiver needs is paid for by those who cause it. Where many threads read at once
/// (``QueryClient/Configuration/readShards``), most lookups that find fresh data are over without the
/// cache's lock. An event has a place in the order of transactions, which only the lock gives. So as
/// long as anybody is told of every event, each of these lookups takes the lock.
///
/// | receiver | is told of lookups | a lookup that finds fresh data |
/// |---|---|---|
/// | ``init(_:)`` | each, in order | takes the lock |
/// | ``init(hits:_:)`` | each, in order, but hits without the lock by their number | does not |
/// | ``withoutLookups(_:)`` | of none | does not |
///
/// ```swift
/// var configuration = QueryClient.Configuration.server
/// configuration.eventReceivers.append(
///   EventReceiver(hits: { key, count in print("\(count) more hits of \(key)") }) { event in
///     print(event)
///   }
/// )
/// ```
public struct EventReceiver: Sendable {
  /// How soon hits without the lock are told, at the latest.
  static let hitDelay = TimeSpan(.seconds(1))

  /// What the receiver is told of lookups.
  private enum Lookups: Sendable {
    case each
    case counted(@Sendable (_ key: AnyQueryKey, _ count: Int) -> Void)
    case none
  }

  private let lookups: Lookups
  private let receive: @Sendable (QueryEvent) -> Void

  private init(_ lookups: Lookups, _ receive: @escaping @Sendable (QueryEvent) -> Void) {
    self.lookups = lookups
    self.receive = receive
  }

  /// A receiver of every event, each lookup included.
  ///
  /// - Parameter receive: Receives each event, on the terms of
  ///   ``QueryClient/Configuration/onEvent``.
  public init(_ receive: @escaping @Sendable (QueryEvent) -> Void) {
    self.init(.each, receive)
  }

  /// A receiver of every event, to whom a number is enough of the hits that took no lock.
  ///
  /// Each hit is told once: as an event that is a ``QueryEvent/Kind/lookup(_:)``, or as part of a
  /// number. So both together are exact. Numbers come at most a second after the hit, by the client's
  /// clock, and what is left when the client is shut down or freed. They have no place among the
  /// events. A number that another thread is just telling may be told after `shutDown()` has returned: a
  /// program that exits at once may miss it.
  ///
  /// - Parameters:
  ///   - hits: Receives an entry's key, and how many hits it had since it was last told. It is called
  ///     outside of locks, by one or several threads, without task-locals, and must be quick. A client
  ///     that it captures would never be freed: capture it weakly.
  ///   - receive: Receives each event, on the terms of ``QueryClient/Configuration/onEvent``.
  public init(
    hits: @escaping @Sendable (_ key: AnyQueryKey, _ count: Int) -> Void,
    _ receive: @escaping @Sendable (QueryEvent) -> Void
  ) {
    self.init(.counted(hits), receive)
  }

  /// A receiver of every event that is no ``QueryEvent/Kind/lookup(_:)``.
  ///
  /// - Parameter receive: Receives each event, on the terms of
  ///   ``QueryClient/Configuration/onEvent``.
  /// - Returns: The receiver.
  public static func withoutLookups(_ receive: @escaping @Sendable (QueryEvent) -> Void) -> Self {
    Self(.none, receive)
  }

  /// What has to be an event for this receiver.
  var needs: EventNeeds {
    switch lookups {
    case .each: .everything
    case .counted: EventNeeds(events: true, lookups: true)
    case .none: EventNeeds(events: true)
    }
  }

  /// Who receives the numbers of hits; `nil` if this receiver needs none.
  var hits: (@Sendable (_ key: AnyQueryKey, _ count: Int) -> Void)? {
    switch lookups {
    case .counted(let hits): hits
    case .each, .none: nil
    }
  }

  func tell(_ event: QueryEvent) {
    if case .lookup = event.kind, case .none = lookups { return }
    receive(event)
  }
}

/// What has to be an event, because somebody listens.
struct EventNeeds: Hashable, Sendable {
  /// Anything at all.
  var events = false
  /// Lookups, if they are made under the lock.
  var lookups = false
  /// Each lookup, so that each has to be made under the lock.
  var everyLookup = false

  static let nothing = EventNeeds()
  static let everything = EventNeeds(events: true, lookups: true, everyLookup: true)

  /// What two listeners need together.
  func union(_ other: Self) -> Self {
    EventNeeds(
      events: events || other.events,
      lookups: lookups || other.lookups,
      everyLookup: everyLookup || other.everyLookup
    )
  }
}

/// The newest events that a subscriber of ``QueryClient/events`` has not seen.
///
/// A ring: when it is full, the oldest event is dropped, and the subscriber is told how many it
/// missed before it gets the next one.
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
      // Places that were read are reused before the ring grows.
      if count < events.count {
        let place = (start + count) % events.count
        defer { events[place] = event }
        count += 1
        return events[place]
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

  mutating func take() -> QueryEvent? {
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
