/// What a scenario may contain.
///
/// Whatever else stands in a file would be performed by nobody, so such a file is refused.
struct ScenarioFormat {
  typealias Shape = @Sendable (JSON) -> Bool

  /// What is not in the format, in words.
  private(set) var problems: [String] = []
  private let fetchers: Set<String>
  private let mutators: Set<String>

  static func problems(of scenario: JSON) -> [String] {
    var format = ScenarioFormat(
      fetchers: Set((scenario["fetchers"]?.object ?? [:]).keys),
      mutators: Set((scenario["mutators"]?.object ?? [:]).keys)
    )
    format.check(scenario)
    return format.problems
  }

  private init(fetchers: Set<String>, mutators: Set<String>) {
    self.fetchers = fetchers
    self.mutators = mutators
  }

  private mutating func check(_ scenario: JSON) {
    check(scenario, Self.scenario, at: "the scenario")
    check(scenario["defaults"] ?? .object([:]), Self.defaults, at: "defaults")
    check(defaults: scenario["defaults"])
    for (name, fetcher) in sorted(scenario["fetchers"]) {
      check(fetcher, Self.fetcher, at: "fetcher \(name)")
      for outcome in fetcher["outcomes"]?.array ?? [] {
        check(outcome, Self.outcome, at: "fetcher \(name)")
        for chunk in outcome["chunks"]?.array ?? [] {
          check(chunk, Self.chunk, at: "a chunk of fetcher \(name)")
        }
      }
    }
    for (name, mutator) in sorted(scenario["mutators"]) {
      check(mutator, ["outcomes": Self.isList], at: "mutator \(name)")
      for outcome in mutator["outcomes"]?.array ?? [] {
        check(outcome, Self.mutationOutcome, at: "mutator \(name)")
      }
    }
    for (index, operation) in (scenario["ops"]?.array ?? []).enumerated() {
      check(operation: operation, at: "operation \(index)")
    }
  }

  private mutating func check(defaults: JSON?) {
    check(defaults?["queries"] ?? .object([:]), Self.queryOptions, at: "defaults of queries")
    check(
      defaults?["mutations"] ?? .object([:]),
      Self.mutationOptions,
      at: "defaults of mutations"
    )
  }

  private mutating func check(operation: JSON, at place: String) {
    let name = operation["op"]?.string ?? ""
    let place = "\(place) (\(name))"
    guard let own = Self.operations[name] else {
      problems.append("\(place): unknown operation")
      return
    }
    check(operation, own.merging(Self.anyOperation) { $1 }, at: place)
    switch name {
    case "observeMutation": check(mutation: operation, at: place)
    case "setMutationDefaults":
      check(operation["options"] ?? .null, Self.mutationOptions, at: place)
      check(mutation: operation["options"] ?? .null, at: place)
    case "mutate": check(callbacks: operation["callbacks"], at: place)
    case "setQueryDefaults":
      check(operation["options"] ?? .null, Self.queryOptions, at: place)
      checkFunction(operation["options"], fetchers, at: place)
    case "hydrate":
      check(operation["queries"] ?? .object([:]), Self.queryOptions, at: place)
    case "setDefaults":
      check(operation["defaults"] ?? .null, Self.defaults, at: place)
      check(defaults: operation["defaults"])
    case "setOptions":
      let set = operation["set"] ?? .object([:])
      check(set, Self.queryOptions.merging(Self.mutationOptions) { $1 }, at: place)
      checkFunction(set, fetchers.union(mutators), at: place)
      check(callbacks: set["callbacks"], at: place)
      check(members: operation["queries"], at: place)
    case "observeQueries": check(members: operation["queries"], at: place)
    default: checkFunction(operation, fetchers, at: place)
    }
    let isAboutMutations = name == "isMutating"
    check(
      operation["filters"] ?? .object([:]),
      isAboutMutations ? Self.mutationFilters : Self.filters,
      at: "filters of \(place)"
    )
    if let update = operation["update"] { check(update, Self.update, at: "update of \(place)") }
  }

  private mutating func check(members: JSON?, at place: String) {
    for member in members?.array ?? [] {
      check(member, Self.queryOptions, at: "a query of \(place)")
      checkFunction(member, fetchers, at: place)
    }
  }

  private mutating func check(mutation: JSON, at place: String) {
    checkFunction(mutation, mutators, at: place)
    check(callbacks: mutation["callbacks"], at: place)
  }

