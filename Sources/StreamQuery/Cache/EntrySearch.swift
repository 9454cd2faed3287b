/// A search for the entries that a filter matches at one instant, which holds the lock for a
/// bounded number of entries at a time.
///
/// The first looks visit everything that the filter may match. Entries that change in between are
/// recorded and visited again. As soon as one look finishes those, all matches hold at that
/// instant: half a transaction is never seen (contract law 4). A search that finishes in one look
/// records nothing.
///
/// The matches may be only candidates, which the client then judges by predicates, which are user
/// code. It judges between the looks, and judges changed entries again; after three rounds the last
/// answers stand.
struct EntrySearch<Item: Sendable> {
  /// The next step.
  private enum Stage {
    case beginning
    case gathering(EntryCandidates)
    /// The entries that changed since their visit, each once, and the number of those that were
    /// visited again.
    case catchingUp([EntryID], done: Int)
  }

  private let filter: EntryFilter
  private let isFiltered: Bool
  private let wantsInfo: Bool
  /// The time for measuring ages; ``Instant/distantPast`` before the first look.
  private(set) var instant = Instant.distantPast
  private var stage = Stage.beginning
  /// The number of times that the changed entries were collected.
  private var round = 1
  /// The number of rounds in which it tries to keep up with callers that change entries faster than
  /// it visits them; then the last answers stand or, without predicates, it holds the lock for the
  /// rest.
  private var rounds: Int { isFiltered ? 3 : 8 }
  /// The number of the log of changes; `nil` if there is none.
  private var log: Int?
  private var found: [Match<Item>] = []
  /// The matches of the last look: under the lock nothing moves for lack of room.
  private var latest: [Match<Item>] = []
  /// The matches for changed entries, in the order of the looks; `nil` is an entry that the filter
  /// no longer matches.
  private var news: [(id: EntryID, match: Match<Item>?)] = []
  /// The number of judged matches in ``found`` and in ``news``.
  private var filtered = (found: 0, news: 0)

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - isFiltered: Whether the client judges the matches.
  ///   - wantsInfo: Whether matches include an info even if nobody judges them.
  init(_ filter: EntryFilter, isFiltered: Bool = false, wantsInfo: Bool = false) {
    self.filter = filter
    self.isFiltered = isFiltered
    self.wantsInfo = wantsInfo || isFiltered
  }

  // MARK: Under the lock

