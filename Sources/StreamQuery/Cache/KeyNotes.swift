/// What has happened to keys while imports run.
///
/// A value of bounded size. When it is full, what has happened to some keys is taken for what has
/// happened to all: then more is fetched than necessary, but nothing is brought back.
struct KeyNotes: Sendable {
  /// The latest of each kind that has happened to a key, or to all.
  struct Note: Equatable, Sendable {
    /// The last time that older data was told to stay away: a removal, a reset, a fencing write, the
    /// success of a mutation.
    var fence: UInt64 = 0
    /// The last time that somebody asked for a newer answer.
    var request: UInt64 = 0
    /// The last invalidation.
    var mark: UInt64 = 0
    /// When that was, in seconds since the reference date.
    var markedAt = -Double.infinity

    /// The last time that anything happened.
    var last: UInt64 { max(fence, request, mark) }

    mutating func join(_ other: Self) {
      fence = max(fence, other.fence)
      request = max(request, other.request)
      mark = max(mark, other.mark)
      markedAt = max(markedAt, other.markedAt)
    }
  }

  /// An entry that is asked about.
  struct Subject {
    /// As if there were no entry.
    var info: QueryInfo
    /// The entry's number; `nil` if there is none.
    var entry: UInt64?
  }

  /// Something happened to all that a filter selects, even if the cache does not know it yet.
  private struct Sweep: Sendable {
    var filter: EntryFilter
    var note: Note
    /// The newest entry that has its own note if it was concerned; `nil` if the filter says it for all.
    var newestEntry: UInt64?

    func concerns(_ subject: Subject) -> Bool {
      if let newestEntry, let entry = subject.entry, entry <= newestEntry { return false }
      return filter.matches(subject.info)
    }
  }

  /// How many keys have notes of their own.
  static let keyLimit = 1_024
  /// How many filters are remembered: each is asked about each entry.
  static let sweepLimit = 64

  private var everywhere = Note()
  private var keys: [EntryKey: Note] = [:]
  private var sweeps: [Sweep] = []

  /// How much it holds.
  var count: Int { keys.count + sweeps.count }

  /// Whether ``generalize()`` is to follow.
  var isFull: Bool { keys.count > Self.keyLimit || sweeps.count > Self.sweepLimit }

  /// Something happened to a key.
  ///
  /// - Parameters:
  ///   - note: What happened.
  ///   - key: The key.
  ///   - base: What happened later than this is as good as if it happened now.
  mutating func add(_ note: Note, to key: EntryKey, since base: UInt64) {
    // Most often it is one of many that were selected together.
    if let sweep = sweeps.last, sweep.newestEntry == nil, sweep.note.covers(note, since: base),
      sweep.filter.matches(.absent(key))
    {
      return
    }
    keys[key, default: Note()].join(note)
  }

  /// Something happened to all that a filter selects.
  ///
  /// - Parameters:
  ///   - note: What happened.
  ///   - filter: The filter.
  ///   - newestEntry: The newest entry of that time; what happens to older ones is told of each, unless
  ///     the filter is about keys alone.
  mutating func add(_ note: Note, to filter: EntryFilter, newestEntry: UInt64) {
    if case .entry(let key) = filter {
      keys[key, default: Note()].join(note)
    } else {
      sweeps.append(
        Sweep(filter: filter, note: note, newestEntry: filter.isAboutKeys ? nil : newestEntry)
      )
    }
  }

  /// What has happened to an entry.
  func total(of subject: Subject) -> Note {
    var note = everywhere
    if let own = keys[subject.info.entryKey] { note.join(own) }
    for sweep in sweeps where sweep.concerns(subject) { note.join(sweep.note) }
    return note
  }

  /// Takes what has happened to some keys for what has happened to all.
  mutating func generalize() {
    var note = everywhere
    for own in keys.values { note.join(own) }
    for sweep in sweeps { note.join(sweep.note) }
    self = KeyNotes()
    everywhere = note
  }
}

extension KeyNotes.Note {
  /// Whether another note would change nothing.
  fileprivate func covers(_ other: Self, since base: UInt64) -> Bool {
    (other.fence == 0 || fence > base) && (other.request == 0 || request > base)
      && (other.mark == 0 || mark > base)
  }
}

extension EntryFilter {
  /// Whether it selects by keys alone, so that it says the same of an entry at all times.
  var isAboutKeys: Bool {
    switch self {
    case .all, .entry, .prefix: true
    case .stale, .active, .status, .fetchStatus: false
    case .and(let filters), .or(let filters): filters.allSatisfy(\.isAboutKeys)
    case .not(let filter): filter.isAboutKeys
    }
  }
}
