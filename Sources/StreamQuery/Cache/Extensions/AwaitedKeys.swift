/// The keys that imports in progress are to bring, and the changes of keys meanwhile.
///
/// Archives name keys by texts, because a key in an archive may be unknown to the cache. Events get numbers
/// from one sequence, so that their order is known: an import begins or names keys, a fetch starts, an entry
/// is removed or written. Nothing is recorded while no import runs.
///
/// ``decision(on:by:)`` and ``importWait(for:startedAt:at:)`` never search all names, all notes of keys or
/// all fetches: there may be thousands of each, and the lock is held.
struct AwaitedKeys<End: Sendable>: Sendable {
  /// An import in progress.
  private struct Import: Sendable {
    var began: UInt64
    /// The longest time that a fetch waits for the import.
    var limit: TimeSpan
    var named: [String: Naming] = [:]
    var end: End
  }

  /// The first time that an import named a key, and how long fetches of the key wait.
  private struct Naming: Sendable {
    var sequence: UInt64
    /// The time at which fetches of the key stop waiting; `nil` is never.
    ///
    /// A fetch that follows another one does not wait longer: the time counts from the naming.
    var until: Instant?

    func isAwaited(at now: Instant) -> Bool { until.map { now < $0 } ?? true }
  }

  /// A key to decide about, and the key's entry if there is one.
  struct Candidate {
    var text: String
    /// The info of the key as if it had no entry.
    ///
    /// The filters of noted changes are matched with it.
    var info: QueryInfo
    /// The entry's number; `nil` if there is none.
    var entry: UInt64?
  }

  /// The rules for the data that an import brings for an entry.
  struct Decision: Equatable {
    /// Whether the import must not bring the data.
    var isRefused = false
    /// The date of the last invalidation since the import named the key or began; `nil` if there was none.
    ///
    /// Imported data of this date or an earlier one is outdated.
    var markedAt: Double?
    /// The data ends fetches that started after the event with this number; `nil` if it ends none.
    var endsFetchesAfter: UInt64?
    /// A stale time that replaces zero when data is to end a fetch: with zero, no data would be fresh.
    var limit = TimeSpan.zero
  }

  /// How long a fetch waits for imports.
  struct Wait: Equatable {
    /// The end of the wait; `nil` is for ever.
    var until: Instant?
  }

  /// A deferred fetch, and the text of its key.
  struct Deferred: Equatable {
    var id: EntryID
    var text: String
  }

  /// The number of the newest import.
  ///
  /// Neither this nor ``sequence`` ever goes back: a number from an import that is over must not be
  /// taken for one from a later import.
  private var serial = 0
  private var sequence: UInt64 = 0
  /// The number of the last event in which an import began or named a key.
  ///
  /// Notes of earlier changes decide nothing about this import or key.
  private var newestBase: UInt64 = 0
  private var imports: [Int: Import] = [:]
  private(set) var notes = KeyNotes()
  /// The entries with deferred fetches, by the texts of their keys; some of these fetches may have
  /// begun since the last check.
  private(set) var deferred: [String: [EntryID]] = [:]
  /// The number of calls of ``importWait(for:startedAt:at:)``: for tests.
  private(set) var questionCount = 0

  /// Whether no import runs.
  var isEmpty: Bool {
    @inline(__always) get { imports.isEmpty }
  }

  /// The number of a fetch that starts now, in the order of events.
  mutating func started() -> UInt64 {
    guard !imports.isEmpty else { return 0 }
    return next()
  }

  // MARK: Imports

  /// Adds an import that begins.
  ///
  /// - Parameters:
  ///   - end: The signal to send if ``endedAll()`` removes the import.
  ///   - limit: The longest time that a fetch waits for the import.
  /// - Returns: Its number.
  mutating func began(_ end: End, limit: TimeSpan) -> Int {
    serial += 1
    newestBase = next()
    imports[serial] = Import(began: newestBase, limit: limit, end: end)
    return serial
  }

  /// Whether an import still runs.
  func isRunning(_ import: Int) -> Bool { imports[`import`] != nil }

  /// Adds the keys that an archive is still to bring; a key that the import has named before keeps its time.
  mutating func named(_ texts: some Sequence<String>, by import: Int, at now: Instant) {
    guard let limit = imports[`import`]?.limit else { return }
    newestBase = next()
    let naming = Naming(sequence: newestBase, until: now + limit)
    for text in texts where imports[`import`]?.named[text] == nil {
      imports[`import`]?.named[text] = naming
    }
  }

  /// Forgets keys that an import has named, because an archive has brought them, or no archive will.
  ///
  /// - Returns: The deferred fetches of these keys.
  mutating func left(_ texts: [String], by import: Int) -> [Deferred] {
    for text in texts { imports[`import`]?.named[text] = nil }
    return deferred(of: texts)
  }

  /// Removes an import that is over or failed.
  ///
  /// - Returns: The deferred fetches of the keys that the import had named.
  mutating func importEnded(_ import: Int) -> [Deferred] {
    guard let former = imports.removeValue(forKey: `import`) else { return [] }
    return deferred(of: deferred.keys.filter { former.named[$0] != nil })
  }

