import StreamQuery
import StreamQueryTesting

extension Stage {
  /// Performs one operation, as far as it needs no waiting; the rest is a task of the simulation.
  func perform(_ operation: JSON) {
    let name = clientName(operation)
    switch operation["op"]?.string ?? "" {
    case "observe": observe(operation, name)
    case "unobserve": unobserve(operation)
    case "setOptions": setOptions(operation)
    case "refetch": refetch(operation)
    case "fetchQuery":
      let (client, query) = (client(name), query(operation, client: name))
      call(operation) { ["value": try await client.fetch(query)] }
    case "prefetchQuery":
      let (client, query) = (client(name), query(operation, client: name))
      call(operation) {
        await client.prefetch(query)
        return ["done": true]
      }
    case "ensureQueryData":
      let (client, query) = (client(name), query(operation, client: name))
      let revalidates = operation["revalidateIfStale"]?.bool ?? false
      call(operation) { ["value": try await client.ensure(query, revalidating: revalidates)] }
    case "getQueryData":
      let value = client(name).data(for: key(operation["key"] ?? []))
      answer(operation, value.map { ["value": $0] } ?? ["none": true])
    case "getQueriesData":
      let entries = client(name).entries(of: JSON.self, filter(operation["filters"]))
      answer(operation, ["entries": .array(entries.map { entry($0.key.erased, $0.data) })])
    case "setQueryData": write(operation, name)
    case "setQueriesData": writeMany(operation, name)
    case "invalidateQueries", "refetchQueries", "resetQueries": bulk(operation, name)
    case "removeQueries":
      client(name).remove(filter(operation["filters"]))
      answer(operation, ["done": true])
    case "cancelQueries":
      client(name).cancel(filter(operation["filters"]))
      answer(operation, ["done": true])
    case "clear":
      client(name).clear()
      answer(operation, ["done": true])
    case "isFetching":
      let count = client(name).fetchingCount(filter(operation["filters"]))
      answer(operation, ["value": .int(count)])
    case "setQueryDefaults": setKeyDefaults(operation, name)
    case "setDefaults":
      defaults = operation["defaults"]?["queries"] ?? .object([:])
      let options = QueryOptions(defaults)
      client(name).setDefaults(
        QueryDefaults(options: options, imperativeRetry: options.retry ?? .never)
      )
    case "setOnline": online.send(operation["value"]?.bool ?? true)
    case "setFocused": focused.send(operation["value"]?.bool ?? true)
    case "dehydrate": dehydrate(operation, name)
    case "hydrate": hydrate(operation, name)
    case "dump": answer(operation, ["cache": dump(name)])
    case let other: violations.append("an operation that the runner does not know: \(other)")
    }
  }

  private func entry(_ key: AnyQueryKey, _ data: JSON) -> JSON {
    ["key": keys[key] ?? .string("\(key)"), "data": data]
  }

  // MARK: Calls

  /// Notes the outcome of a call that returned at once.
  func answer(_ operation: JSON, _ outcome: JSON) {
    guard let id = operation["call"]?.string else { return }
    ledger.close(ledger.open(id), outcome)
  }

  /// Awaits a call in a task of the simulation.
  func call(_ operation: JSON, _ body: @escaping @Sendable () async throws -> JSON) {
    let line = operation["call"]?.string.map(ledger.open)
    let ledger = ledger
    simulation.task(operation["op"]?.string ?? "call") {
      let outcome: JSON
      do {
        outcome = try await body()
      } catch is CancellationError {
        outcome = ["cancelled": true]
      } catch {
        outcome = ["error": .string(message(of: error))]
      }
      if let line { ledger.close(line, outcome) }
    }
  }

  // MARK: Observers

  private func observe(_ operation: JSON, _ name: String) {
    let id = operation["id"]?.string ?? ""
    let observer = client(name).observer(of: query(operation, client: name))
    observers[id] = Watch(
      client: name,
      options: operation,
      observer: observer,
      recording: simulation.record(observer.stream)
    )
  }

  private func unobserve(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    observers[id]?.isLive = false
    observers[id]?.recording.cancel()
  }

  private func setOptions(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    guard var watch = observers[id] else { return }
    watch.options = watch.options.merging(operation["set"] ?? .object([:]))
    watch.observer.update(query: query(watch.options, client: watch.client))
    observers[id] = watch
  }

