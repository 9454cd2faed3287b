/// The news that a run changed, came or went, or that a handle shows another run.
struct MutationNews: Equatable, Sendable {
  /// Whose run it is; `nil` if no run changed.
  var mutation: EntryKey?
  /// The handle that shows it.
  var handle: Int?

  /// Adds every topic whose followers this news concerns.
  func add(to topics: inout Set<MutationTopic>) {
    if let handle { topics.insert(.handle(handle)) }
    // The rest follows from the key.
    guard let mutation, topics.insert(.mutation(mutation)).inserted else { return }
    let parts = mutation.key.exactParts
    topics.insert(.key(mutation.key))
    for count in 1..<max(1, parts.count) {
      topics.insert(.prefix(AnyQueryKey(parts: Array(parts[..<count]))))
    }
    if let whole = MutationTopic.prefix(of: mutation.key) { topics.insert(whole) }
  }
}

extension AnyQueryKey {
  /// The parts before the first one that also matches unequal parts.
  var exactParts: ArraySlice<KeyPart> {
    storage.parts.prefix { !$0.matchesMoreThanItself }
  }
}

extension MutationFilter {
  /// The topics that a stream of the filter's runs has to hear of; `nil` is everything.
  var topics: [MutationTopic]? { node.topics.map(Array.init) }
}

extension MutationFilter.Node {
  fileprivate var topics: Set<MutationTopic>? {
    switch self {
    case .all, .predicate, .not: return nil
    case .mutation(let identity): return [.mutation(identity)]
    case .key(let key): return [.key(key)]
    case .prefix(let key): return MutationTopic.prefix(of: key).map { [$0] }
    case .or(let nodes):
      var all: Set<MutationTopic> = []
      for node in nodes {
        guard let topics = node.topics else { return nil }
        all.formUnion(topics)
      }
      return all
    case .and(let nodes):
      // A run that all of them select is reported by any of their topics: take the narrowest.
      let breadth = { (topics: Set<MutationTopic>) in topics.map(\.breadth).max() ?? 0 }
      return nodes.compactMap(\.topics).min { breadth($0) < breadth($1) }
    }
  }
}

/// What a stream of runs wants to hear of, so that the steps of other runs do not wake it.
enum MutationTopic: Hashable, Sendable {
  /// Runs of one mutation.
  case mutation(EntryKey)
  /// Runs of all mutations of a key, whatever their types.
  case key(AnyQueryKey)
  /// Runs of mutations whose keys begin with these parts, none of which matches an unequal part.
  case prefix(AnyQueryKey)
  /// The run that one handle shows.
  case handle(Int)

  /// The topic of a filter's prefix: its parts up to the first that an unequal part may match.
  ///
  /// - Returns: The topic; `nil` if the prefix may match any key.
  static func prefix(of filter: AnyQueryKey) -> MutationTopic? {
    let parts = filter.exactParts
    guard !parts.isEmpty else { return nil }
    return .prefix(parts.count == filter.count ? filter : AnyQueryKey(parts: Array(parts)))
  }

  /// The rank of a topic: lower for a topic that covers fewer runs.
  var breadth: Int {
    switch self {
    case .handle, .mutation: 0
    case .key: 1
    case .prefix: 2
    }
  }
}
