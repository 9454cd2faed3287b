/// Receives the events of a cache, with all, some or none of its lookups.
///
/// Each event that a receiver needs slows the code that causes the event. With
/// ``QueryClient/Configuration/readShards``, most lookups that find fresh data do not take the cache's lock.
/// An event has a place in the order of transactions, which only the lock gives. So while a receiver needs
/// every event, each of these lookups takes the lock.
///
/// | receiver | is told of lookups | a lookup that finds fresh data |
/// |---|---|---|
/// | ``init(_:)`` | each, in order | takes the lock |
/// | ``init(hits:_:)`` | each, in order; of hits without the lock only the number | does not |
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
  /// The time after which hits without the lock are reported at the latest.
  static let hitDelay = TimeSpan(.seconds(1))

  /// The lookups that the receiver needs.
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

  /// Creates a receiver of every event, each lookup included.
  ///
  /// - Parameter receive: Receives each event, as ``QueryClient/Configuration/onEvent`` does.
  public init(_ receive: @escaping @Sendable (QueryEvent) -> Void) {
    self.init(.each, receive)
  }

  /// Creates a receiver of every event, which gets only the number of the hits that took no lock.
  ///
  /// Each hit is reported once: as the event ``QueryEvent/Kind/lookup(_:)``, or as part of a number. Numbers
  /// come at most a second after the hit, by the client's clock, and when the client is shut down or freed.
  /// They have no place among the events. A number may still be on its way on another thread when
  /// `shutDown()` returns: a program that exits at once may miss it.
  ///
  /// - Parameters:
  ///   - hits: Receives an entry's key, and the number of its hits since the last call. It is called outside
  ///     of locks, by one or several threads, without task-locals, and must be quick. A client that it
  ///     captures would never be freed: capture it weakly.
  ///   - receive: Receives each event, as ``QueryClient/Configuration/onEvent`` does.
  public init(
    hits: @escaping @Sendable (_ key: AnyQueryKey, _ count: Int) -> Void,
    _ receive: @escaping @Sendable (QueryEvent) -> Void
  ) {
    self.init(.counted(hits), receive)
  }

  /// Creates a receiver of every event except for lookups, ``QueryEvent/Kind/lookup(_:)``.
  ///
  /// - Parameter receive: Receives each event, as ``QueryClient/Configuration/onEvent`` does.
  /// - Returns: The receiver.
  public static func withoutLookups(_ receive: @escaping @Sendable (QueryEvent) -> Void) -> Self {
    Self(.none, receive)
  }

  /// The events that this receiver needs.
  var needs: EventNeeds {
    switch lookups {
    case .each: .everyLookup
    case .counted: .lookups
    case .none: .events
    }
  }

  /// Receives the numbers of hits; `nil` if this receiver needs none.
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

/// The events that the cache makes, because a receiver needs them.
///
/// Each case includes the events of the cases before it.
enum EventNeeds: Comparable, Sendable {
  case nothing
  /// Events of any kind but lookups.
  case events
  /// Also lookups, except those that need not take the lock.
  case lookups
  /// Also every other lookup, so that each lookup takes the lock.
  case everyLookup
}
