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
  /// The data that is shown: that of the query, or a selection of it.
  associatedtype Value: Sendable
}

// Life.
extension _QueryObjectMembers {
  /// The query that is observed, or will be.
  public var query: Query<Stored> { observedQuery }

  /// The options of the observer, over those of the query.
  public var options: ObserverOptions? { observerOptions }

  /// Where errors go that the query's `throwOnError` names; they stay in the results all the same.
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

  /// A function inside of which changes that arrive are applied, such as an animation; `nil` is none.
  ///
  /// What shows at once is no such change: at the start, or with another query.
  public var changeContext: ChangeContext? {
    get { rareParts?.changeContext }
    set {
      guard newValue != nil || changeContext != nil else { return }
      madeRareParts().changeContext = newValue
    }
  }

  /// Whether it observes: it was started, and not stopped since.
  public var isObserving: Bool { client != nil }

  /// Observes from now on; nothing if it does.
  ///
  /// Cached data shows at once; without it, initial data or a placeholder does.
  ///
  /// - Parameter client: The client; another one than before is observed instead of that.
  public func start(using client: QueryClient) {
    follow(client, isOther: false)
  }

  /// Observes no longer; what is shown stays.
  ///
  /// A key that waits counts at once: what is cached under it shows, and the next start observes it.
  public func stop() {
    catchUp()
    var life = life
    perform(life.stopped(), nil)
    rareParts?.debouncer?.hurry()
  }

  /// Observes another query, or with other options, in place.
  ///
  /// This is no new subscription: with the same key nothing is fetched, so a view may call it
  /// whenever it is drawn. With another key, what is cached under that shows at once, and is
  /// fetched if it is stale.
  ///
  /// For search as you type, another key can wait until no newer one has been asked for: meanwhile the
  /// former one is observed and shown.
  ///
  /// ```swift
  /// let found = ObservedQuery(.search("swift"), client: client)
  /// found.update(query: .search("swift streams"), debounce: .milliseconds(300))
  /// ```
  ///
  /// The key that is observed already, or a call without an interval, counts at once, and nothing waits
  /// any more. Asking for the waiting key again does not extend its wait. Until the wait ends, ``query``,
  /// ``firstValue()`` and all commands, such as ``refetch(superseding:)``, concern the former key. Options
  /// count together with the query that they are given with, and at once without one; those that were
  /// given last stay.
  ///
  /// - Parameters:
  ///   - query: What to observe from now on; `nil` keeps it.
  ///   - options: The options from now on; `nil` keeps them.
  ///   - debounce: How long no other key may be asked for before this one is observed, on the clock of
  ///     the client; `nil` observes it at once.
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

  /// Observes a query of a client from now on, whatever it did before.
  ///
  /// For property wrappers and other adapters, which say at each update what they want.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - debounce: How long another key waits, as in ``update(query:options:debounce:)``; `nil` is not
  ///     at all.
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

  /// Whether a query is observed later, if no other key is asked for until then.
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
    // They were said for whatever is observed after that.
    take(rareParts?.debouncer?.drop())
    return false
  }

  /// Shows what a new observer would see, without being one; nothing if the query of that client was
  /// shown already.
  func preview(_ query: Query<Stored>, _ options: ObserverOptions?, _ client: QueryClient) {
    let isOther = observedQuery.key != query.key
    observedQuery = query
    take(options)
    if isOther || machine.isNew || pump?.isOf(client) != true { look(at: client) }
  }

  /// Observes and shows nothing until it is told what to observe.
  func showNothing() {
    stop()
    route?.leave(for: nil, of: nil)
    // So that the same query is another one when it comes back.
    observedQuery = .none
    clear()
  }
}
