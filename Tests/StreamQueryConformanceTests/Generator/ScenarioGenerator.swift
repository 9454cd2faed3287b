/// Makes random scenarios in the format of the recorded ones, the same ones for the same seed.
///
/// Keys share prefixes, fetchers fail at times, and everything that a user may do to queries happens:
/// also what recorded scenarios leave out, such as removing watched entries.
struct ScenarioGenerator {
  private var random: SplitMix

  init(seed: UInt64) {
    random = SplitMix(state: seed)
  }

  private static let keys: [JSON] = [
    ["k"], ["k", 1], ["k", 2], ["k", 1, "x"], ["m", ["page": 1]],
  ]
  private static let pagedKeys: [JSON] = [["p"], ["p", 1]]
  private static let delays = [0, 2, 97, 293, 485, 679, 1_067, 3_977]
  private static let times: [JSON] = [0, 1_843, 5_723, 12_707, "infinity"]

  private var observers: [String] = []
  private var pagedObservers: [String] = []
  private var groups: [String] = []
  private var mutations: [String] = []
  private var archives: [String] = []
  private var mutators: [String: JSON] = [:]

  mutating func scenario(named name: String) -> Scenario {
    var fetchers: [String: JSON] = ["s": stream()]
    for index in Self.keys.indices { fetchers["f\(index)"] = fetcher(index) }
    for index in Self.pagedKeys.indices { fetchers["p\(index)"] = fetcher(10 + index) }
    var operations: [JSON] = []
    var time = 0
    for number in 0..<(8 + below(24)) {
      time += [1, 2, 98, 196, 390, 777, 1_263, 5_531][below(8)]
      operations.append(operation(number).merging(["at": .int(time)]))
    }
    // What an archive brings back finds its function by its key.
    let functions = ["main", "other"].flatMap { client in
      mutators.keys.sorted().map { name -> JSON in
        [
          "at": 0, "op": "setMutationDefaults", "client": .string(client),
          "key": ["m", .string(name)], "options": ["fn": .string(name)],
        ]
      }
    }
    let scenario: JSON = [
      "name": .string(name),
      "online": .bool(!oneIn(8)),
      "focused": .bool(!oneIn(8)),
      "cacheCallbacks": .bool(oneIn(2)),
      "defaults": ["queries": defaults(), "mutations": mutationDefaults()],
      "fetchers": .object(fetchers),
      "mutators": .object(mutators),
      "ops": .array(functions + operations),
      "until": .int(time + 20_011),
    ]
    return Scenario(name: name, json: scenario)
  }

  private mutating func fetcher(_ index: Int) -> JSON {
    let outcomes = (0...below(4)).map { outcome("e\(index)\($0)") }
    return ["signal": .bool(oneIn(2)), "outcomes": .array(outcomes)]
  }

  private mutating func outcome(_ error: String, shift: Int = 0) -> JSON {
    let delay = JSON.int(Self.delays[below(Self.delays.count)] + shift)
    return oneIn(3) ? ["delay": delay, "error": .string(error)] : ["delay": delay, "auto": true]
  }

  private mutating func stream() -> JSON {
    let outcomes = (0...below(2)).map { number -> JSON in
      let chunks = (0...below(3)).map { part -> JSON in
        let delay = JSON.int(Self.delays[below(5)])
        return oneIn(6)
          ? ["delay": delay, "error": "torn"]
          : ["delay": delay, "value": .string("\(number)/\(part)")]
      }
      return ["chunks": .array(chunks)]
    }
    return [
      "signal": .bool(oneIn(2)), "outcomes": .array(outcomes),
      "refetchMode": pick(["reset", "append", "replace"]),
    ]
  }

