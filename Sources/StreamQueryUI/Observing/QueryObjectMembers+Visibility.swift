public import StreamQuery

// Functions for property wrappers and view modifiers of other packages. Such a wrapper reports the events of
// its view, and the object decides whether it observes.
//
// The wrappers of this package do not call these functions: there `LiveHolder` and `Presence` decide. Both
// ways use `PresenceMachine`.
extension _QueryObjectMembers {
  /// Reports that the view is drawn with a query of a client, and observes the query if the period says so.
  ///
  /// Cached data shows at once, also in a view that does not observe yet.
  ///
  /// - Parameters:
  ///   - query: The query of the view.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - client: The client.
  ///   - period: The period in which the view observes.
  public func drawn(
    _ query: Query<Stored>,
    options: ObserverOptions? = nil,
    using client: QueryClient,
    observing period: ObservationPeriod = .onRender
  ) {
    let parts = madeRareParts()
    parts.period = period
    if parts.presence.observes(period) {
      follow(query, options: options, using: client)
    } else {
      stop()
      preview(query, options, client)
    }
  }

  /// Reports that the view appears, or one of several views that it consists of.
  ///
  /// Appearances are counted: each needs its ``disappeared()``. UIKit omits one of the two reports when a
  /// swipe back is cancelled; for such a framework, do not pass on a report that equals the last one.
  ///
  /// - Parameter client: The client.
  public func appeared(using client: QueryClient) {
    _ = madeRareParts().presence.appeared()
    start(using: client)
  }

  /// Reports that the view disappears, or one of several views that it consists of.
  ///
  /// After the last disappearance, a running request continues for a second.
  public func disappeared() {
    let parts = madeRareParts()
    _ = parts.presence.disappeared()
    // The caller knows that the view is gone, so there is no wait for the end of the turn.
    _ = parts.presence.turnEnded()
    if !parts.presence.observes(parts.period) { stop() }
  }
}
