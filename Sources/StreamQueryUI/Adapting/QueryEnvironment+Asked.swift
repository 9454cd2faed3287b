internal import StreamQuery

// When a view names something to observe, one of these functions makes the observed object follow that. If
// the object may not observe now, the function makes it stop and show cached data.
extension _QueryObjectMembers {
  // Without options, the object keeps its present ones.
  func configure(
    _ query: Query<Stored>,
    _ asked: ObserverOptions?,
    _ client: QueryClient,
    _ queryEnvironment: QueryEnvironment,
    debounce: Duration? = nil
  ) {
    changeContext = queryEnvironment.changeContext
    let asked = queryEnvironment.options(over: asked ?? options) ?? asked
    if queryEnvironment.observes {
      boundary = queryEnvironment.boundary
      follow(query, options: asked, debounce: debounce, using: client)
    } else {
      stop()
      // Cached data is shown without observing, so that the view has it when it first appears.
      preview(query, asked, client)
    }
  }
}

extension ObservedPagination {
  func configure(
    _ input: Input?,
    _ query: @escaping @Sendable (Input, Page) -> Query<Value>,
    _ asked: ObserverOptions?,
    _ client: QueryClient,
    _ queryEnvironment: QueryEnvironment,
    debounce: Duration? = nil
  ) {
    changeContext = queryEnvironment.changeContext
    let options = queryEnvironment.options(over: asked ?? self.query.options) ?? asked
    if queryEnvironment.observes {
      self.query.boundary = queryEnvironment.boundary
      follow(
        input: input,
        options: options,
        debounce: debounce,
        using: client,
        query: query
      )
    } else {
      self.query.stop()
      preview(input, options, query, client)
    }
  }
}

extension ObservedQueries {
  func configure(_ queries: [AnyQuery], _ client: QueryClient, _ queryEnvironment: QueryEnvironment)
  {
    changeContext = queryEnvironment.changeContext
    let queries = queryEnvironment.isFrozen ? queries.map { $0.enabled(false) } : queries
    if queryEnvironment.observes {
      boundary = queryEnvironment.boundary
      follow(queries, using: client)
    } else {
      stop()
      preview(queries, client)
    }
  }
}

extension ObservedValue {
  func drawn(using client: QueryClient, _ queryEnvironment: QueryEnvironment) {
    changeContext = queryEnvironment.changeContext
    if queryEnvironment.observes {
      start(using: client)
    } else {
      stop()
      preview(client)
    }
  }
}

extension ObservedMutation {
  func configure(
    _ mutation: Mutation<Input, Output>,
    _ client: QueryClient,
    _ queryEnvironment: QueryEnvironment
  ) {
    changeContext = queryEnvironment.changeContext
    follow(mutation, using: client)
  }
}

extension QueryEnvironment {
  /// Returns options that disable an observer, if fetches are off here; otherwise `nil`, which keeps its
  /// options.
  func options(over present: ObserverOptions?) -> ObserverOptions? {
    guard isFrozen else { return nil }
    var options = present ?? ObserverOptions()
    options.enabled = .fixed(false)
    return options
  }
}