  private mutating func check(callbacks: JSON?, at place: String) {
    for (name, callback) in sorted(callbacks) {
      let place = "\(name) of \(place)"
      guard Self.callbackNames.contains(name) else {
        problems.append("\(place): unknown callback")
        continue
      }
      check(callback, Self.callback, at: place)
      if let context = callback["context"] {
        check(context, ["value": Self.isAnything, "snapshotOf": Self.isList], at: place)
      }
      for operation in callback["do"]?.array ?? [] { check(operation: operation, at: place) }
    }
  }

  private mutating func checkFunction(_ json: JSON?, _ known: Set<String>, at place: String) {
    guard let name = json?["fn"]?.string, !known.contains(name) else { return }
    problems.append("\(place): unknown function \(name)")
  }

  private mutating func check(_ json: JSON, _ shapes: [String: Shape], at place: String) {
    guard let fields = json.object else {
      problems.append("\(place): \(json) is no object")
      return
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard let fits = shapes[name] else {
        problems.append("\(place): unknown field \(name)")
        continue
      }
      if !fits(value) { problems.append("\(place): \(name) cannot be \(value)") }
    }
  }

  private func sorted(_ json: JSON?) -> [(key: String, value: JSON)] {
    (json?.object ?? [:]).sorted { $0.key < $1.key }
  }
}

extension ScenarioFormat {
  // MARK: Shapes

  private static let isAnything: Shape = { _ in true }
  private static let isList: Shape = { $0.array != nil }
  private static let isObject: Shape = { $0.object != nil }
  private static let isText: Shape = { $0.string != nil }
  private static let isFlag: Shape = { $0.bool != nil }
  private static let isNumber: Shape = { $0.int != nil }

  private static func isOne(of values: JSON...) -> Shape { { values.contains($0) } }

  private static func either(_ shapes: Shape...) -> Shape {
    { value in shapes.contains { $0(value) } }
  }

  /// An object of these fields, the first ones being required.
  private static func object(_ required: [String], _ optional: [String] = []) -> Shape {
    { value in
      guard let names = value.object?.keys else { return false }
      return required.allSatisfy(names.contains)
        && names.allSatisfy { required.contains($0) || optional.contains($0) }
    }
  }

  // MARK: Fields

  private static let scenario: [String: Shape] = [
    "name": isText, "about": isText, "tags": isList, "online": isFlag, "focused": isFlag,
    "defaults": isObject, "fetchers": isObject, "mutators": isObject, "cacheCallbacks": isFlag,
    "ops": isList, "until": isNumber, "expected": isObject,
  ]
  private static let defaults: [String: Shape] = ["queries": isObject, "mutations": isObject]
  private static let fetcher: [String: Shape] = [
    "signal": isFlag, "outcomes": isList, "refetchMode": isOne(of: "reset", "append", "replace"),
  ]
  private static let chunk: [String: Shape] = [
    "delay": isNumber, "value": isAnything, "error": isText,
  ]
  private static let mutationOutcome: [String: Shape] = [
    "delay": isNumber, "value": isAnything, "error": isText, "auto": isFlag,
  ]
  private static let outcome = mutationOutcome.merging(["chunks": isList]) { $1 }

  private static let retry: [String: Shape] = [
    "retry": either(isFlag, isNumber, object(["max", "unless"])),
    "retryDelay": either(isNumber, object(["base", "factor"], ["max"])),
    "networkMode": isOne(of: "online", "offlineFirst", "always"),
    "gcTime": either(isNumber, isOne(of: "infinity")),
  ]
  private static let policy = either(isFlag, isOne(of: "always"))
  private static let pageParam = either(
    isOne(of: .null),
    object(["add"], ["max", "min"]),
    object(["field"])
  )
  private static let queryOptions: [String: Shape] = retry.merging([
    "key": isList, "fn": isText,
    "enabled": either(isFlag, isOne(of: ["untilData": true])),
    "staleTime": either(isNumber, isOne(of: "infinity", "static")),
    "retryOnMount": isFlag,
    "refetchOnMount": policy, "refetchOnFocus": policy, "refetchOnReconnect": policy,
    "refetchInterval": either(isNumber, isOne(of: false), object(["every", "untilUpdates"])),
    "refetchIntervalInBackground": isFlag,
    "initialData": isAnything, "initialDataUpdatedAt": isNumber,
    "placeholderData": either(isOne(of: .null, "keepPrevious"), object(["value"])),
    "select": either(
      isOne(of: .null),
      object([], ["field", "count", "pageCount", "wrap", "throw", "throwWhen", "message"])
    ),
    "infinite": isFlag, "initialPageParam": isAnything, "nextPage": pageParam,
    "previousPage": pageParam, "maxPages": isNumber,
  ]) { $1 }
  private static let mutationOptions: [String: Shape] = retry.merging([
    "key": isList, "fn": isText, "scope": isText, "callbacks": isObject,
  ]) { $1 }

