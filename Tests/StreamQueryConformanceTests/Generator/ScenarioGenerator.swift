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
  private static let delays = [0, 2, 97, 293, 485, 679, 1_067, 3_977]
  private static let times: [JSON] = [0, 1_843, 5_723, 12_707, "infinity"]

  mutating func scenario(named name: String) -> Scenario {
    var fetchers: [String: JSON] = [:]
    for index in Self.keys.indices { fetchers["f\(index)"] = fetcher(index) }
    var operations: [JSON] = []
    var time = 0
    for number in 0..<(8 + below(20)) {
      time += [1, 2, 98, 196, 390, 777, 1_263, 5_531][below(8)]
      operations.append(operation(number).merging(["at": .int(time)]))
    }
    let scenario: JSON = [
      "name": .string(name),
      "online": .bool(!oneIn(8)),
      "focused": .bool(!oneIn(8)),
      "defaults": ["queries": defaults()],
      "fetchers": .object(fetchers),
      "ops": .array(operations),
      "until": .int(time + 20_011),
    ]
    return Scenario(name: name, json: scenario)
  }

  private mutating func fetcher(_ index: Int) -> JSON {
    let outcomes = (0...below(4)).map { number -> JSON in
      let delay = JSON.int(Self.delays[below(Self.delays.count)])
      return oneIn(3)
        ? ["delay": delay, "error": .string("e\(index)\(number)")] : ["delay": delay, "auto": true]
    }
    return ["signal": .bool(oneIn(2)), "outcomes": .array(outcomes)]
  }

  private mutating func defaults() -> JSON {
    [
      "staleTime": pick(Self.times), "gcTime": pick([0, 5_917, 13_289, "infinity"]),
      "retry": .int(below(3)), "retryDelay": pick([0, 194, 1_843]),
      "retryOnMount": .bool(!oneIn(4)),
      "networkMode": pick(["online", "always", "offlineFirst"]),
      "refetchOnMount": policy(), "refetchOnFocus": policy(), "refetchOnReconnect": policy(),
      "refetchInterval": oneIn(4) ? .int(3_301) : false,
      "refetchIntervalInBackground": .bool(oneIn(2)),
    ]
  }

  private mutating func policy() -> JSON { pick([false, true, "always"]) }

  private mutating func operation(_ number: Int) -> JSON {
    let call = JSON.string("c\(number)")
    let observer = JSON.string("o\(below(4))")
    switch below(20) {
    case 0...3: return query(["op": "observe", "id": .string("o\(number)")])
    case 4: return ["op": "unobserve", "id": .string("o\(below(number + 1))")]
    case 5:
      return ["op": "setOptions", "id": .string("o\(below(number + 1))"), "set": set()]
    case 6:
      return [
        "op": "refetch", "id": .string("o\(below(number + 1))"), "cancelRefetch": .bool(oneIn(2)),
        "throwOnError": .bool(oneIn(2)), "call": call,
      ]
    case 7, 8: return query(["op": pick(["fetchQuery", "prefetchQuery"]), "call": call])
    case 9:
      return query(["op": "ensureQueryData", "revalidateIfStale": .bool(oneIn(2)), "call": call])
    case 10, 11:
      return [
        "op": "setQueryData", "key": pick(Self.keys), "call": call,
        "update": oneIn(5) ? ["nothing": true] : ["value": .string("w\(number)")],
      ]
    case 12, 13:
      return [
        "op": "invalidateQueries", "filters": filters(), "call": call,
        "refetchType": pick(["active", "inactive", "all", "none"]),
        "cancelRefetch": .bool(oneIn(2)),
      ]
    case 14:
      return [
        "op": "refetchQueries", "filters": filters(), "call": call,
        "cancelRefetch": .bool(oneIn(2)),
      ]
    case 15: return ["op": "cancelQueries", "filters": filters(), "call": call]
    case 16: return ["op": "resetQueries", "filters": filters(), "call": call]
    case 17: return ["op": "removeQueries", "filters": filters(), "call": call]
    case 18: return ["op": "setOnline", "value": .bool(oneIn(2)), "id": observer]
    default: return ["op": "setFocused", "value": .bool(oneIn(2)), "id": observer]
    }
  }

  private mutating func query(_ base: JSON) -> JSON {
    let index = below(Self.keys.count)
    var options = base.merging([
      "key": Self.keys[index], "fn": .string("f\(index)"),
    ])
    if oneIn(2) { options = options.merging(["staleTime": pick(Self.times)]) }
    if oneIn(5) { options = options.merging(["gcTime": pick([0, 5_917, "infinity"])]) }
    if oneIn(4) { options = options.merging(["retry": .int(below(3))]) }
    if base["op"] == "observe" {
      if oneIn(4) { options = options.merging(["enabled": false]) }
      if oneIn(5) { options = options.merging(["refetchInterval": .int(2_203)]) }
    }
    return options
  }

  private mutating func set() -> JSON {
    let index = below(Self.keys.count)
    switch below(4) {
    case 0: return ["key": Self.keys[index], "fn": .string("f\(index)")]
    case 1: return ["enabled": .bool(oneIn(2))]
    case 2: return ["staleTime": pick(Self.times)]
    default: return ["refetchInterval": pick([false, 2_203, 10_961])]
    }
  }

  private mutating func filters() -> JSON {
    var filters: JSON = oneIn(6) ? .object([:]) : ["key": pick(Self.keys + [["m", [:]]])]
    if oneIn(3) { filters = filters.merging(["type": pick(["active", "inactive"])]) }
    if oneIn(5) { filters = filters.merging(["stale": .bool(oneIn(2))]) }
    if filters["key"] != nil, oneIn(4) { filters = filters.merging(["exact": true]) }
    return filters
  }

  // MARK: Chance

  private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
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
