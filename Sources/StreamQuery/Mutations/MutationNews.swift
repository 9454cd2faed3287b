/// The news that a run changed, came or went, or that a handle shows another run.
struct MutationNews: Equatable, Sendable {
  /// The mutation whose run changed; `nil` if no run changed.
  var mutation: EntryKey?
  /// The handle that shows the run.
  var handle: Int?

  /// Adds the topics of the change, so that followers of these topics are woken.
  func addTopics(to topics: inout Set<MutationTopic>) {
    if let handle { topics.insert(.handle(handle)) }
    // If the topic of this mutation is there already, so are its other topics: all follow from the key.
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
  /// The leading parts of the key that match only parts equal to them.
  var exactParts: ArraySlice<KeyPart> {
    storage.parts.prefix { !$0.matchesMoreThanItself }
  }
}

extension MutationFilter {
  /// The topics that a stream of the filter's runs has to follow; `nil` is all.
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
      // A run must match all of the filters, so it is enough to follow the topics of one of them:
      // those that cover the fewest runs.
      let breadth = { (topics: Set<MutationTopic>) in topics.map(\.breadth).max() ?? 0 }
      return nodes.compactMap(\.topics).min { breadth($0) < breadth($1) }
    }
  }
}

/// A topic that a stream of runs follows, so that the steps of other runs do not wake the stream.
enum MutationTopic: Hashable, Sendable {
  /// Runs of one mutation.
  case mutation(EntryKey)
  /// Runs of all mutations of a key, whatever their types.
  case key(AnyQueryKey)
  /// Runs of mutations whose keys begin with these parts. Each part matches only parts that are
  /// equal to it.
  case prefix(AnyQueryKey)
  /// The run that one handle shows.
  case handle(Int)

  /// The topic of a filter's prefix: the leading parts of the prefix that match only parts equal to them.
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
