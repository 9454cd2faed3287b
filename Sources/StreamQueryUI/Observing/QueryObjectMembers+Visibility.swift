public import StreamQuery

// These functions are for the property wrappers and view modifiers of other packages. Such a wrapper reports
// what happens to its view, and the object decides whether it observes.
//
// The wrappers of this package decide themselves, once for an object and for the view around it. Both use
// `PresenceMachine`.
extension _QueryObjectMembers {
  /// The view is drawn, with this query of this client.
  ///
  /// Cached data shows at once, also in a view that does not observe yet.
  ///
  /// - Parameters:
  ///   - query: The query of the view.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - client: The client.
  ///   - period: When the view observes.
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

  /// The view, or one of several that it makes, appears.
  ///
  /// Appearances are counted: each needs its ``disappeared()``. UIKit omits one when a swipe back is
  /// cancelled; for such a framework, remember the last report.
  ///
  /// - Parameter client: The client.
  public func appeared(using client: QueryClient) {
    _ = madeRareParts().presence.appeared()
    start(using: client)
  }

  /// The view, or one of several that have appeared, disappears; a running request continues for a
  /// second.
  public func disappeared() {
    let parts = madeRareParts()
    _ = parts.presence.disappeared()
    // The caller knows that the view is gone, so there is no need to wait.
    _ = parts.presence.turnEnded()
    if !parts.presence.observes(parts.period) { stop() }
  }
}
