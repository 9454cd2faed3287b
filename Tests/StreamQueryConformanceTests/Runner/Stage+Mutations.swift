import StreamQuery
import StreamQueryTesting

/// One observer of mutations.
final class MutationWatch {
  let client: String
  let handle: MutationObserver<JSON, JSON>
  let recording: ResultRecording<MutationRun<JSON, JSON>>
  var isLive = true
  /// The options as the scenario set them last.
  var options: JSON
  /// Counts what it was told to do: callbacks of a call belong to the newest one only.
  var serial = 0

  init(
    client: String,
    handle: MutationObserver<JSON, JSON>,
    options: JSON,
    simulation: Simulation
  ) {
    self.options = options
    self.client = client
    self.handle = handle
    recording = simulation.record(handle.runs)
  }
}

/// What `onMutate` returned.
private struct SavedContext: Sendable {
  var json: JSON?
}

/// A run in the notation of traces: what has its usual value is left out.
func snapshot(_ run: MutationRun<JSON, JSON>) -> JSON {
  .fields([
    ("status", .string(run.status.rawValue)),
    ("isPaused", run.isPaused ? true : nil),
    ("variables", run.input),
    ("data", run.output),
    ("error", run.error.map { .string(message(of: $0)) }),
    ("failureCount", run.failureCount == 0 ? nil : .int(run.failureCount)),
    ("failureReason", run.failureReason.map { .string(message(of: $0)) }),
    ("context", run.saved(as: SavedContext.self)?.json),
    ("submittedAt", run.submittedAt.map(Simulation.milliseconds)),
  ])
}

extension Stage {
  func mutationOptions(_ json: JSON) -> MutationOptions {
    let base = QueryOptions(json)
    return MutationOptions(
      retry: base.retry,
      networkMode: base.networkMode,
      gcTime: base.gcTime,
      scope: json["scope"]?.string
    )
  }

  func mutator(_ name: String) -> ScenarioMutator {
    ScenarioMutator(
      name: name,
      outcomes: scenario.json["mutators"]?[name]?["outcomes"]?.array ?? [],
      ledger: ledger
    )
  }

  func observeMutation(_ operation: JSON, _ name: String) {
    let id = operation["id"]?.string ?? ""
    let client = client(name)
    let handle = client.observer(of: mutation(operation, id: id, client: name))
    mutations[id] = MutationWatch(
      client: name,
      handle: handle,
      options: operation,
      simulation: simulation
    )
  }

  func setOptions(_ set: JSON, of watch: MutationWatch, id: String) {
    let old = watch.options
    watch.options = old.merging(set)
    watch.handle.update(mutation: mutation(watch.options, id: id, client: watch.client))
    if let key = watch.options["key"], let oldKey = old["key"], key != oldKey { watch.serial += 1 }
  }

  func mutate(_ operation: JSON) -> Task<Void, Never>? {
    let id = operation["id"]?.string ?? ""
    guard let watch = mutations[id] else { return nil }
    watch.serial += 1
    let (handle, serial, client) = (watch.handle, watch.serial, watch.client)
    let variables = operation["variables"] ?? .null
    let callbacks = operation["callbacks"] ?? .object([:])
    let callBack = { @Sendable (name: String, outcome: (String, JSON)) async -> Void in
      guard let callback = callbacks[name], self.mutations[id]?.isFollowing(serial) == true
      else { return }
      let context = handle.run.saved(as: SavedContext.self)?.json
      self.ledger.callback(
        of: id,
        "call.\(name)",
        .fields([outcome, ("variables", variables), ("context", context)])
      )
      // Nobody waits for what a callback of a call does.
      _ = self.simulation.task("call.\(name)") {
        _ = try? await self.perform(callback, variables, context, client: client)
      }
    }
    return call(operation) {
      do {
        let value = try await handle.mutate(variables, detached: true)
        await callBack("onSuccess", ("data", value))
        await callBack("onSettled", ("data", value))
        return ["value": value]
      } catch {
        let text = JSON.string(message(of: error))
        await callBack("onError", ("error", text))
        await callBack("onSettled", ("error", text))
        throw error
      }
    }
  }

  func resetMutation(_ operation: JSON) {
    guard let watch = mutations[operation["id"]?.string ?? ""] else { return }
    watch.serial += 1
    watch.handle.reset()
  }

  func setMutationDefaults(_ operation: JSON, _ name: String) {
    let key = AnyQueryKey(operation["key"] ?? [])
    let options = operation["options"] ?? .object([:])
    register((key, options), in: &mutationDefaults[name, default: []])
    var perform: (@Sendable (any Sendable, MutationContext) async throws -> any Sendable)?
    if let function = options["fn"]?.string {
      let mutator = mutator(function)
      perform = { variables, _ in try await mutator((variables as? JSON) ?? .null) }
    }
    client(name).setMutationDefaults(
      mutationOptions(options),
      for: key,
      perform: perform
    )
  }

  func mutationFilter(_ json: JSON?) -> MutationFilter {
    var filter = MutationFilter.all
    if let key = json?["key"].map({ AnyQueryKey($0) }) {
      filter = json?["exact"]?.bool == true ? .key(key) : .prefix(key)
    }
    if let status = json?["status"]?.string.flatMap(MutationStatus.init) {
      filter = filter && .status(status)
    }
    return filter
  }

  // MARK: The mutation

