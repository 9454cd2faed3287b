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
