public import StreamQuery

// These functions are for the property wrappers and view modifiers of other packages. Such a wrapper reports
// what happens to its view, and the object decides whether it observes.
//
// The wrappers of this package decide themselves, once for an object and for the view around it. Both use
// `PresenceMachine`.
extension _QueryObjectMembers {
  /// The view is drawn, with this query of this client.
  ///
  /// What is cached shows at once, also in a view that does not observe yet.
  ///
  /// - Parameters:
  ///   - query: What the view shows.
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

  /// The view appears, or one of several that it makes.
  ///
  /// Appearances are counted: each needs its ``disappeared()``. Where a framework may leave one out, as UIKit
  /// does when a swipe back is taken back, remember which was told last.
  ///
  /// - Parameter client: The client.
  public func appeared(using client: QueryClient) {
    _ = madeRareParts().presence.appeared()
    start(using: client)
  }

  /// The view disappears, or one of several that have appeared; a running request goes on for a
  /// second.
  public func disappeared() {
    let parts = madeRareParts()
    _ = parts.presence.disappeared()
    // The caller knows that the view is gone: there is nothing to wait for.
    _ = parts.presence.turnEnded()
    if !parts.presence.observes(parts.period) { stop() }
  }
}