  private func mutation(_ json: JSON, id: String, client name: String) -> Mutation<JSON, JSON> {
    let key = AnyQueryKey(json["key"] ?? [])
    var mutation = Mutation<JSON, JSON>(key: key)
    if let function = json["fn"]?.string {
      let mutator = mutator(function)
      mutation = Mutation(key: key) { (variables: JSON) in try await mutator(variables) }
    }
    var callbacks = json["callbacks"]
    for registered in mutationDefaults[name] ?? []
    where registered.key.isPrefix(of: key) && callbacks == nil {
      callbacks = registered.options["callbacks"]
    }
    let options = mutationOptions(json)
    mutation = mutation.options { $0 = options }
    return with(callbacks ?? .object([:]), mutation, id: id, client: name)
  }

  private func with(
    _ callbacks: JSON,
    _ mutation: Mutation<JSON, JSON>,
    id: String,
    client name: String
  ) -> Mutation<JSON, JSON> {
    var mutation = mutation
    if let callback = callbacks["onMutate"] {
      mutation = mutation.onMutate { variables, _ in
        self.ledger.callback(of: id, "onMutate", ["variables": variables])
        return try await self.perform(callback, variables, nil, client: name)
      }
    }
    if let callback = callbacks["onSuccess"] {
      mutation = mutation.onSuccess { data, context in
        try await self.called(callback, "onSuccess", [("data", data)], context, id, name)
      }
    }
    if let callback = callbacks["onError"] {
      mutation = mutation.onError { error, context in
        let text = JSON.string(message(of: error))
        try await self.called(callback, "onError", [("error", text)], context, id, name)
      }
    }
    if let callback = callbacks["onSettled"] {
      mutation = mutation.onSettled { result, context in
        let outcome: (String, JSON) =
          switch result {
          case .success(let data): ("data", data)
          case .failure(let error): ("error", .string(message(of: error)))
          }
        try await self.called(callback, "onSettled", [outcome], context, id, name)
      }
    }
    return mutation
  }

  private func called(
    _ callback: JSON,
    _ event: String,
    _ outcome: [(String, JSON?)],
    _ context: MutationCallbackContext<JSON>,
    _ id: String,
    _ client: String
  ) async throws {
    let saved = context.saved(as: SavedContext.self)?.json
    ledger.callback(
      of: id,
      event,
      .fields(outcome + [("variables", context.input), ("context", saved)])
    )
    _ = try await perform(callback, context.input, saved, client: client)
  }

  /// Does what a callback declares: waits, makes a context, performs operations, throws.
  @discardableResult
  private func perform(
    _ callback: JSON,
    _ variables: JSON,
    _ context: JSON?,
    client name: String
  ) async throws -> SavedContext {
    await ledger.wait(callback["delay"]?.int ?? 0)
    guard !isOver else { throw CancellationError() }
    var saved: JSON?
    if let declared = callback["context"] {
      if let key = declared["snapshotOf"] {
        saved = ["previous": data(key, client: name) ?? .null]
      } else {
        saved = declared["value"]
      }
    }
    for operation in callback["do"]?.array ?? [] {
      let filled =
        operation.filled(variables: variables, context: context ?? saved) ?? .object([:])
      // As any function does, a call begins where it is called, and not when its task is run.
      startsCallsAtOnce = true
      let task = perform(filled, filled["client"]?.string ?? name)
      startsCallsAtOnce = false
      if callback["await"]?.bool == true { await task?.value }
    }
    if let message = callback["throw"]?.string { throw ScenarioError(message: message) }
    return SavedContext(json: saved)
  }

  /// Logs how a fetch ended.
  func note(_ event: QueryEvent, of client: String) {
    guard !isOver, let key = keys[event.key] else { return }
    let data = data(key, client: client)
    switch event.kind {
    case .fetchSucceeded:
      for name in ["query.onSuccess", "query.onSettled"] {
        ledger.cacheCallback(name, .fields([("key", key), ("data", data)]))
      }
    case .fetchFailed(let error):
      let text = JSON.string(message(of: error))
      ledger.cacheCallback("query.onError", ["key": key, "error": text])
      ledger.cacheCallback(
        "query.onSettled",
        .fields([("key", key), ("data", data), ("error", text)])
      )
    default: break
    }
  }

  /// Hooks that log what happens to every mutation.
  static func hooks(_ ledger: Ledger) -> MutationHooks {
    @Sendable func variables(_ info: MutationInfo) -> JSON { (info.input as? JSON) ?? .null }
    @Sendable func text(_ error: any Error) -> JSON { .string(message(of: error)) }
    return MutationHooks(
      onMutate: { info, _ in
        ledger.cacheCallback("mutation.onMutate", ["variables": variables(info)])
      },
      onSuccess: { data, info, _ in
        ledger.cacheCallback(
          "mutation.onSuccess",
          .fields([("data", data as? JSON), ("variables", variables(info))])
        )
      },
      onError: { error, info, _ in
        ledger.cacheCallback(
          "mutation.onError",
          ["error": text(error), "variables": variables(info)]
        )
      },
      onSettled: { result, info, _ in
        let outcome: (String, JSON?) =
          switch result {
          case .success(let data): ("data", data as? JSON)
          case .failure(let error): ("error", text(error))
          }
        ledger.cacheCallback(
          "mutation.onSettled",
          .fields([outcome, ("variables", variables(info))])
        )
      }
    )
  }
}

extension MutationWatch {
  /// Whether it still follows what it was told at a time.
  func isFollowing(_ serial: Int) -> Bool { isLive && self.serial == serial }
}
