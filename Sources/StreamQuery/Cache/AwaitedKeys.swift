/// The keys that imports in progress are to bring, and what has happened to keys meanwhile.
///
/// A value that is told what happened. Archives name keys by texts, because a key that an archive
/// names may be unknown to the cache. All that happens has a place in one order: imports begin, name
/// keys, fetches start, entries are removed or written. Nothing is noted while no import runs.
struct AwaitedKeys<End: Sendable>: Sendable {
  /// An import in progress.
  private struct Import: Sendable {
    var began: UInt64
    /// How long a fetch waits for it.
    var limit: TimeSpan
    /// When each key was named for the first time.
    var named: [String: UInt64] = [:]
    var end: End
  }

  /// What has happened to a key while imports were running.
  private struct Note: Sendable {
    /// The last time that older data was told to stay away: a removal, a reset, a fencing write, the
    /// success of a mutation.
    var fence: UInt64 = 0
    /// The last time that somebody asked for a newer answer.
    var request: UInt64 = 0
    var mark: Mark?
  }

  private struct Mark: Sendable {
    var place: UInt64
    /// When the key was invalidated, in seconds since the reference date.
    var date: Double
  }

  /// Something happened to all that a filter selects, even if the cache does not know it yet.
  private struct Sweep: Sendable {
    var filter: EntryFilter
    var place: UInt64
    /// When the keys were invalidated; `nil` if they were removed.
    var date: Double?
    /// The newest entry of that time: what happened to older ones has its own note.
    var newestEntry: UInt64
  }

  /// An entry that is asked about.
  struct Subject {
    var text: String
    /// As if there were no entry.
    var info: QueryInfo
    /// The entry's number; `nil` if there is none.
    var entry: UInt64?

    fileprivate var key: EntryKey { info.entryKey }
  }

  /// What an import may do with an entry.
  struct Verdict: Equatable {
    /// Whether the data was told to stay away.
    var isRefused = false
    /// Data that is as old as this is older than an invalidation.
    var markedAt: Double?
    /// Fetches that started after this are ended; `nil` if none is.
    var endsFetchesAfter: UInt64?
    /// The most that data may be old to count as new, if everything is stale at once.
    var limit = TimeSpan.zero
  }

  /// Neither goes back, for as long as the cache lives: whoever still has a number or a place of an
  /// import that is over must not take it for one of a later import.
  private var serial = 0
  private var place: UInt64 = 0
  private var imports: [Int: Import] = [:]
  private var notes: [EntryKey: Note] = [:]
  private var sweeps: [Sweep] = []
  /// The entries whose fetches are held back, and their names.
  private(set) var held: [UInt64: (id: EntryID, text: String)] = [:]

  /// Whether no import runs.
  var isEmpty: Bool {
    @inline(__always) get { imports.isEmpty }
  }

  /// The place of a fetch that starts now.
  mutating func started() -> UInt64 {
    guard !imports.isEmpty else { return 0 }
    return next()
  }

  // MARK: Imports

  /// An import began.
  ///
  /// - Parameters:
  ///   - end: What to tell when it is ended by others.
  ///   - limit: How long a fetch waits for it.
  /// - Returns: Its number.
  mutating func began(_ end: End, limit: TimeSpan) -> Int {
    serial += 1
    imports[serial] = Import(began: next(), limit: limit, end: end)
    return serial
  }

  /// Whether an import still runs.
  func isRunning(_ import: Int) -> Bool { imports[`import`] != nil }

  /// An archive names keys that are still to come; those that were named before still count.
  mutating func named(_ texts: some Sequence<String>, by import: Int) {
    let place = next()
    for text in texts where imports[`import`]?.named[text] == nil {
      imports[`import`]?.named[text] = place
    }
  }

  /// An archive was filled in, and only these keys are still to come.
  mutating func filled(leaving texts: Set<String>, by import: Int) {
    guard let named = imports[`import`]?.named else { return }
    imports[`import`]?.named = named.filter { texts.contains($0.key) }
  }

