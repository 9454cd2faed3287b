/// A search for the entries that a filter matches at one instant, which holds the lock for a
/// bounded number of entries at a time.
///
/// The first looks visit everything that the filter may match. Entries that change in between are
/// recorded and visited again. As soon as one look finishes those, all findings hold at that
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
  private let isJudged: Bool
  private let wantsInfo: Bool
  /// The time for measuring ages; ``Instant/distantPast`` before the first look.
  private(set) var instant = Instant.distantPast
  private var stage = Stage.beginning
  /// The number of times that the changed entries were collected.
  private var round = 1
  /// The number of rounds in which it tries to keep up with callers that change entries faster than
  /// it visits them; then the last answers stand or, without predicates, it holds the lock for the
  /// rest.
  private var rounds: Int { isJudged ? 3 : 8 }
  /// The number of the log of changes; `nil` if there is none.
  private var log: Int?
  private var found: [Finding<Item>] = []
  /// The findings of the last look: under the lock nothing moves for lack of room.
  private var latest: [Finding<Item>] = []
  /// The findings for changed entries, in the order of the looks; `nil` is an entry that the filter
  /// no longer matches.
  private var news: [(id: EntryID, finding: Finding<Item>?)] = []
  /// The number of judged findings in ``found`` and in ``news``.
  private var judged = (found: 0, news: 0)

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - isJudged: Whether the client judges the matches.
  ///   - wantsInfo: Whether findings include an info even if nobody judges them.
  init(_ filter: EntryFilter, isJudged: Bool = false, wantsInfo: Bool = false) {
    self.filter = filter
    self.isJudged = isJudged
    self.wantsInfo = wantsInfo || isJudged
  }

  // MARK: Under the lock

  /// Visits some more entries.
  ///
  /// - Parameters:
  ///   - state: The cache.
  ///   - now: The current time.
  ///   - item: Makes the item of an entry.
  /// - Returns: Whether the search is complete. If not, release the lock, call ``settle(_:)`` and
  ///   continue.
  mutating func look(
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
  mutating func end(in state: inout CacheState) {
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
      latest.append(finding(candidate.index, candidate.rank, in: &state, item))
    }
    if candidates.isOver {
      // A search that found everything in the first look, and is not judged, has seen one instant.
      if log == nil, !isJudged {
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
    if fresh.isEmpty || isJudged && mustEnd { return true }
    round += 1
    if !isJudged, fresh.count <= state.bounds.lookLimit || mustEnd {
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
        (id, index.map { finding($0, state.rank($0, in: filter), in: &state, item) })
      )
    }
  }

  private func finding(
    _ index: Int,
    _ rank: UInt64,
    in state: inout CacheState,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Finding<Item> {
    Finding(
      id: state.id(of: index),
      rank: rank,
      info: wantsInfo ? state.info(index, at: instant) : nil,
      item: item(&state, index, instant)
    )
  }

  // MARK: Outside the lock

  /// The questions for the client: all findings since it last judged.
  var questions: [QueryInfo] {
    guard isJudged else { return [] }
    return (found[judged.found...] + latest).compactMap(\.info)
      + news[judged.news...].compactMap { $0.finding?.info }
  }

  /// Drops findings that do not match, and replaces earlier findings with those for changed
  /// entries.
  ///
  /// Releases user values: never call it under the lock.
  ///
  /// - Parameter answers: For each of the ``questions``, whether it matches.
  mutating func settle(_ answers: [Bool] = []) {
    found += latest
    latest.removeAll(keepingCapacity: true)
    if isJudged { drop(by: answers) }
    guard case .catchingUp(let changed, let done) = stage else { return }
    if done == 0 { stage = .catchingUp(Self.unique(changed), done: 0) }
    guard done == changed.count, !news.isEmpty else { return }
    found = Self.merged(found, news)
    news = []
    judged = (found.count, 0)
  }

  private mutating func drop(by answers: [Bool]) {
    var answers = answers.makeIterator()
    func isMeant(_ finding: Finding<Item>) -> Bool { finding.info != nil && answers.next() == true }
    let fresh = Array(found[judged.found...])
    found.removeSubrange(judged.found...)
    found += fresh.filter(isMeant)
    for position in news.indices[judged.news...] {
      guard let finding = news[position].finding, !isMeant(finding) else { continue }
      news[position].finding = nil
    }
    judged = (found.count, news.count)
  }

  /// The findings, in order; each entry once.
  ///
  /// - Returns: The findings at the instant of the last look.
  func findings() -> [Finding<Item>] {
    var all = news.isEmpty ? found : Self.merged(found, news)
    let isInOrder = zip(all, all.dropFirst()).allSatisfy { $0.rank < $1.rank }
    guard !isInOrder else { return all }
    all.sort { $0.rank < $1.rank }
    // Two parts of a filter may lead to the same entry.
    var last: EntryID?
    return all.filter { finding in
      defer { last = finding.id }
      return finding.id != last
    }
  }

  private static func unique(_ changed: [EntryID]) -> [EntryID] {
    var seen: Set<EntryID> = []
    return changed.filter { seen.insert($0).inserted }
  }

  private static func merged(
    _ found: [Finding<Item>],
    _ news: [(id: EntryID, finding: Finding<Item>?)]
  ) -> [Finding<Item>] {
    let latest = Dictionary(news.map { ($0.id, $0.finding) }) { $1 }
    return found.filter { latest[$0.id] == nil }
      + latest.values.compactMap { $0 }.sorted { $0.rank < $1.rank }
  }
}

/// An entry that a search found.
struct Finding<Item: Sendable>: Sendable {
  var id: EntryID
  /// Its rank among the others.
  var rank: UInt64
  /// The info by which it is judged; `nil` if nobody wants it.
  var info: QueryInfo?
  var item: Item
}