  private func refetch(_ operation: JSON) {
    let id = operation["id"]?.string ?? ""
    guard let observer = observers[id]?.observer else { return }
    let supersedes = operation["cancelRefetch"]?.bool ?? true
    let throwsErrors = operation["throwOnError"]?.bool ?? false
    call(operation) {
      let result = try await observer.refetch(superseding: supersedes)
      if throwsErrors, let error = result.error { throw error }
      return ["result": snapshot(result)]
    }
  }

  // MARK: Writes

  private func write(_ operation: JSON, _ name: String) {
    let update = operation["update"] ?? .null
    let key = key(operation["key"] ?? [])
    let client = client(name)
    let written: JSON?
    if let value = update["value"] {
      let updatedAt = operation["updatedAt"]?.int.map(Simulation.date)
      client.setData(value, for: key, updatedAt: updatedAt)
      written = value
    } else {
      written = client.updateData(for: key) { $0 = update.applied(to: $0) }
    }
    answer(operation, written.map { ["value": $0] } ?? ["none": true])
  }

  private func writeMany(_ operation: JSON, _ name: String) {
    let update = operation["update"] ?? .null
    let filter = filter(operation["filters"])
    let client = client(name)
    client.updateData(matching: filter, of: JSON.self) { $1 = update.applied(to: $1) }
    let entries = client.diagnostics(filter).map { info -> JSON in
      let data = client.data(for: QueryKey<JSON>(info.key))
      return .fields([("key", keys[info.key]), ("data", data ?? .null)])
    }
    answer(operation, ["entries": .array(entries)])
  }

  // MARK: Bulk

  private func bulk(_ operation: JSON, _ name: String) {
    let client = client(name)
    let filter = filter(operation["filters"])
    let supersedes = operation["cancelRefetch"]?.bool ?? true
    let throwsErrors = operation["throwOnError"]?.bool ?? false
    switch operation["op"]?.string {
    case "invalidateQueries":
      let scope =
        operation["refetchType"]?.string.flatMap { RefetchScope(reference: $0) }
        ?? operation["filters"]?["type"]?.string.flatMap { RefetchScope(reference: $0) }
        ?? .active
      call(operation) {
        if throwsErrors {
          try await client.invalidateThrowing(filter, refetch: scope, superseding: supersedes)
        } else {
          await client.invalidate(filter, refetch: scope, superseding: supersedes)
        }
        return ["done": true]
      }
    case "refetchQueries":
      call(operation) {
        if throwsErrors {
          try await client.refetchThrowing(filter, superseding: supersedes)
        } else {
          await client.refetch(filter, superseding: supersedes)
        }
        return ["done": true]
      }
    default:
      call(operation) {
        await client.reset(filter)
        return ["done": true]
      }
    }
  }

  private func setKeyDefaults(_ operation: JSON, _ name: String) {
    let key = AnyQueryKey(operation["key"] ?? [])
    let json = operation["options"] ?? .object([:])
    keyDefaults[name, default: []].append((key, json))
    var options = QueryOptions(json)
    var fetch: (@Sendable (FetchContext) async throws -> any Sendable)?
    if let function = json["fn"]?.string {
      let fetcher = fetcher(function, client: name)
      options.abandonment = fetcher.abandonment
      // A default function is told the key of whoever uses it; it is known by then.
      let known = KnownKeys(self)
      fetch = { try await fetcher(known[$0.key]) }
    }
    client(name).setDefaults(options, for: key, fetch: fetch)
  }
}

/// The keys of a scenario in its own notation, as far as they occur in it.
private struct KnownKeys: Sendable {
  private var keys: [AnyQueryKey: JSON] = [:]

  init(_ stage: Stage) {
    for operation in stage.scenario.operations {
      for key in [operation["key"], operation["set"]?["key"]] {
        if let key { keys[AnyQueryKey(key)] = key }
      }
    }
  }

  subscript(key: AnyQueryKey) -> JSON { keys[key] ?? [] }
}

extension RefetchScope {
  /// What the reference calls `none` is ours to call never.
  fileprivate init?(reference: String) {
    if reference == "none" { self = .never } else { self.init(rawValue: reference) }
  }
}

extension JSON {
  /// What an updater of a scenario makes of a value; `nil` bails out.
  func applied(to old: JSON?) -> JSON? {
    if let value = self["value"] { return value }
    if let step = self["increment"]?.int { return old?.int.map { .int($0 + step) } }
    if let element = self["append"] { return .array((old?.array ?? []) + [element]) }
    if let fields = self["merge"] { return (old ?? .object([:])).merging(fields) }
    return nil
  }
}
