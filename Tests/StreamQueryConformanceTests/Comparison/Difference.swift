/// Where two traces part.
struct Difference: Equatable, CustomStringConvertible {
  /// The millisecond of the difference; the end for what is compared at the end.
  var time: Int
  /// What differs: an observer, a fetch log, a call, a cache.
  var place: String
  var expected: String
  var actual: String

  var description: String {
    "t=\(time) \(place): expected \(expected), got \(actual)"
  }
}

extension Difference {
  /// The first difference in time between a recorded trace and ours; `nil` if they are the same.
  static func first(expected: JSON, actual: JSON, until: Int) -> Difference? {
    let expected = normalized(expected)
    let actual = normalized(actual)
    guard expected != actual else { return nil }
    var found: [Difference] = []
    collect(expected["observers"], actual["observers"], "observer ", end: until, into: &found)
    collect(expected["fetches"], actual["fetches"], "fetch ", end: until, into: &found)
    collect(expected["mutations"], actual["mutations"], "mutator ", end: until, into: &found)
    collect(expected["callbacks"], actual["callbacks"], "callbacks ", end: until, into: &found)
    found += logs(
      expected["cacheCallbacks"],
      actual["cacheCallbacks"],
      "cacheCallbacks",
      end: until
    )
    collectCalls(expected["calls"], actual["calls"], end: until, into: &found)
    collect(expected["final"], actual["final"], "final ", end: until, into: &found)
    let earliest = found.enumerated().min {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    return earliest?.element
      ?? Difference(
        time: until,
        place: "trace",
        expected: expected.description,
        actual: actual.description
      )
  }

  /// Both sides in one form: what has no order becomes sorted or named, empty parts go.
  private static func normalized(_ trace: JSON) -> JSON {
    guard var fields = trace.object else { return trace }
    fields["fetches"] = .object(
      Dictionary(
        (fields["fetches"]?.array ?? []).map { fetch in
          let client = fetch["client"].map { "\($0.string ?? "") " } ?? ""
          let name = "\(client)\(fetch["fn"]?.string ?? "") \(fetch["key"] ?? [])"
          return (name, fetch["log"] ?? [])
        },
        uniquingKeysWith: { $1 }
      )
    )
    fields["mutations"] = .object(
      Dictionary(
        (fields["mutations"]?.array ?? []).map { ($0["fn"]?.string ?? "", $0["log"] ?? []) },
        uniquingKeysWith: { $1 }
      )
    )
    fields["calls"] = .array(
      (fields["calls"]?.array ?? []).map { call in
        guard let parts = call.array, parts.count == 3 else { return call }
        return [parts[0], parts[1], sorted(parts[2])]
      }
    )
    fields["final"] = .object((fields["final"]?.object ?? [:]).mapValues(sortedCache))
    for name in ["observers", "callbacks"] { fields[name] = fields[name] ?? .object([:]) }
    fields["callbacks"] = .object((fields["callbacks"]?.object ?? [:]).filter { $1 != [] })
    fields["cacheCallbacks"] = fields["cacheCallbacks"] ?? []
    return .object(fields)
  }

  private static func sorted(_ outcome: JSON) -> JSON {
    guard var fields = outcome.object else { return outcome }
    if let entries = fields["entries"] { fields["entries"] = byKey(entries) }
    if let cache = fields["cache"] { fields["cache"] = sortedCache(cache) }
    if let queries = fields["queries"] { fields["queries"] = byKey(queries) }
    return .object(fields)
  }

  private static func sortedCache(_ cache: JSON) -> JSON {
    .object([
      "queries": byKey(cache["queries"] ?? []), "mutations": cache["mutations"] ?? [],
    ])
  }

  private static func byKey(_ entries: JSON) -> JSON {
    .array(
      (entries.array ?? []).sorted {
        ($0["key"] ?? .null).description < ($1["key"] ?? .null).description
      }
    )
  }

  private static func collect(
    _ expected: JSON?,
    _ actual: JSON?,
    _ place: String,
    end: Int,
    into found: inout [Difference]
  ) {
    let names = Set((expected?.object ?? [:]).keys).union((actual?.object ?? [:]).keys).sorted()
    for name in names {
      let (left, right) = (expected?[name], actual?[name])
      guard left != right else { continue }
      if left?.array == nil, right?.array == nil {
        let parts = cacheParts(left, right)
        found.append(
          Difference(time: end, place: place + name, expected: parts.0, actual: parts.1)
        )
      } else {
        found += logs(left, right, place + name, end: end)
      }
    }
  }

  /// The first difference of two logs of lines that begin with a time.
  private static func logs(
    _ expected: JSON?,
    _ actual: JSON?,
    _ place: String,
    end: Int
  ) -> [Difference] {
    let left = expected?.array ?? []
    let right = actual?.array ?? []
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? left[index] : nil
      let other = index < right.count ? right[index] : nil
      guard one != other else { continue }
      let times = [one, other].compactMap { $0?.array?.first?.int }
      return [
        Difference(
          time: times.min() ?? end,
          place: place,
          expected: one?.description ?? "nothing",
          actual: other?.description ?? "nothing"
        )
      ]
    }
    return []
  }