  private static let callbackNames: Set = ["onMutate", "onSuccess", "onError", "onSettled"]
  private static let callback: [String: Shape] = [
    "delay": isNumber, "context": isObject, "do": isList, "await": isFlag, "throw": isText,
  ]
  private static let update: [String: Shape] = [
    "value": isAnything,  // Variables of a mutation may stand here.
    "increment": isAnything, "append": isAnything, "merge": isAnything,
    "keepFirstPages": isNumber, "nothing": isOne(of: true),
  ]
  private static let filters: [String: Shape] = [
    "key": isList, "exact": isFlag, "type": isOne(of: "active", "inactive", "all"),
    "stale": isFlag, "fetchStatus": isOne(of: "fetching", "paused", "idle"),
    "status": isOne(of: "pending", "success", "error"),
  ]
  private static let mutationFilters: [String: Shape] = [
    "key": isList, "exact": isFlag, "status": isOne(of: "idle", "pending", "success", "error"),
  ]

  // MARK: Operations

  private static let anyOperation: [String: Shape] = [
    "at": isNumber, "op": isText, "call": isText, "client": isText,
  ]
  private static let observer: [String: Shape] = ["id": isText]
  private static let command = observer.merging([
    "cancelRefetch": isFlag, "throwOnError": isFlag,
  ]) { $1 }
  private static let bulk: [String: Shape] = [
    "filters": isObject, "cancelRefetch": isFlag, "throwOnError": isFlag,
  ]
  private static let filtered: [String: Shape] = ["filters": isObject]
  private static let paged = queryOptions.merging(["pages": isNumber]) { $1 }
  private static let ensure = queryOptions.merging(["revalidateIfStale": isFlag]) { $1 }
  private static let operations: [String: [String: Shape]] = [
    "observe": queryOptions.merging(observer) { $1 },
    "unobserve": observer,
    "setOptions": observer.merging(["set": isObject, "queries": isList]) { $1 },
    "refetch": command, "fetchNextPage": command, "fetchPreviousPage": command,
    "observeQueries": observer.merging(["queries": isList]) { $1 },
    "observeMutation": mutationOptions.merging(observer) { $1 },
    "mutate": observer.merging(["variables": isAnything, "callbacks": isObject]) { $1 },
    "resetMutation": observer,
    "fetchQuery": queryOptions, "prefetchQuery": queryOptions, "query": queryOptions,
    "ensureQueryData": ensure, "ensureInfiniteQueryData": ensure,
    "fetchInfiniteQuery": paged, "prefetchInfiniteQuery": paged,
    "getQueryData": ["key": isList], "getQueriesData": filtered,
    "setQueryData": ["key": isList, "update": isObject, "updatedAt": isNumber],
    "setQueriesData": filtered.merging(["update": isObject]) { $1 },
    "invalidateQueries": bulk.merging([
      "refetchType": isOne(of: "active", "inactive", "all", "none")
    ]) { $1 },
    "refetchQueries": bulk, "resetQueries": filtered, "removeQueries": filtered,
    "cancelQueries": filtered.merging(["revert": isFlag, "silent": isFlag]) { $1 },
    "clear": [:], "isFetching": filtered, "isMutating": filtered,
    "setQueryDefaults": ["key": isList, "options": isObject],
    "setMutationDefaults": ["key": isList, "options": isObject],
    "setDefaults": ["defaults": isObject],
    "setOnline": ["value": isFlag], "setFocused": ["value": isFlag],
    "resumePausedMutations": [:],
    "dehydrate": ["as": isText, "includeErrors": isFlag],
    "hydrate": ["from": isText, "queries": isObject],
    "dump": [:],
  ]
}
