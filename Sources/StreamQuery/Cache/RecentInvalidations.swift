/// The times at which keys were last invalidated, whether or not the cache had them.
///
/// The size is bounded. There are young and old records. When there are too many young ones, they become the
/// old ones, and the former old ones are dropped. From then on every key counts as invalidated at the time of
/// the last dropped record: a key that was not invalidated may seem to be, but no invalidation is forgotten.
struct RecentInvalidations: Sendable {
  private var young = KeyNotes()
  private var old = KeyNotes()

  /// The number of recorded invalidations.
  var count: Int { young.count + old.count }

  /// Records that the entries of a filter were invalidated, whether or not the cache has these entries.
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - now: The time.
  ///   - newestEntry: The number of the newest entry of the cache. This and older entries are recorded one by
  ///     one, unless the filter selects by keys alone.
  /// - Returns: The dropped records, to be released outside the lock: they contain users' keys and
  ///   filters.
  mutating func invalidated(
    _ filter: EntryFilter,
    at now: Instant,
    newestEntry: UInt64
  ) -> KeyNotes? {
    young.record(Self.makeNote(at: now), to: filter, newestEntry: newestEntry)
    return boundNotes()
  }

  /// Records that some keys were invalidated.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - now: The time.
  /// - Returns: The dropped records, to be released outside the lock.
  mutating func invalidated(_ keys: [EntryKey], at now: Instant) -> [KeyNotes] {
    let note = Self.makeNote(at: now)
    return keys.compactMap { key in
      young.record(note, to: key, since: note.mark - 1)
      return boundNotes()
    }
  }

  /// The instant when an entry was last invalidated; `nil` if it never was.
  func last(of candidate: KeyNotes.Candidate) -> Instant? {
    let mark = max(young.total(of: candidate).mark, old.total(of: candidate).mark)
    return mark == 0 ? nil : Instant(nanoseconds: Int64(mark - 1))
  }

  private mutating func boundNotes() -> KeyNotes? {
    guard young.isFull else { return nil }
    let former = old
    (young, old) = (old, young)
    young.generalize()
    return former
  }

  /// The note of an invalidation.
  ///
  /// Its number is the time plus one, because 0 stands for no invalidation.
  private static func makeNote(at now: Instant) -> KeyNotes.Note {
    KeyNotes.Note(mark: UInt64(max(0, now.nanoseconds)) + 1)
  }
}
