public import StreamQuery

// swift-format-ignore: NoLeadingUnderscores
/// The public members of ``ObservedQuery`` and ``ObservedSelection``, written once.
///
/// The protocol's name begins with an underscore, so that the documentation lists the members on the pages of
/// these types.
@MainActor
public protocol _QueryObjectMembers<Stored, Value>: AnyObject
where Self: _QueryObject<Stored, Value> {
  /// The type of the query's data.
  associatedtype Stored: Sendable
  /// The type of the shown data: that of the query's data, or of a selection from it.
  associatedtype Value: Sendable
}

// Starting, changing and stopping the observation.
extension _QueryObjectMembers {
  /// The query that is observed, now or after the next start.
  public var query: Query<Stored> { observedQuery }

  /// The options of the observer, which take precedence over those of the query.
  public var options: ObserverOptions? { observerOptions }

  /// The boundary for the errors that the query's `throwOnError` names; these errors also stay in the
  /// results.
  ///
  /// The boundary is not retained here: it belongs to the view or the model that shows its errors.
  public var boundary: ErrorBoundary? {
    get { route?.boundary }
    set {
      guard newValue !== boundary else { return }
      if route == nil { madeRareParts().route = ErrorRoute() }
      route?.move(to: newValue)
      offerError()
    }
  }

  /// A function that applies arriving changes, for example inside of an animation; `nil` applies them
  /// directly.
  ///
  /// It does not apply changes that show at once: at the start, or with another query.
  public var changeContext: ChangeContext? {
    get { rareParts?.changeContext }
    set {
      guard newValue != nil || changeContext != nil else { return }
      madeRareParts().changeContext = newValue
    }
  }

  /// Whether the object observes: it was started, and was not stopped since.
  public var isObserving: Bool { client != nil }

  /// Begins to observe; has no effect if the object observes this client already.
  ///
  /// Cached data shows at once, or else initial data or a placeholder.
  ///
  /// - Parameter client: The client, which replaces a former one.
  public func start(using client: QueryClient) {
    follow(client, isOther: false)
  }

  /// Stops observing; the shown result stays.
  ///
  /// If a key waits in `update(query:options:debounce:)`, its cached data shows at once, and the next start
  /// observes that key.
  public func stop() {
    catchUp()
    var life = life
    perform(life.stopped(), nil)
    rareParts?.debouncer?.flush()
  }

  /// Changes the query or the options.
  ///
  /// This is no new subscription: with the same key nothing is fetched, so a view may call it whenever it is
  /// drawn. Only a change from disabled to enabled fetches stale or missing data. With another key, the
  /// cached data of that key shows at once, and is fetched if it is stale.
  ///
  /// For search as you type, another key can wait until no newer key is set for a time; meanwhile the former
  /// key is observed and shown.
  ///
  /// ```swift
  /// let found = ObservedQuery(.search("swift"), client: client)
  /// found.update(query: .search("swift streams"), debounce: .milliseconds(300))
  /// ```
  ///
  /// A key that is observed already, and a call without `debounce`, take effect at once and end a wait. A
  /// second call with the waiting key does not extend the wait. Until the wait ends, ``query``,
  /// ``firstValue()`` and all commands, such as ``refetch(superseding:)``, use the former key. Options take
  /// effect together with the query of the same call, or at once if the call has no query; the last options
  /// stay.
  ///
  /// - Parameters:
  ///   - query: The new query; `nil` keeps the present one.
  ///   - options: The new options; `nil` keeps the present ones.
  ///   - debounce: The time for which no other key may be set before this one is observed, by the clock of
  ///     the client; with `nil`, it is observed at once.
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

  /// From now on, observes a query of a client.
  ///
  /// This is for property wrappers and other adapters, which name their query at each update.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - debounce: The wait before another key is observed, as in ``update(query:options:debounce:)``; `nil`
  ///     means none.
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

  /// Returns whether a query has to wait for the end of its debounce interval; if not, drops a query that was
  /// waiting.
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
    // Options that waited with a dropped query apply to this query, which is observed next.
    take(rareParts?.debouncer?.drop())
    return false
  }

  /// Shows the result that a new observer would first show, without observing; has no effect if this query of
  /// this client is shown already.
  func preview(_ query: Query<Stored>, _ options: ObserverOptions?, _ client: QueryClient) {
    let isOther = observedQuery.key != query.key
    observedQuery = query
    take(options)
    if isOther || machine.isNew || delivery?.isOf(client) != true { look(at: client) }
  }

  /// Stops observing and shows nothing, until a call names a query again.
  func showNothing() {
    stop()
    // The release of the observer can call `onEvent`, which may have started the object again.
    guard client == nil else { return }
    route?.leave(for: nil, of: nil, by: self)
    // The query is replaced, so that the former one counts as another query when it is named again.
    observedQuery = .none
    clear()
  }
}