  private mutating func defaults() -> JSON {
    [
      // Not 0: what callbacks write would be gone or not when they look for it, as tasks come.
      "staleTime": pick(Self.times), "gcTime": pick([1, 5_917, 13_289, "infinity"]),
      "retry": .int(below(3)), "retryDelay": pick([0, 194, 1_843]),
      "retryOnMount": .bool(!oneIn(4)),
      "networkMode": pick(["online", "always", "offlineFirst"]),
      "refetchOnMount": policy(), "refetchOnFocus": policy(), "refetchOnReconnect": policy(),
      "refetchInterval": oneIn(4) ? .int(3_301) : false,
      "refetchIntervalInBackground": .bool(oneIn(2)),
    ]
  }

  private mutating func mutationDefaults() -> JSON {
    [
      "retry": .int(below(3)), "retryDelay": pick([0, 194, 1_843]),
      "networkMode": pick(["online", "always", "offlineFirst"]),
      "gcTime": pick([0, 5_917, "infinity"]),
    ]
  }

  private mutating func policy() -> JSON { pick([false, true, "always"]) }

  private mutating func operation(_ number: Int) -> JSON {
    switch below(12) {
    case 0, 1: return bulk(number)
    case 2: return pages(number)
    case 3, 4: return mutation(number)
    case 5: return group(number)
    case 6: return elsewhere(number)
    default: return plain(number)
    }
  }

  // MARK: Plain queries

  private mutating func plain(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    switch below(16) {
    case 5 where !observers.isEmpty: return ["op": "unobserve", "id": any(observers)]
    case 6...7 where !observers.isEmpty:
      return ["op": "setOptions", "id": any(observers), "set": set()]
    case 8...9 where !observers.isEmpty:
      return [
        "op": "refetch", "id": any(observers), "cancelRefetch": .bool(oneIn(2)),
        "throwOnError": .bool(oneIn(2)), "call": call,
      ]
    case 10:
      return query(["op": pick(["fetchQuery", "prefetchQuery", "query"]), "call": call])
    case 11:
      return query(["op": "ensureQueryData", "revalidateIfStale": .bool(oneIn(2)), "call": call])
    case 12: return write(number)
    case 13: return ["op": "setOnline", "value": .bool(!oneIn(3))]
    case 14: return ["op": "setFocused", "value": .bool(!oneIn(3))]
    default:
      observers.append("o\(number)")
      return query(["op": "observe", "id": .string("o\(number)")])
    }
  }

  private mutating func write(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    if oneIn(4) {
      return [
        "op": "setQueriesData", "filters": filters(), "call": call,
        "update": oneIn(2) ? ["append": .int(number)] : ["nothing": true],
      ]
    }
    let write: JSON = [
      "op": "setQueryData", "key": pick(Self.keys), "call": call,
      "update": oneIn(5) ? ["nothing": true] : ["value": .string("w\(number)")],
    ]
    return oneIn(4) ? write.merging(["updatedAt": .int(below(3_000))]) : write
  }

  private mutating func bulk(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    let bulk: JSON = ["filters": filters(), "call": call]
    switch below(9) {
    case 0, 1, 2:
      return bulk.merging([
        "op": "invalidateQueries", "cancelRefetch": .bool(oneIn(2)),
        "throwOnError": .bool(oneIn(4)),
        "refetchType": pick(["active", "inactive", "all", "none"]),
      ])
    case 3, 4:
      return bulk.merging([
        "op": "refetchQueries", "cancelRefetch": .bool(oneIn(2)), "throwOnError": .bool(oneIn(4)),
      ])
    case 5: return bulk.merging(["op": "cancelQueries"])
    case 6: return bulk.merging(["op": "resetQueries"])
    case 7: return bulk.merging(["op": "removeQueries"])
    default: return bulk.merging(["op": pick(["isFetching", "getQueriesData"])])
    }
  }

  private mutating func query(_ base: JSON) -> JSON {
    var options = base.merging(identity())
    if oneIn(2) { options = options.merging(["staleTime": pick(Self.times + ["static"])]) }
    if oneIn(5) { options = options.merging(["gcTime": pick([0, 5_917, "infinity"])]) }
    if oneIn(4) { options = options.merging(["retry": .int(below(3))]) }
    if base["op"] == "query", oneIn(2) { options = options.merging(["select": select()]) }
    return base["op"] == "observe" ? observed(options) : options
  }

