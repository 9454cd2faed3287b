import StreamQuery
import StreamQueryTesting

/// One observer of a list of queries.
final class GroupWatch {
  let client: String
  let observer: QueryListObserver
  /// The lists of queries, and since when each of them is observed.
  var lists: [(time: Int, queries: [JSON])]
  let recording: ResultRecording<QueryListResults>
  var isLive = true

  init(
    client: String,
    observer: QueryListObserver,
    queries: [JSON],
    simulation: Simulation
  ) {
    self.client = client
    self.observer = observer
    lists = [(Int(simulation.now / .milliseconds(1)), queries)]
    recording = simulation.record(observer.stream)
  }
}

extension Stage {
  /// The observer of a name; an operation on one that there is not is a mistake of the scenario.
  private func known<Observer>(_ operation: JSON, _ observer: Observer?) -> Observer? {
    if observer == nil { violations.append("there is no such observer: \(operation)") }
    return observer
  }

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
      shown: completed(operation, client: name),
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
      // The handle follows its run beyond the end of a stream.
      mutation.handle.reset()
    } else {
      _ = known(operation, Watch?.none)
    }
  }

  func setOptions(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    if let group = groups[id] {
      let queries = operation["queries"]?.array ?? []
      group.lists.append((ledger.now, queries))
      group.observer.update(queries.map { member($0, client: group.client) })
      return
    }
    if let mutation = mutations[id] {
      setOptions(operation["set"] ?? .object([:]), of: mutation, id: id)
      return
    }
    guard let watch = known(operation, observers[id]) else { return }
    let old = watch.shown
    watch.options = watch.options.merging(operation["set"] ?? .object([:]))
    switch watch.handle {
    case .plain(let observer):
      observer.update(query: query(watch.options, client: watch.client))
    case .paged(let observer):
      observer.update(query: pagedQuery(watch.options, client: watch.client))
    }
    watch.shown = completed(watch.options, client: watch.client)
    if ["select", "placeholderData"].contains(where: { old[$0] != watch.shown[$0] }) {
      watch.changes.append((ledger.now, watch.shown))
    }
  }

  /// `refetch` and the page commands of an observer.
  func command(_ operation: JSON) -> Task<Void, Never>? {
    guard let watch = known(operation, observers[operation["id"]?.string ?? ""]) else {
      return nil
    }
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
    return call(operation) {
      let result = try await body()
      // Shown as the observer shows it by now, and not as it did at the call.
      return ["result": snapshot(await watch.lens()(result))]
    }
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
    let placeholder = completed(json, client: client)["placeholderData"]?["value"]
    return AnyQuery(placeholder.map { query.placeholder($0) } ?? query)
  }
}
