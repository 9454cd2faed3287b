/// The progress of a search for entries: a superset of what its filter matches, as small as keys
/// and prefixes allow.
struct EntryCandidates: Sendable {
  /// A part of the cache.
  enum Source: Sendable {
    /// All entries in these slots.
    case slots(Range<Int>)
    case list([Int32], next: Int)
    /// The entries below a prefix.
    case prefix(KeyIndex.Walk)
    /// The same, while others may change the index.
    case resting(Int)
  }

  var sources: [Source]
  /// Whether they are in the order of creation; otherwise they are in the order of slots.
  let isByMaking: Bool

  var isOver: Bool { sources.isEmpty }
}
