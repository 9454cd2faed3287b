/// A search for the entries that a filter matches at one instant, which holds the lock for a
/// bounded number of entries at a time.
///
/// The first visits under the lock go through everything that the filter may match. Entries that change
/// between two visits are recorded, and visited again. The search ends when one visit reaches all recorded
/// entries. So the matches are those of one instant: no search sees half a transaction. A search that needs
/// only one visit records nothing.
///
/// If the filter has predicates, which are user code, the client calls them between the visits, and
/// again for changed entries. After three rounds the last answers count.
struct EntrySearch<Item: Sendable> {
  /// The next step of the search.
  private enum Stage {
    case beginning
    case gathering(EntryCandidates)
    /// The entries that changed since their visit, each once; the first `done` of them were visited again.
    case catchingUp([EntryID], done: Int)
  }

  private let filter: EntryFilter
  private let isFiltered: Bool
  private let wantsInfo: Bool
  /// The time for measuring ages; ``Instant/distantPast`` before the first visit.
  private(set) var instant = Instant.distantPast
  private var stage = Stage.beginning
  /// The number of times that the changed entries were collected.
  private var round = 1
  /// The maximum of ``round``: callers may change entries faster than the search visits them.
  ///
  /// After the last round, the last answers of the predicates count. Without predicates, the search holds the
  /// lock until it has visited all changed entries.
  private var rounds: Int { isFiltered ? 3 : 8 }
  /// The number of the log of changes; `nil` if there is none.
  private var log: Int?
  private var found: [Match<Item>] = []
  /// The matches of the last visit.
  ///
  /// They are added to ``found`` outside the lock, because adding them may copy the list.
  private var latest: [Match<Item>] = []
  /// The matches of changed entries, in the order of visits; `nil` for an entry that the filter no
  /// longer matches.
  private var news: [(id: EntryID, match: Match<Item>?)] = []
  /// The numbers of matches in ``found`` and ``news`` for which the client has evaluated its predicates.
  private var filtered = (found: 0, news: 0)

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - isFiltered: Whether the client evaluates predicates for the matches.
  ///   - wantsInfo: Whether matches include an info even without predicates.
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
      // Without predicates, one visit found all matches, so they are those of one instant.
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
      // The entry is found by its identifier, because it may have moved.
      let index = state.find(id).flatMap { index in
        state.matches(filter, index, at: instant) ? index : nil
      }
      // The match is only added: replacing one could release the last reference to a value under
      // the lock.
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

  /// The matches for which the client still has to evaluate the predicates.
  var questions: [QueryInfo] {
    guard isFiltered else { return [] }
    return (found[filtered.found...] + latest).compactMap(\.info)
      + news[filtered.news...].compactMap { $0.match?.info }
  }

  /// Drops the matches that predicates refused, and replaces those of entries that have changed.
  ///
  /// This releases users' values, so do not call it under the lock.
  ///
  /// - Parameter answers: For each of the ``questions``, whether the entry matches.
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
  /// - Returns: The matches at the instant of the last visit.
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
  /// The rank of the entry in the order of the matches.
  var rank: UInt64
  /// The info for predicates; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
