import StreamQuery
import StreamQueryTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Stage {
  func key(_ json: JSON) -> QueryKey<JSON> { QueryKey<JSON>(json) }

  func isPaged(_ key: JSON) -> Bool { pagedKeys.contains(AnyQueryKey(key)) }

  /// The query that an operation writes, with its options as modifiers.
  func query(_ json: JSON, client name: String) -> Query<JSON> {
    let json = completed(json, client: name)
    let keyJSON = json["key"] ?? []
    let key = key(keyJSON)
    var query = Query(key: key)
    var abandonment: AbandonmentPolicy?
    if let function = json["fn"]?.string {
      let fetcher = fetcher(function, client: name)
      abandonment = fetcher.abandonment
      query =
        fetcher.isStreamed
        ? .streamed(key: key, into: [], refetch: fetcher.refetchMode) { _ in
          fetcher.stream(keyJSON)
        } reduce: { data, chunk in
          data = .array((data.array ?? []) + [chunk])
        }
        : Query(key: key) { try await fetcher(keyJSON) }
    }
    query = query.options(options(json, abandonment: abandonment))
    if let value = json["initialData"] {
      query = query.initialData(value, updatedAt: initialDate(json))
    }
    return query
  }

  /// The same for an infinite query.
  func pagedQuery(_ json: JSON, client name: String) -> Query<PageRun> {
    let json = completed(json, client: name)
    let keyJSON = json["key"] ?? []
    let key = QueryKey<PageRun>(keyJSON)
    var query = Query(key: key)
    var abandonment: AbandonmentPolicy?
    if let function = json["fn"]?.string {
      let fetcher = fetcher(function, client: name)
      abandonment = fetcher.abandonment
      let next = ScenarioPageParam(json["nextPage"])
      let previous = ScenarioPageParam(json["previousPage"])
      var previousPage: (@Sendable (PageRun) -> JSON?)?
      if let previous { previousPage = { previous.previous($0) } }
      query = InfiniteQuery<JSON, JSON>(
        key: key,
        initialPageParam: json["initialPageParam"] ?? .null,
        maxPages: json["maxPages"]?.int,
        fetch: { (param: JSON, context: FetchContext) in
          try await fetcher(keyJSON, page: (param, context.direction != .previous))
        },
        nextPageParam: { next?.next($0) },
        previousPageParam: previousPage
      )
    }
    query = query.options(options(json, abandonment: abandonment))
    if let run = json["initialData"]?.run {
      query = query.initialData(run, updatedAt: initialDate(json))
    }
    return query
  }

  /// Options with those of the key's prefixes that are no ``QueryOptions``: users write them into
  /// what makes their queries.
  func completed(_ options: JSON, client name: String) -> JSON {
    guard let registered = keyDefaults[name] else { return options }
    let key = AnyQueryKey(options["key"] ?? [])
    var names: Set = [
      "select", "placeholderData", "initialData", "initialDataUpdatedAt", "infinite",
      "initialPageParam", "nextPage", "previousPage", "maxPages",
    ]
    var inherited = JSON.object([:])
    for defaults in registered where defaults.key.isPrefix(of: key) {
      // A default fetch of pages or of a stream is not one that the client can hold.
      if let function = defaults.options["fn"]?.string,
        pagedKeys.contains(key) || fetcher(function, client: name).isStreamed
      {
        names.insert("fn")
      }
      inherited = inherited.merging(defaults.options)
    }
    let kept = (inherited.object ?? [:]).filter { names.contains($0.key) }
    return JSON.object(kept).merging(options)
  }

  private func initialDate(_ json: JSON) -> Date? {
    json["initialDataUpdatedAt"]?.int.map(Simulation.date)
  }

  private func options(_ json: JSON, abandonment: AbandonmentPolicy?) -> QueryOptions {
    var options = QueryOptions(json)
    options.onAbandonment = abandonment
    return options
  }

  func filter(_ json: JSON?) -> QueryFilter {
    var filter = QueryFilter.all
    if let key = json?["key"] {
      let erased = AnyQueryKey(key)
      filter =
        json?["exact"]?.bool == true
        ? (isPaged(key) ? .key(QueryKey<PageRun>(erased)) : .key(QueryKey<JSON>(erased)))
        : .prefix(erased)
    }
    switch json?["type"]?.string {
    case "active": filter = filter && .active
    case "inactive": filter = filter && .inactive
    default: break
    }
    if let isStale = json?["stale"]?.bool { filter = filter && (isStale ? .stale : .fresh) }
    if let status = json?["fetchStatus"]?.string.flatMap(FetchStatus.init) {
      filter = filter && .fetchStatus(status)
    }
    if let status = json?["status"]?.string.flatMap(QueryStatus.init) {
      filter = filter && .where { $0.status == status }
    }
    return filter
  }

  // MARK: Data

  func data(_ key: JSON, client name: String) -> JSON? {
    isPaged(key)
      ? client(name).data(for: QueryKey<PageRun>(key)).map { JSON($0) }
      : client(name).data(for: self.key(key))
  }

  /// Writes as an update says.
  ///
  /// - Returns: What was written; `nil` if the update bailed out.
  func write(_ update: JSON, to key: JSON, updatedAt: Date?, client name: String) -> JSON? {
    let client = client(name)
    if isPaged(key) {
      let paged = QueryKey<PageRun>(key)
      if let run = update["value"]?.run {
        client.setData(run, for: paged, updatedAt: updatedAt)
        return JSON(run)
      }
      return client.updateData(for: paged, updatedAt: updatedAt) { run in
        run = update.applied(to: run.map { JSON($0) })?.run
      }.map { JSON($0) }
    }
    if let value = update["value"] {
      client.setData(value, for: self.key(key), updatedAt: updatedAt)
      return value
    }
    return client.updateData(for: self.key(key), updatedAt: updatedAt) { data in
      data = update.applied(to: data)
    }
  }

  /// Keys and data; an entry without data counts too.
  func entries(_ client: QueryClient, _ filter: QueryFilter) -> JSON {
    .array(
      client.diagnostics(filter).map { info in
        .fields([("key", keys[info.key]), ("data", JSON(erased: info.data))])
      }
    )
  }
}

extension QueryKey where Value == PageRun {
  init(_ key: JSON) {
    self.init(AnyQueryKey(key))
  }
}

extension JSON {
  /// The value of an entry whose type is not known.
  init?(erased value: (any Sendable)?) {
    if let value = value as? JSON {
      self = value
    } else if let run = value as? PageRun {
      self.init(run)
    } else {
      return nil
    }
  }
}
