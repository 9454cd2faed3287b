import StreamQuery
import StreamQueryTesting

/// One observer of a list of queries.
final class GroupWatch {
  let client: String
  let observer: QueryListObserver
  var queries: [JSON]
  let recording: Recording<QueryListResults>
  var isLive = true

  init(
    client: String,
    observer: QueryListObserver,
    queries: [JSON],
    simulation: Simulation
  ) {
    self.client = client
    self.observer = observer
    self.queries = queries
    recording = simulation.record(observer.stream)
  }
}

extension Stage {
  func observe(_ operation: JSON, _ name: String) {
    let id = operation["id"]?.string ?? ""
    let client = client(name)
    let handle: Watch.Handle =
      isPaged(operation["key"] ?? [])
      ? .paged(client.observer(of: pagedQuery(operation, client: name)))
      : .plain(client.observer(of: query(operation, client: name)))
    observers[id] = Watch(
      client: name,
      handle: handle,
      options: operation,
      simulation: simulation
    )
  }

  func unobserve(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    if let watch = observers[id] {
      watch.isLive = false
      watch.recording.cancel()
    } else if let group = groups[id] {
      group.isLive = false
      group.recording.cancel()
    } else if let mutation = mutations[id] {
      mutation.isLive = false
      mutation.recording.cancel()
    }
  }

  func setOptions(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    if let group = groups[id] {
      group.queries = operation["queries"]?.array ?? operation["set"]?["queries"]?.array ?? []
      group.observer.update(group.queries.map { member($0, client: group.client) })
      return
    }
    guard let watch = observers[id] else { return }
    let old = watch.options
    watch.options = watch.options.merging(operation["set"] ?? .object([:]))
    switch watch.handle {
    case .plain(let observer):
      observer.update(query: query(watch.options, client: watch.client))
    case .paged(let observer):
      observer.update(query: pagedQuery(watch.options, client: watch.client))
    }
    if ["select", "placeholderData"].contains(where: { old[$0] != watch.options[$0] }) {
      watch.changes.append((ledger.now, watch.options))
    }
  }

  /// `refetch` and the page commands of an observer.
  func command(_ operation: JSON) -> Task<Void, Never>? {
    guard let watch = observers[operation["id"]?.string ?? ""] else { return nil }
    let supersedes = operation["cancelRefetch"]?.bool ?? true
    let body: @Sendable () async throws -> QueryResult<JSON>
    switch operation["op"]?.string {
    case "fetchNextPage":
      body = watch.fetchPage(.next, superseding: supersedes)
    case "fetchPreviousPage":
      body = watch.fetchPage(.previous, superseding: supersedes)
    default:
      let isThrowing = operation["throwOnError"]?.bool ?? false
      body = watch.refetch(superseding: supersedes, throwing: isThrowing)
    }
    let lens = watch.lens()
    return call(operation) { ["result": snapshot(await lens(try await body()))] }
  }

  // MARK: Groups

  func observeGroup(_ operation: JSON, _ name: String) {
    let queries = operation["queries"]?.array ?? []
    groups[operation["id"]?.string ?? ""] = GroupWatch(
      client: name,
      observer: client(name).observer(all: queries.map { member($0, client: name) }),
      queries: queries,
      simulation: simulation
    )
  }

  private func member(_ json: JSON, client: String) -> AnyQuery {
    if isPaged(json["key"] ?? []) { return AnyQuery(pagedQuery(json, client: client)) }
    let query = query(json, client: client)
    return AnyQuery(json["placeholderData"]?["value"].map { query.placeholder($0) } ?? query)
  }
}
