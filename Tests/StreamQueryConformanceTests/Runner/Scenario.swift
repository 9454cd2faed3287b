/// One scenario file: what an application does, and the trace that the reference showed.
struct Scenario: Sendable {
  let name: String
  let json: JSON

  init(parsing text: String) throws {
    json = try JSON(parsing: text)
    name = json["name"]?.string ?? "unnamed"
  }

  init(name: String, json: JSON) {
    self.name = name
    self.json = json
  }

  var tags: Set<String> { Set((json["tags"]?.array ?? []).compactMap(\.string)) }
  var operations: [JSON] { json["ops"]?.array ?? [] }
  var until: Int { json["until"]?.int ?? 0 }
  var expected: JSON { json["expected"] ?? .object([:]) }

  /// What of the library the scenario needs beyond its core.
  var features: Set<Feature> {
    var features: Set<Feature> = []
    for operation in operations { Feature.collect(from: operation, into: &features) }
    for mutator in json["mutators"]?.object ?? [:] where !mutator.value.description.isEmpty {
      features.insert(.mutations)
    }
    for fetcher in (json["fetchers"]?.object ?? [:]).values
    where (fetcher["outcomes"]?.array ?? []).contains(where: { $0["chunks"] != nil }) {
      features.insert(.streamedFetches)
    }
    if json["cacheCallbacks"]?.bool == true { features.insert(.mutations) }
    return features
  }
}

/// Parts of the library that a scenario may need.
enum Feature: String, CaseIterable, Sendable {
  case pages, mutations, parallel, streamedFetches, archive, operators

  /// What the library does not have yet: scenarios that need it wait.
  ///
  /// Must shrink to nothing.
  static let missing: Set<Feature> = [
    .pages, .mutations, .parallel, .streamedFetches, .operators,
  ]

  static func collect(from operation: JSON, into features: inout Set<Feature>) {
    switch operation["op"]?.string ?? "" {
    case "fetchNextPage", "fetchPreviousPage", "fetchInfiniteQuery", "prefetchInfiniteQuery":
      features.insert(.pages)
    case "observeMutation", "mutate", "resetMutation", "isMutating", "setMutationDefaults",
      "resumePausedMutations":
      features.insert(.mutations)
    case "observeQueries": features.insert(.parallel)
    case "dehydrate", "hydrate": features.insert(.archive)
    case "query": features.insert(.operators)
    default: break
    }
    collect(fromOptions: operation, into: &features)
    for part in ["set", "options"] {
      if let options = operation[part] { collect(fromOptions: options, into: &features) }
    }
    for query in operation["queries"]?.array ?? operation["set"]?["queries"]?.array ?? [] {
      features.insert(.parallel)
      collect(fromOptions: query, into: &features)
    }
  }

  private static func collect(fromOptions options: JSON, into features: inout Set<Feature>) {
    if options["infinite"]?.bool == true { features.insert(.pages) }
    if let select = options["select"], select != .null { features.insert(.operators) }
    if options["placeholderData"] == "keepPrevious" { features.insert(.operators) }
  }
}
