import StreamQuery
import StreamQueryTesting

extension Stage {
  /// Performs one operation, as far as it needs no waiting; the rest is a task of the simulation.
  ///
  /// - Returns: The rest, for callbacks that wait for it.
  func perform(_ operation: JSON, _ name: String) -> Task<Void, Never>? {
    switch operation["op"]?.string ?? "" {
    case "observe": observe(operation, name)
    case "unobserve": unobserve(operation)
    case "setOptions": setOptions(operation)
    case "observeQueries": observeGroup(operation, name)
    case "observeMutation": observeMutation(operation, name)
    case "mutate": return mutate(operation)
    case "resetMutation": resetMutation(operation)
    case "refetch", "fetchNextPage", "fetchPreviousPage": return command(operation)
    case "fetchQuery", "query", "fetchInfiniteQuery", "prefetchQuery", "prefetchInfiniteQuery",
      "ensureQueryData", "ensureInfiniteQueryData":
      return fetch(operation, name)
    case "getQueryData":
      let value = data(operation["key"] ?? [], client: name)
      answer(operation, value.map { ["value": $0] } ?? ["none": true])
    case "getQueriesData":
      answer(operation, ["entries": entries(client(name), filter(operation["filters"]))])
    case "setQueryData":
      let written = write(
        operation["update"] ?? .null,
        to: operation["key"] ?? [],
        updatedAt: operation["updatedAt"]?.int.map(Simulation.date),
        client: name
      )
      answer(operation, written.map { ["value": $0] } ?? ["none": true])
    case "setQueriesData": writeMany(operation, name)
    case "invalidateQueries", "refetchQueries", "resetQueries": return bulk(operation, name)
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
      // Whatever fetch status the filters name: those that fetch are counted.
      let filters = operation["filters"]?.merging(["fetchStatus": "fetching"])
      let count = client(name).fetchingCount(filter(filters))
      answer(operation, ["value": .int(count)])
    case "isMutating":
      let count = client(name).mutatingCount(mutationFilter(operation["filters"]))
      answer(operation, ["value": .int(count)])
    case "setQueryDefaults": setKeyDefaults(operation, name)
    case "setMutationDefaults": setMutationDefaults(operation, name)
    case "setDefaults":
      clientDefaults[name] = operation["defaults"]
      client(name).setDefaults(queryDefaults(of: name))
      client(name).setMutationDefaults(
        mutationOptions(defaults(of: name, "mutations")),
        for: []
      )
    case "setOnline": online.send(operation["value"]?.bool ?? true)
    case "setFocused": focused.send(operation["value"]?.bool ?? true)
    case "resumePausedMutations":
      let client = client(name)
      return call(operation) {
        await client.resumeMutations()
        return ["done": true]
      }
    case "dehydrate": dehydrate(operation, name)
    case "hydrate": hydrate(operation, name)
    case "dump": answer(operation, ["cache": dump(name)])
    case let other: violations.append("an operation that the runner does not know: \(other)")
    }
    return nil
  }

  // MARK: Calls

  /// Notes the outcome of a call that returned at once.
  func answer(_ operation: JSON, _ outcome: JSON) {
    guard let id = operation["call"]?.string else { return }
    ledger.close(ledger.open(id), outcome)
  }

