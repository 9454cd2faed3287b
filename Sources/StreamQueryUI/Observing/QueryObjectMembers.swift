public import StreamQuery

// swift-format-ignore: NoLeadingUnderscores
/// The members of ``ObservedQuery`` and ``ObservedSelection``, written once.
///
/// Its name begins with an underscore so that the documentation lists them on the pages of these two.
@MainActor
public protocol _QueryObjectMembers<Stored, Value>: AnyObject
where Self: _QueryObject<Stored, Value> {
  /// The data of the query.
  associatedtype Stored: Sendable
  /// The shown data: that of the query, or a selection of it.
  associatedtype Value: Sendable
}

// The life of an observation.
extension _QueryObjectMembers {
  /// The query that is observed, or will be.
  public var query: Query<Stored> { observedQuery }

  /// The options of the observer, over those of the query.
  public var options: ObserverOptions? { observerOptions }

  /// The boundary for the errors that the query's `throwOnError` names; they also stay in the
  /// results.
  ///
  /// It is not retained: the view or the model that shows its errors owns it.
  public var boundary: ErrorBoundary? {
    get { route?.boundary }
    set {
      guard newValue !== boundary else { return }
      if route == nil { madeRareParts().route = ErrorRoute() }
      route?.move(to: newValue)
      offerError()
    }
  }

  /// A function inside of which arriving changes are applied, such as an animation; `nil` is none.
  ///
  /// It does not apply to changes that show at once: at the start, or with another query.
  public var changeContext: ChangeContext? {
    get { rareParts?.changeContext }
    set {
      guard newValue != nil || changeContext != nil else { return }
      madeRareParts().changeContext = newValue
    }
  }

  /// Whether it observes: it was started, and not stopped since.
  public var isObserving: Bool { client != nil }

  /// Begins to observe; does nothing if it observes this client already.
  ///
  /// Cached data shows at once, or else initial data or a placeholder.
  ///
  /// - Parameter client: The client, which replaces a former one.
  public func start(using client: QueryClient) {
    follow(client, isOther: false)
  }

  /// Stops observing; the shown result stays.
  ///
  /// A waiting key takes effect at once: its cached data shows, and the next start observes it.
  public func stop() {
    catchUp()
    var life = life
    perform(life.stopped(), nil)
    rareParts?.debouncer?.flush()
  }

  /// Changes the query or the options in place.
  ///
  /// This is no new subscription: with the same key it fetches nothing, so a view may call it
  /// whenever it is drawn. With another key, the cached data of that key shows at once, and is
  /// fetched if it is stale.
  ///
  /// For search as you type, another key can wait until no newer one has come for a time; meanwhile the
  /// former one is observed and shown.
  ///
  /// ```swift
  /// let found = ObservedQuery(.search("swift"), client: client)
  /// found.update(query: .search("swift streams"), debounce: .milliseconds(300))
  /// ```
  ///
  /// The observed key, and a call without an interval, take effect at once, and end a wait. A second call
  /// with the waiting key does not extend its wait. Until the wait ends, ``query``, ``firstValue()`` and all
  /// commands, such as ``refetch(superseding:)``, concern the former key. Options take effect together with
  /// the query of the same call, and at once without one; the last ones stay.
  ///
  /// - Parameters:
  ///   - query: The new query; `nil` keeps the present one.
  ///   - options: The new options; `nil` keeps the present ones.
  ///   - debounce: The time without another key after which this one is observed, by the clock of the client;
  ///     `nil` observes it at once.
  public func update(
    query: Query<Stored>? = nil,
    options: ObserverOptions? = nil,
    debounce: Duration? = nil
  ) {
    if let query {
      if waits(for: query, options, debounce, client) { return }
    } else {
      rareParts?.debouncer?.replaceOptions(options)
    }
    let isOver = if let query { isOver(before: query) } else { false }
    if let query { observedQuery = query }
    take(options)
    if let client { follow(client, isOther: true) }
    if isOver { lookAgain() }
  }

  /// Observes a query of a client from now on.
  ///
  /// For property wrappers and other adapters, which name their query at each update.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - debounce: The wait of another key, as in ``update(query:options:debounce:)``; `nil` is none.
  ///   - client: The client.
  public func follow(
    _ query: Query<Stored>,
    options: ObserverOptions? = nil,
    debounce: Duration? = nil,
    using client: QueryClient
  ) {
    if waits(for: query, options, debounce, client) { return }
    let isOver = isOver(before: query)
    observedQuery = query
    take(options)
    follow(client, isOther: true)
    if isOver { lookAgain() }
  }

  /// Whether a query is observed only after a wait, if no other key comes meanwhile.
  private func waits(
    for query: Query<Stored>,
    _ options: ObserverOptions?,
    _ debounce: Duration?,
    _ client: QueryClient?
  ) -> Bool {
    guard debounce != nil || rareParts?.debouncer != nil else { return false }
    if let debounce, debounce > .zero, let client, client === self.client {
      let parts = madeRareParts()
      let debouncer = parts.debouncer ?? Debouncer()
      parts.debouncer = debouncer
      let waits = debouncer.waits(
        for: query.key.erased,
        observing: observedQuery.key.erased,
        options: options,
        interval: debounce,
        clock: client.clock
      ) { [weak self] in
        self?.update(query: query, options: $0)
      }
      if waits { return true }
    }
    // The options of the query that waits for its turn are for this query, which is observed next.
    take(rareParts?.debouncer?.drop())
    return false
  }

  /// Shows the first result of a new observer, without being one; does nothing if it shows this query of this
  /// client already.
  func preview(_ query: Query<Stored>, _ options: ObserverOptions?, _ client: QueryClient) {
    let isOther = observedQuery.key != query.key
    observedQuery = query
    take(options)
    if isOther || machine.isNew || delivery?.isOf(client) != true { look(at: client) }
  }

  /// Observes and shows nothing until the next call that names a query.
  func showNothing() {
    stop()
    route?.leave(for: nil, of: nil)
    // The query is forgotten, so that it counts as another one if it is named again.
    observedQuery = .none
    clear()
  }
}