  /// Visits some more entries.
  ///
  /// - Parameters:
  ///   - state: The cache.
  ///   - now: The current time.
  ///   - item: Makes the item of an entry.
  /// - Returns: Whether the search is complete. If not, release the lock, call ``mergeAnswers(_:)`` and
  ///   continue.
  mutating func visitEntries(
    at state: inout CacheState,
    now: Instant,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Bool {
    switch stage {
    case .beginning:
      instant = now
      return gather(state.candidates(of: filter), in: &state, item)
    case .gathering(let candidates):
      return gather(candidates, in: &state, item)
    case .catchingUp(let changed, let done):
      return catchUp(with: changed, done, in: &state, item)
    }
  }

  /// Stops recording changes.
  mutating func stopRecording(in state: inout CacheState) {
    if let log { state.stopLogging(log) }
    log = nil
  }

  private mutating func gather(
    _ candidates: EntryCandidates,
    in state: inout CacheState,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Bool {
    var candidates = candidates
    for candidate in state.takeCandidates(&candidates)
    where state.matches(filter, candidate.index, at: instant) {
      latest.append(match(candidate.index, candidate.rank, in: &state, item))
    }
    if candidates.isOver {
      // A search that found everything in the first look, and is not judged, has seen one instant.
      if log == nil, !isFiltered {
        swap(&found, &latest)
        return true
      }
      stage = .catchingUp([], done: 0)
    } else {
      stage = .gathering(candidates)
    }
    if log == nil { log = state.startLogging() }
    return false
  }

  private mutating func catchUp(
    with changed: [EntryID],
    _ done: Int,
    in state: inout CacheState,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Bool {
    if done < changed.count {
      let end = min(changed.count, done + state.bounds.lookLimit)
      lookAgain(at: changed[done..<end], in: &state, item)
      stage = .catchingUp(changed, done: end)
      return false
    }
    let fresh = log.map { state.takeChanges($0) } ?? []
    let mustEnd = round >= rounds
    if fresh.isEmpty || isFiltered && mustEnd { return true }
    round += 1
    if !isFiltered, fresh.count <= state.bounds.lookLimit || mustEnd {
      lookAgain(at: fresh[...], in: &state, item)
      return true
    }
    stage = .catchingUp(fresh, done: 0)
    return false
  }

  private mutating func lookAgain(
    at changed: ArraySlice<EntryID>,
    in state: inout CacheState,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) {
    state.noteLook(changed.count)
    for id in changed {
      // By identifier, because it may have moved.
      let index = state.find(id).flatMap { index in
        state.matches(filter, index, at: instant) ? index : nil
      }
      // Nothing is replaced here: the last reference to a value must not be released under the
      // lock.
      news.append(
        (id, index.map { match($0, state.rank($0, in: filter), in: &state, item) })
      )
    }
  }

  private func match(
    _ index: Int,
    _ rank: UInt64,
    in state: inout CacheState,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Match<Item> {
    Match(
      id: state.id(of: index),
      rank: rank,
      info: wantsInfo ? state.info(index, at: instant) : nil,
      item: item(&state, index, instant)
    )
  }

  // MARK: Outside the lock

  /// The questions for the client: all matches since it last judged.
  var questions: [QueryInfo] {
    guard isFiltered else { return [] }
    return (found[filtered.found...] + latest).compactMap(\.info)
      + news[filtered.news...].compactMap { $0.match?.info }
  }

  /// Drops findings that do not match, and replaces earlier matches with those for changed
  /// entries.
  ///
  /// Releases user values: never call it under the lock.
  ///
  /// - Parameter answers: For each of the ``questions``, whether it matches.
  mutating func mergeAnswers(_ answers: [Bool] = []) {
    found += latest
    latest.removeAll(keepingCapacity: true)
    if isFiltered { filterMatches(by: answers) }
    guard case .catchingUp(let changed, let done) = stage else { return }
    if done == 0 { stage = .catchingUp(Self.unique(changed), done: 0) }
    guard done == changed.count, !news.isEmpty else { return }
    found = Self.merged(found, news)
    news = []
    filtered = (found.count, 0)
  }

  private mutating func filterMatches(by answers: [Bool]) {
    var answers = answers.makeIterator()
    func isMeant(_ match: Match<Item>) -> Bool { match.info != nil && answers.next() == true }
    let fresh = Array(found[filtered.found...])
    found.removeSubrange(filtered.found...)
    found += fresh.filter(isMeant)
    for position in news.indices[filtered.news...] {
      guard let match = news[position].match, !isMeant(match) else { continue }
      news[position].match = nil
    }
    filtered = (found.count, news.count)
  }

  /// The matches, in order; each entry once.
  ///
  /// - Returns: The matches at the instant of the last look.
  func allMatches() -> [Match<Item>] {
    var all = news.isEmpty ? found : Self.merged(found, news)
    let isInOrder = zip(all, all.dropFirst()).allSatisfy { $0.rank < $1.rank }
    guard !isInOrder else { return all }
    all.sort { $0.rank < $1.rank }
    // Two parts of a filter may lead to the same entry.
    var last: EntryID?
    return all.filter { match in
      defer { last = match.id }
      return match.id != last
    }
  }

  private static func unique(_ changed: [EntryID]) -> [EntryID] {
    var seen: Set<EntryID> = []
    return changed.filter { seen.insert($0).inserted }
  }

  private static func merged(
    _ found: [Match<Item>],
    _ news: [(id: EntryID, match: Match<Item>?)]
  ) -> [Match<Item>] {
    let latest = Dictionary(news.map { ($0.id, $0.match) }) { $1 }
    return found.filter { latest[$0.id] == nil }
      + latest.values.compactMap { $0 }.sorted { $0.rank < $1.rank }
  }
}

/// An entry that a search found.
struct Match<Item: Sendable>: Sendable {
  var id: EntryID
  /// Its rank among the others.
  var rank: UInt64
  /// The info by which it is judged; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
