public import StreamQuery

// For property wrappers and view modifiers, which say what happens to their view and decide nothing.
extension ObservedSelection {
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
    visibility.drawn(period)
    if visibility.observes {
      follow(query, options: options, using: client)
    } else {
      stop()
      preview(query, options, client)
    }
  }

  /// The view appears.
  ///
  /// - Parameter client: The client.
  public func appeared(using client: QueryClient) {
    visibility.appeared()
    start(using: client)
  }

  /// The view disappears; a running request goes on for a second.
  public func disappeared() {
    visibility.disappeared()
    if !visibility.observes { stop() }
  }
}