  /// An import is over, or failed.
  mutating func ended(_ import: Int) { imports[`import`] = nil }

  /// All imports are over: what they bring belongs to another time.
  ///
  /// - Returns: What to tell, in the order in which they began.
  mutating func endedAll() -> [End] {
    defer { imports = [:] }
    return imports.sorted { $0.key < $1.key }.map(\.value.end)
  }

  /// Forgets what has happened, which matters to no later import.
  ///
  /// - Returns: What is to be released, because keys and filters are the user's.
  mutating func forgetNotes() -> Self {
    let former = self
    notes = [:]
    sweeps = []
    held = [:]
    return former
  }

  // MARK: Keys

  /// Older data must stay away from a key.
  mutating func fenced(_ key: EntryKey) { notes[key, default: Note()].fence = next() }

  /// Somebody wants a newer answer for a key.
  mutating func requested(_ key: EntryKey) { notes[key, default: Note()].request = next() }

  /// A key was invalidated.
  mutating func invalidated(_ key: EntryKey, at date: Double) {
    notes[key, default: Note()].mark = Mark(place: next(), date: date)
  }

  /// What a filter selects was removed, or invalidated at a date, known or not.
  mutating func swept(_ filter: EntryFilter, invalidatedAt date: Double?, newestEntry: UInt64) {
    // Many filters become one that selects all: then more is fetched than necessary.
    let isFull = sweeps.count >= 64
    let sweep = Sweep(
      filter: isFull ? .all : filter,
      place: next(),
      date: date,
      newestEntry: newestEntry
    )
    if isFull { sweeps.removeAll { ($0.date == nil) == (date == nil) } }
    sweeps.append(sweep)
  }

  // MARK: Answers

  /// What an import may do with an entry that it brings.
  func verdict(on subject: Subject, by import: Int) -> Verdict {
    guard let running = imports[`import`] else { return Verdict(isRefused: true) }
    let named = running.named[subject.text]
    let note = total(of: subject)
    let base = named ?? running.began
    guard note.fence <= base else { return Verdict(isRefused: true) }
    var verdict = Verdict(limit: running.limit)
    if let mark = note.mark, mark.place > base { verdict.markedAt = mark.date }
    // What was asked for anew gets its own answer.
    if let named, note.request <= named, verdict.markedAt == nil {
      verdict.endsFetchesAfter = named
    }
    return verdict
  }

  /// How long a fetch waits, if an import is to bring its data.
  ///
  /// - Parameters:
  ///   - subject: The entry.
  ///   - start: The fetch's place.
  /// - Returns: The longest limit of such imports; `nil` if there is none.
  func limit(for subject: Subject, startedAt start: UInt64) -> TimeSpan? {
    let naming = imports.values.compactMap { running in
      running.named[subject.text].map { (place: $0, limit: running.limit) }
    }
    guard !naming.isEmpty else { return nil }
    let note = total(of: subject)
    let last = max(note.fence, note.request, note.mark?.place ?? 0)
    return naming.filter { $0.place < start && $0.place > last }.map(\.limit).max()
  }

  private func total(of subject: Subject) -> Note {
    var note = notes[subject.key] ?? Note()
    for sweep in sweeps where subject.entry.map({ $0 > sweep.newestEntry }) ?? true {
      guard sweep.filter.matches(subject.info) else { continue }
      if let date = sweep.date {
        if sweep.place > note.mark?.place ?? 0 { note.mark = Mark(place: sweep.place, date: date) }
      } else {
        note.fence = max(note.fence, sweep.place)
      }
    }
    return note
  }

  // MARK: Fetches

  /// A fetch is held back.
  mutating func hold(_ id: EntryID, _ text: String) { held[id.generation] = (id, text) }

  /// A fetch is held back no longer.
  mutating func letGo(_ id: EntryID) { held[id.generation] = nil }

  private mutating func next() -> UInt64 {
    place += 1
    return place
  }
}