  /// Awaits a call in a task of the simulation.
  func call(
    _ operation: JSON,
    _ body: @escaping @Sendable () async throws -> JSON
  ) -> Task<Void, Never> {
    let line = operation["call"]?.string.map(ledger.open)
    let ledger = ledger
    return task(operation["op"]?.string ?? "call") {
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

  private func task(
    _ name: String,
    _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if startsCallsAtOnce, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return Task.immediate(executorPreference: simulation.executor) { await body() }
    }
    return simulation.task(name, body)
  }

  /// Keeps defaults of a key; those that were registered before for the same key go.
  func register(
    _ defaults: (key: AnyQueryKey, options: JSON),
    in registered: inout [(key: AnyQueryKey, options: JSON)]
  ) {
    if let place = registered.firstIndex(where: { $0.key == defaults.key }) {
      registered[place] = defaults
    } else {
      registered.append(defaults)
    }
  }

  private func fetch(_ operation: JSON, _ name: String) -> Task<Void, Never> {
    let client = client(name)
    let kind = operation["op"]?.string ?? ""
    let revalidates = operation["revalidateIfStale"]?.bool ?? false
    if isPaged(operation["key"] ?? []) {
      let query = pagedQuery(operation, client: name)
      let count = operation["pages"]?.int
      return call(operation) {
        switch kind {
        case "prefetchQuery", "prefetchInfiniteQuery":
          if let count {
            await client.prefetch(query, pages: count)
          } else {
            await client.prefetch(query)
          }
          return ["done": true]
        case "ensureQueryData", "ensureInfiniteQueryData":
          return ["value": JSON(try await client.ensure(query, revalidating: revalidates))]
        default:
          let run =
            if let count {
              try await client.fetch(query, pages: count)
            } else {
              try await client.fetch(query)
            }
          return ["value": JSON(run)]
        }
      }
    }
    let query = query(operation, client: name)
    let options = completed(operation, client: name)
    let select = ScenarioSelect(kind == "query" ? options["select"] : nil)
    return call(operation) {
      switch kind {
      case "prefetchQuery":
        await client.prefetch(query)
        return ["done": true]
      case "ensureQueryData":
        return ["value": try await client.ensure(query, revalidating: revalidates)]
      default:
        let value = try await client.fetch(query)
        return ["value": try select?(value) ?? value]
      }
    }
  }

  // MARK: Writes

  private func writeMany(_ operation: JSON, _ name: String) {
    let update = operation["update"] ?? .null
    let filter = filter(operation["filters"])
    let client = client(name)
    // Which entries match, and what becomes of each, is decided before the first of them changes.
    let entries = client.diagnostics(filter).map { info -> JSON in
      .fields([
        ("key", keys[info.key]), ("data", update.applied(to: JSON(erased: info.data))),
      ])
    }
    client.updateData(matching: filter, of: JSON.self) { $1 = update.applied(to: $1) }
    client.updateData(matching: filter, of: PageRun.self) { _, run in
      run = update.applied(to: run.map { JSON($0) })?.run
    }
    answer(operation, ["entries": .array(entries)])
  }

  // MARK: Bulk

  private func bulk(_ operation: JSON, _ name: String) -> Task<Void, Never> {
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
      return call(operation) {
        if throwsErrors {
          try await client.invalidate(
            filter,
            refetch: scope,
            superseding: supersedes,
            throwOnError: true
          )
        } else {
          await client.invalidate(filter, refetch: scope, superseding: supersedes)
        }
        return ["done": true]
      }
    case "refetchQueries":
      return call(operation) {
        if throwsErrors {
          try await client.refetch(filter, superseding: supersedes, throwOnError: true)
        } else {
          await client.refetch(filter, superseding: supersedes)
        }
        return ["done": true]
      }
    default:
      return call(operation) {
        await client.reset(filter)
        return ["done": true]
      }
    }
  }

  private func setKeyDefaults(_ operation: JSON, _ name: String) {
    let key = AnyQueryKey(operation["key"] ?? [])
    let json = operation["options"] ?? .object([:])
    register((key, json), in: &keyDefaults[name, default: []])
    var options = QueryOptions(json)
    var fetch: (@Sendable (FetchContext) async throws -> any Sendable)?
    if let function = json["fn"]?.string {
      let fetcher = fetcher(function, client: name)
      options.onAbandonment = fetcher.abandonment
      // A default function is told the key of whoever uses it; it is known by then.
      let keys = keys
      fetch = { try await fetcher(keys[$0.key] ?? []) }
    }
    client(name).setDefaults(options, for: key, fetch: fetch)
  }
}

extension RefetchScope {
  /// What the reference calls `none` is ours to call never.
  fileprivate init?(reference: String) {
    if reference == "none" { self = .never } else { self.init(rawValue: reference) }
  }
}
