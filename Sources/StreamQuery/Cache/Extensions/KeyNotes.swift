/// Records of changes of keys, each called a note, for example while imports run.
///
/// The number of notes is bounded. If there are too many, one note for all keys replaces them: then more is
/// fetched than necessary, but no outdated data is brought back.
struct KeyNotes: Sendable {
  /// The latest change of each kind, of one key or of all keys.
  ///
  /// The properties `fence`, `request` and `mark` are numbers in the order of events; 0 stands for no such
  /// change.
  struct Note: Equatable, Sendable {
    /// The number of the last change after which older data must not come back: a removal, a reset, a fencing
    /// write or a mutation's success.
    var fence: UInt64 = 0
    /// The number of the last request for newer data.
    var request: UInt64 = 0
    /// The number of the last invalidation.
    var mark: UInt64 = 0
    /// The date of the last invalidation, in seconds since the reference date.
    var markedAt = -Double.infinity

    /// The number of the latest of these changes.
    var last: UInt64 { max(fence, request, mark) }

    mutating func join(_ other: Self) {
      fence = max(fence, other.fence)
      request = max(request, other.request)
      mark = max(mark, other.mark)
      markedAt = max(markedAt, other.markedAt)
    }
  }

  /// A key whose notes are looked up, and the key's entry if there is one.
  struct Candidate {
    /// The info of the key as if it had no entry.
    ///
    /// The filters of bulk changes are matched with it.
    var info: QueryInfo
    /// The entry's number; `nil` if there is none.
    var entry: UInt64?
  }

  /// A change of all entries of a filter, even if the cache does not know them yet.
  private struct BulkChange: Sendable {
    var filter: EntryFilter
    var note: Note
    /// The number of the newest entry at the time of the change.
    ///
    /// This entry and older ones have notes of their own, so the filter is not applied to them. `nil` if the
    /// filter selects by keys alone: it is applied to all entries.
    var newestEntry: UInt64?

    func concerns(_ candidate: Candidate) -> Bool {
      if let newestEntry, let entry = candidate.entry, entry <= newestEntry { return false }
      return filter.matches(candidate.info)
    }
  }

  /// The maximum number of keys with notes of their own.
  static let keyLimit = 1_024
  /// The maximum number of notes on filters: ``total(of:)`` applies each of these filters.
  static let sweepLimit = 64

  private var everywhere = Note()
  private var keys: [EntryKey: Note] = [:]
  private var bulkChanges: [BulkChange] = []

  /// The number of notes.
  var count: Int { keys.count + bulkChanges.count }

  /// Whether there are too many notes, so that ``generalize()`` has to follow.
  var isFull: Bool { keys.count > Self.keyLimit || bulkChanges.count > Self.sweepLimit }

  /// Records a change of a key.
  ///
  /// - Parameters:
  ///   - note: The change.
  ///   - key: The key.
  ///   - base: The number of an event. Of several changes after it, only one needs a note.
  mutating func record(_ note: Note, to key: EntryKey, since base: UInt64) {
    // Often the key is one of many that one call has selected. The note on that call then covers
    // the key.
    if let change = bulkChanges.last, change.newestEntry == nil,
      change.note.covers(note, since: base),
      change.filter.matches(.absent(key))
    {
      return
    }
    keys[key, default: Note()].join(note)
  }

  /// Records a change of the entries of a filter.
  ///
  /// - Parameters:
  ///   - note: The change.
  ///   - filter: The filter.
  ///   - newestEntry: The number of the newest entry now. This and older entries get notes of their own,
  ///     unless the filter selects by keys alone.
  mutating func record(_ note: Note, to filter: EntryFilter, newestEntry: UInt64) {
    if case .entry(let key) = filter {
      keys[key, default: Note()].join(note)
    } else {
      bulkChanges.append(
        BulkChange(filter: filter, note: note, newestEntry: filter.isAboutKeys ? nil : newestEntry)
      )
    }
  }

  /// The latest changes that concern a key and its entry.
  func total(of candidate: Candidate) -> Note {
    var note = everywhere
    if let own = keys[candidate.info.entryKey] { note.join(own) }
    for change in bulkChanges where change.concerns(candidate) { note.join(change.note) }
    return note
  }

  /// Replaces all notes by one that applies to every key.
  mutating func generalize() {
    var note = everywhere
    for own in keys.values { note.join(own) }
    for change in bulkChanges { note.join(change.note) }
    self = KeyNotes()
    everywhere = note
  }
}

extension KeyNotes.Note {
  /// Whether this note has a change after `base` for each change in another note, so that the other adds
  /// nothing.
  fileprivate func covers(_ other: Self, since base: UInt64) -> Bool {
    (other.fence == 0 || fence > base) && (other.request == 0 || request > base)
      && (other.mark == 0 || mark > base)
  }
}

extension EntryFilter {
  /// Whether the filter selects by keys alone, so that its answer for an entry never changes.
  var isAboutKeys: Bool {
    switch self {
    case .all, .entry, .prefix: true
    case .stale, .active, .status, .fetchStatus: false
    case .and(let filters), .or(let filters): filters.allSatisfy(\.isAboutKeys)
    case .not(let filter): filter.isAboutKeys
    }
  }
}
