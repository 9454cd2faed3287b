/// Where a search for entries stands: a superset of what its filter means, as small as keys and
/// prefixes allow.
struct EntryCandidates: Sendable {
  /// A part of the cache.
  enum Source: Sendable {
    /// All entries in these slots.
    case slots(Range<Int>)
    case list([Int32], next: Int)
    /// Those below a prefix.
    case prefix(KeyIndex.Walk)
    /// The same, while others may change the index.
    case resting(Int)
  }

  var sources: [Source]
  /// Whether they stand in the order of their making; else in that of their slots.
  let isByMaking: Bool

  var isOver: Bool { sources.isEmpty }
}