  /// Removes all imports, because their data is outdated, for example from the time of another account.
  ///
  /// - Returns: The signals of the imports, in the order in which these began.
  mutating func endedAll() -> [End] {
    defer { imports = [:] }
    return imports.sorted { $0.key < $1.key }.map(\.value.end)
  }

  // MARK: Keys

  /// Records that a key was removed, reset or written, so that no import brings older data for the key.
  mutating func fenced(_ key: EntryKey) {
    notes.record(KeyNotes.Note(fence: next()), to: key, since: newestBase)
  }

  /// Records that a caller wants newer data for a key than imports bring.
  mutating func requested(_ key: EntryKey) {
    notes.record(KeyNotes.Note(request: next()), to: key, since: newestBase)
  }

  /// Records that a key was invalidated.
  mutating func invalidated(_ key: EntryKey, at date: Double) {
    notes.record(KeyNotes.Note(mark: next(), markedAt: date), to: key, since: newestBase)
  }

  /// Records that the entries of a filter were removed, or invalidated at a date, whether or not the
  /// cache has these entries.
  mutating func bulkChanged(_ filter: EntryFilter, invalidatedAt date: Double?, newestEntry: UInt64)
  {
    let note =
      date.map { KeyNotes.Note(mark: next(), markedAt: $0) } ?? KeyNotes.Note(fence: next())
    notes.record(note, to: filter, newestEntry: newestEntry)
  }

  /// Reduces the notes if there are too many.
  ///
  /// - Returns: The former notes; `nil` if nothing changes. Release them outside the lock, because keys and
  ///   filters are the user's. After a change, check deferred fetches again: they may no longer have to wait.
  mutating func boundNotes() -> KeyNotes? {
    guard notes.isFull else { return nil }
    let former = notes
    notes.generalize()
    return former
  }

  /// Forgets all notes, because no import runs, and later imports do not need them.
  ///
  /// - Returns: The notes, to be released outside the lock.
  mutating func forgetNotes() -> KeyNotes {
    defer { notes = KeyNotes() }
    return notes
  }

  // MARK: Answers

  /// Decides what an import may do with an entry that the import brings.
  func decision(on candidate: Candidate, by import: Int) -> Decision {
    guard let running = imports[`import`] else { return Decision(isRefused: true) }
    let named = running.named[candidate.text]?.sequence
    let note = total(of: candidate)
    let base = named ?? running.began
    guard note.fence <= base else { return Decision(isRefused: true) }
    var decision = Decision(limit: running.limit)
    if note.mark > base { decision.markedAt = note.markedAt }
    // A caller that requested data after the naming gets the answer of the fetch, so the import must not end
    // it.
    if let named, note.request <= named, decision.markedAt == nil {
      decision.endsFetchesAfter = named
    }
    return decision
  }

  /// Decides whether a fetch waits for imports that are to bring the data of its key.
  ///
  /// - Parameters:
  ///   - candidate: The entry.
  ///   - start: The number of the fetch's start in the order of events.
  ///   - now: The time.
  /// - Returns: The longest of the waits; `nil` if the fetch does not wait.
  mutating func importWait(
    for candidate: Candidate,
    startedAt start: UInt64,
    at now: Instant
  ) -> Wait? {
    questionCount &+= 1
    let namings = imports.values.compactMap { $0.named[candidate.text] }
      .filter { $0.sequence < start && $0.isAwaited(at: now) }
    guard !namings.isEmpty else { return nil }
    let last = total(of: candidate).last
    let ends = namings.filter { $0.sequence > last }.map(\.until)
    guard !ends.isEmpty else { return nil }
    return Wait(until: ends.contains(nil) ? nil : ends.compactMap(\.self).max())
  }

  private func total(of candidate: Candidate) -> KeyNotes.Note {
    notes.total(of: KeyNotes.Candidate(info: candidate.info, entry: candidate.entry))
  }

  // MARK: Fetches

  /// Adds a deferred fetch.
  mutating func addDeferred(_ id: EntryID, _ text: String) {
    // The fetch may be in the list already, because the end of an earlier deferral does not remove
    // it.
    if deferred[text]?.contains(id) != true { deferred[text, default: []].append(id) }
  }

  /// Removes a fetch that is no longer deferred.
  mutating func removeDeferred(_ fetch: Deferred) {
    deferred[fetch.text]?.removeAll { $0 == fetch.id }
    if deferred[fetch.text]?.isEmpty == true { deferred[fetch.text] = nil }
  }

  /// All deferred fetches, in the order in which their entries were made.
  var allDeferred: [Deferred] { deferred(of: deferred.keys) }

  private func deferred(of texts: some Sequence<String>) -> [Deferred] {
    texts.flatMap { text in (deferred[text] ?? []).map { Deferred(id: $0, text: text) } }
      .sorted { $0.id.generation < $1.id.generation }
  }

  private mutating func next() -> UInt64 {
    sequence += 1
    return sequence
  }
}