  private static func collectCalls(
    _ expected: JSON?,
    _ actual: JSON?,
    end: Int,
    into found: inout [Difference]
  ) {
    let left = expected?.array ?? []
    let right = actual?.array ?? []
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? left[index].array : nil
      let other = index < right.count ? right[index].array : nil
      guard one != other else { continue }
      let times = [one, other].compactMap { $0?.dropFirst().first?.int }
      found.append(
        Difference(
          time: times.min() ?? end,
          place: "call \((one ?? other)?.first?.string ?? "")",
          expected: one.map { JSON.array($0).description } ?? "nothing",
          actual: other.map { JSON.array($0).description } ?? "nothing"
        )
      )
    }
  }

  /// Of two caches only the entries that differ.
  private static func cacheParts(_ expected: JSON?, _ actual: JSON?) -> (String, String) {
    let left = (expected?["queries"]?.array ?? []) + (expected?["mutations"]?.array ?? [])
    let right = (actual?["queries"]?.array ?? []) + (actual?["mutations"]?.array ?? [])
    return (
      JSON.array(left.filter { !right.contains($0) }).description,
      JSON.array(right.filter { !left.contains($0) }).description
    )
  }
}

extension JSON {
  /// A trace in which what different tasks log of one fetcher at one instant has one order.
  ///
  /// A fetch that is dropped and the one that takes its place are two tasks: which of them comes to
  /// its log first is up to the schedule.
  var withOrderedInstants: JSON {
    guard var trace = object else { return self }
    if let fetches = trace["fetches"]?.array {
      trace["fetches"] = .array(
        fetches.map { $0.merging(["log": Self.ordered($0["log"]?.array ?? [])]) }
      )
    }
    if let callbacks = trace["callbacks"]?.object {
      // Two runs that end at one instant are two tasks.
      trace["callbacks"] = .object(callbacks.mapValues { Self.ordered($0.array ?? []) })
    }
    // Whoever watched a fetch that was dropped sees what is there when its turn comes.
    trace["calls"] = .array(
      (trace["calls"]?.array ?? []).map { call in
        guard let parts = call.array, let result = parts.last?["result"],
          result["fetchStatus"] == "fetching"
        else { return call }
        return .array(parts.dropLast() + [["result": "of a fetch that goes on"]])
      }
    )
    if let lines = trace["cacheCallbacks"]?.array {
      // Of one key they have an order; the fetches of several keys are several tasks.
      func place(_ line: JSON) -> (Int, String) {
        let parts = line.array ?? []
        return (
          parts.first?.int ?? 0,
          (parts.last?["key"] ?? parts.last?["variables"] ?? .null).description
        )
      }
      trace["cacheCallbacks"] = .array(
        lines.enumerated().sorted {
          let (left, right) = (place($0.element), place($1.element))
          return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
      )
    }
    return .object(trace)
  }

  /// Whether runs of one mutator start at one instant: which of them is its first call, and so gets
  /// the first outcome, is up to the schedule.
  var hasRacingMutations: Bool {
    (self["mutations"]?.array ?? []).contains { mutator in
      let times = (mutator["log"]?.array ?? []).compactMap { $0.array?.first?.int }
      return Set(times).count < times.count
    }
  }

  /// Whether fetches of one key start at one instant: one was dropped for the other, and which of
  /// them makes the first call is up to the schedule.
  var hasRacingFetches: Bool {
    (self["fetches"]?.array ?? []).contains { fetch in
      let starts = (fetch["log"]?.array ?? []).compactMap { line in
        line.array.flatMap { $0.dropFirst().first == "start" ? $0.first?.int : nil }
      }
      return Set(starts).count < starts.count
    }
  }

  private static func ordered(_ lines: [JSON]) -> JSON {
    .array(
      lines.sorted { left, right in
        let times = (left.array?.first?.int ?? 0, right.array?.first?.int ?? 0)
        return times.0 == times.1 ? left.description < right.description : times.0 < times.1
      }
    )
  }
}
