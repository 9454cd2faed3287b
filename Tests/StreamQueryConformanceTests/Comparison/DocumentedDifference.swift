/// A difference from the reference, by the words that it begins with in DIFFERENCES.md.
///
/// Whoever performs scenarios of their own is told which of them a failure may be. Only the operations
/// up to the failure are looked at, so what is named is possible, not proven.
enum DocumentedDifference: String, CaseIterable {
  case leases = "A caller keeps its fetch running."
  case callersMoveAlong = "Callers move along."
  case awaitedRetries = "An awaited fetch does not wait for the app."
  case cancelling = "Cancelling restores the state before the fetch."
  case observersLiveOn = "Observers outlive a removal."
  case retention = "Retention always ends, and writes renew it."
  case filters = "A filter is evaluated once"
  case writes = "A write is a success."
  case successes = "A callback cannot undo a success."
  case ages = "Data that was not fetched is not newer."
  case pageLimits = "The limit of pages always holds."
  case abandonment = "An abandoned fetch obeys its own function"
  case invalidations = "An invalidation cannot be lost."
  case storms = "Many invalidations do not hide the data."
  case backgroundPolls = "A poll in the background goes on."
  case scopes = "A scope goes on while the app is inactive."
  case streams = "A retried stream begins again."
  case failuresOfLoads = "A failed first load is not archived."
  case imports = "An import is a write."
  case futureDates = "A date in the future is now."
  case runs = "A run is kept from its end on."
  case awaitedFetches = "Awaited fetches do not wait for mutations."
  case conditions = "A condition of `enabled` turns an observer on."
  case noFetch = "A query without a fetch waits."
  case initialData = "Initial data is an answer."

  /// Which of them the first difference in a scenario may be.
  static func candidates(for scenario: Scenario, _ difference: Difference) -> [Self] {
    let past = ScenarioPast(of: scenario, until: difference.time)
    return allCases.filter { $0.isPossible(in: past) }
  }

  private func isPossible(in past: ScenarioPast) -> Bool {
    switch self {
    case .leases:
      past.awaitsFetches && past.has("unobserve", "setOptions")
    case .callersMoveAlong:
      past.supersedes && past.calls > 1
    case .awaitedRetries:
      (past.beginsInactive || past.has("setFocused"))
        && (past.awaitsFetches || past.has("mutate", "hydrate"))
    case .cancelling:
      past.has("cancelQueries") || (past.supersedes && past.has("setFocused", "setOnline"))
    case .observersLiveOn:
      past.has("removeQueries", "resetQueries", "clear")
    case .retention:
      past.has("resetQueries") || past.writes
    case .filters:
      past.operations.contains { operation in
        ["invalidateQueries", "refetchQueries", "resetQueries"].contains(operation["op"]?.string)
          && ["stale", "type", "status", "fetchStatus"].contains {
            operation["filters"]?[$0] != nil
          }
      }
    case .writes:
      past.writes
    case .successes:
      ["onSuccess", "onSettled"].contains { name in
        past.objects.contains { $0[name]?["throw"] != nil }
      }
    case .ages:
      past.has("fetchNextPage", "fetchPreviousPage")
        || past.objects.contains { json in
          json["select"]?["throw"] != nil || json["select"]?["throwWhen"] != nil
        }
    case .pageLimits:
      past.mentions("maxPages")
    case .abandonment:
      past.fetchers.contains { $0["signal"]?.bool == true }
        && past.has("unobserve", "setOptions", "fetchNextPage", "fetchPreviousPage")
    case .invalidations:
      past.has("invalidateQueries")
    case .storms:
      past.count("invalidateQueries", "refetchQueries", "refetch") > 3
    case .backgroundPolls:
      past.objects.contains { $0["refetchIntervalInBackground"]?.bool == true }
        && past.has("setFocused")
    case .scopes:
      past.mentions("scope") && past.has("setFocused")
    case .streams:
      past.fetchers.contains { $0.description.contains("\"chunks\"") }
    case .failuresOfLoads:
      past.objects.contains { $0["includeErrors"]?.bool == true }
    case .imports:
      past.has("hydrate")
    case .futureDates:
      past.operations.contains { operation in
        ["updatedAt", "initialDataUpdatedAt"].contains { name in
          (operation[name]?.int ?? .min) > operation["at"]?.int ?? 0
        }
      } || past.has("hydrate")
    case .runs:
      past.has("mutate", "hydrate")
    case .awaitedFetches:
      past.has("setOnline", "setFocused") && past.has("mutate", "hydrate") && past.awaitsFetches
    case .conditions:
      past.objects.contains { $0["enabled"]?["untilData"] != nil }
    case .noFetch:
      past.operations.contains { $0["key"] != nil && $0["op"] == "observe" && $0["fn"] == nil }
    case .initialData:
      past.mentions("initialData")
    }
  }
}

/// What a scenario did up to a time.
private struct ScenarioPast {
  /// The operations, with those of callbacks.
  var operations: [JSON]
  /// Every object in them, and in the defaults.
  var objects: [JSON]
  /// The fetchers, whether they were called or not.
  var fetchers: [JSON]
  /// Whether the app was inactive at the start.
  var beginsInactive: Bool

  init(of scenario: Scenario, until time: Int) {
    var objects: [JSON] = []
    for operation in scenario.operations where operation["at"]?.int ?? 0 <= time {
      operation.visitObjects { objects.append($0) }
    }
    operations = objects.filter { $0["op"] != nil }
    scenario.json["defaults"]?.visitObjects { objects.append($0) }
    self.objects = objects
    fetchers = (scenario.json["fetchers"]?.object ?? [:]).map(\.value)
    beginsInactive = scenario.json["focused"]?.bool == false
  }

  /// How many operations a caller waits for.
  var calls: Int { operations.count { $0["call"] != nil } }

  func count(_ names: String...) -> Int {
    operations.count { $0["op"]?.string.map(names.contains) ?? false }
  }

  func has(_ names: String...) -> Bool {
    operations.contains { $0["op"]?.string.map(names.contains) ?? false }
  }

  func mentions(_ field: String) -> Bool { objects.contains { $0[field] != nil } }

  var writes: Bool { has("setQueryData", "setQueriesData", "hydrate") }

  var supersedes: Bool {
    has(
      "refetch",
      "refetchQueries",
      "invalidateQueries",
      "resetQueries",
      "fetchNextPage",
      "fetchPreviousPage"
    )
  }

  var awaitsFetches: Bool {
    has(
      "fetchQuery",
      "prefetchQuery",
      "query",
      "ensureQueryData",
      "fetchInfiniteQuery",
      "prefetchInfiniteQuery",
      "ensureInfiniteQueryData"
    )
  }
}