  private mutating func identity() -> JSON {
    let index = below(Self.keys.count + 1)
    return index == Self.keys.count
      ? ["key": ["s"], "fn": "s"] : ["key": Self.keys[index], "fn": .string("f\(index)")]
  }

  /// What only observers ask for.
  private mutating func observed(_ options: JSON) -> JSON {
    var options = options
    if oneIn(5) { options = options.merging(["enabled": oneIn(3) ? ["untilData": true] : false]) }
    if oneIn(5) {
      let interval: JSON = oneIn(2) ? 2_203 : ["every": 1_511, "untilUpdates": 3]
      options = options.merging(["refetchInterval": interval])
    }
    if oneIn(3) { options = options.merging(["select": select()]) }
    if oneIn(3) {
      options = options.merging(["placeholderData": pick(["keepPrevious", ["value": "stand-in"]])])
    }
    if oneIn(8) { options = options.merging(["initialData": "initial"]) }
    return options
  }

  private mutating func select() -> JSON {
    pick([
      .null, ["wrap": "s"], ["count": true], ["throw": "bad"],
      ["throwWhen": "k/1#2", "message": "two"],
    ])
  }

  private mutating func set() -> JSON {
    switch below(8) {
    case 0, 1, 2: identity()
    case 3: ["enabled": .bool(oneIn(2))]
    case 4: ["staleTime": pick(Self.times)]
    case 5: ["select": select()]
    case 6: ["placeholderData": pick([.null, "keepPrevious", ["value": "other"]])]
    default: ["refetchInterval": pick([false, 2_203, 10_961])]
    }
  }

  // MARK: Pages

  private mutating func pages(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    switch below(8) {
    case 1...4 where !pagedObservers.isEmpty:
      return [
        "op": pick(["fetchNextPage", "fetchPreviousPage", "fetchNextPage", "refetch"]),
        "id": any(pagedObservers), "cancelRefetch": .bool(oneIn(2)), "call": call,
      ]
    case 5 where !pagedObservers.isEmpty: return ["op": "unobserve", "id": any(pagedObservers)]
    case 6:
      return paged([
        "op": pick(["fetchInfiniteQuery", "prefetchInfiniteQuery"]), "call": call,
        "pages": .int(1 + below(3)),
      ])
    default:
      pagedObservers.append("o\(number)")
      let options = paged(["op": "observe", "id": .string("o\(number)"), "infinite": true])
      return oneIn(4) ? options.merging(["select": ["pageCount": true]]) : options
    }
  }

  private mutating func paged(_ base: JSON) -> JSON {
    let index = below(Self.pagedKeys.count)
    var options = base.merging([
      "key": Self.pagedKeys[index], "fn": .string("p\(index)"), "initialPageParam": 0,
      "nextPage": ["add": 1, "max": 3], "previousPage": ["add": -1, "min": -2],
    ])
    if oneIn(2) { options = options.merging(["staleTime": pick(Self.times)]) }
    if base["op"] == "observe", oneIn(3) { options = options.merging(["maxPages": 2]) }
    return options
  }

  // MARK: Mutations

  private mutating func mutation(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    switch below(8) {
    case 0 where !mutations.isEmpty: return ["op": "resetMutation", "id": any(mutations)]
    case 1 where !mutations.isEmpty: return ["op": "unobserve", "id": any(mutations)]
    case 2 where !mutations.isEmpty:
      return [
        "op": "setOptions", "id": any(mutations),
        "set": oneIn(2) ? ["callbacks": callbacks(number)] : ["retry": .int(below(3))],
      ]
    case 3...6 where !mutations.isEmpty:
      return [
        "op": "mutate", "id": any(mutations), "variables": .int(number), "call": call,
        "callbacks": oneIn(3) ? ["onSuccess": [:], "onSettled": [:]] : [:],
      ]
    default:
      // Each has a function of its own: which of two runs calls it first is up to the schedule.
      mutations.append("m\(number)")
      mutators["m\(number)"] = [
        "outcomes": .array((0...below(3)).map { outcome("x\(number)\($0)", shift: 7) })
      ]
      let options: JSON = [
        "op": "observeMutation", "id": .string("m\(number)"), "key": ["m", .string("m\(number)")],
        "fn": .string("m\(number)"), "callbacks": callbacks(number),
      ]
      return oneIn(2) ? options.merging(["scope": pick(["lane", "other lane"])]) : options
    }
  }

  /// An optimistic change that is taken back if the run fails, and a refetch when it is over.
  private mutating func callbacks(_ number: Int) -> JSON {
    let key = JSON.array(["own", .int(number)])
    var callbacks: JSON = [
      "onMutate": [
        "context": ["snapshotOf": key],
        "do": [["op": "setQueryData", "key": key, "update": ["value": "$variables"]]],
      ],
      "onError": [
        "do": [["op": "setQueryData", "key": key, "update": ["value": ["$context": "previous"]]]]
      ],
    ]
    if oneIn(2) {
      let invalidation: JSON = ["op": "invalidateQueries", "filters": filters()]
      callbacks = callbacks.merging([
        "onSettled": ["await": .bool(oneIn(2)), "do": [invalidation]]
      ])
    }
    if oneIn(3) { callbacks = callbacks.merging(["onSuccess": ["delay": 53]]) }
    return callbacks
  }

  // MARK: Groups and archives

  private mutating func group(_ number: Int) -> JSON {
    switch below(4) {
    case 0 where !groups.isEmpty: return ["op": "unobserve", "id": any(groups)]
    case 1...2 where !groups.isEmpty:
      return ["op": "setOptions", "id": any(groups), "queries": members()]
    default:
      groups.append("g\(number)")
      return ["op": "observeQueries", "id": .string("g\(number)"), "queries": members()]
    }
  }

  private mutating func members() -> JSON {
    .array(
      (0...below(3)).map { _ in
        oneIn(5) ? paged(["infinite": true]) : observed(identity())
      }
    )
  }

  /// What moves to another client, and what is done there.
  private mutating func elsewhere(_ number: Int) -> JSON {
    switch below(5) {
    case 0, 1:
      archives.append("a\(number)")
      return [
        "op": "dehydrate", "as": .string("a\(number)"), "includeErrors": .bool(oneIn(2)),
        "call": .string("c\(number)"),
      ]
    case 2 where !archives.isEmpty:
      return ["op": "hydrate", "from": any(archives), "client": pick(["main", "other"])]
    case 3:
      observers.append("o\(number)")
      return query(["op": "observe", "id": .string("o\(number)"), "client": "other"])
    default:
      return [
        "op": "resumePausedMutations", "client": pick(["main", "other"]),
        "call": .string("c\(number)"),
      ]
    }
  }

  private mutating func filters() -> JSON {
    var filters: JSON =
      oneIn(6) ? .object([:]) : ["key": pick(Self.keys + [["m", [:]], ["p"], ["s"], ["own"]])]
    if oneIn(3) { filters = filters.merging(["type": pick(["active", "inactive"])]) }
    if oneIn(8) {
      filters = filters.merging(["fetchStatus": pick(["fetching", "idle", "paused"])])
    }
    if oneIn(8) { filters = filters.merging(["status": pick(["pending", "success", "error"])]) }
    if oneIn(5) { filters = filters.merging(["stale": .bool(oneIn(2))]) }
    if filters["key"] != nil, oneIn(4) { filters = filters.merging(["exact": true]) }
    return filters
  }

  // MARK: Chance

  private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  private mutating func any(_ names: [String]) -> JSON { .string(names[below(names.count)]) }
  private mutating func pick(_ values: [JSON]) -> JSON { values[below(values.count)] }

  /// Sebastiano Vigna's SplitMix64: public domain, a few lines, the same everywhere.
  private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
