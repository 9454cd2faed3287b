/// A search for the entries that a filter matches at one instant, which holds the lock for a
/// bounded number of entries at a time.
///
/// The first looks visit everything that the filter may match. Changes in between are recorded and
/// looked at again. As soon as one look finishes those, everything found holds at that instant:
/// half a transaction is never seen (contract law 4). A search that finishes in one look records
/// nothing.
///
/// Predicates are user code. They are called between the looks, and again for what changed; after
/// three rounds the last answers stand.
struct EntrySearch<Item: Sendable> {
  /// What to do next.
  private enum Stage {
    case beginning
    case group(EntryCandidates)
    /// What changed since it was looked at, each entry once, and how much of that was looked at
    /// again.
    case catchingUp([EntryID], done: Int)
  }

  /// How often predicates are called.
  static var predicateRounds: Int { 3 }
  /// How often a search tries to keep up with callers that change entries faster than it can look,
  /// before it holds the lock for everything that is left.
  static var rounds: Int { 8 }

  let filter: QueryFilter.Node
  private let hasPredicate: Bool
  private let wantsInfo: Bool
  /// The time for measuring ages; ``Instant/distantPast`` before the first look.
  private(set) var instant = Instant.distantPast
  private var stage = Stage.beginning
  /// How often the changed entries were collected.
  private var round = 1
  /// Where changes are recorded; `nil` if none are.
  private var log: Int?
  private var found: [Finding<Item>] = []
  /// What the last look adds to that: under the lock nothing moves for lack of room.
  private var latest: [Finding<Item>] = []
  /// The findings for changed entries, in the order of the looks; `nil` is an entry that the filter
  /// no longer matches.
  private var news: [(id: EntryID, finding: Finding<Item>?)] = []
  /// How far predicates have been called, in ``found`` and in ``news``.
  private var asked = (found: 0, news: 0)

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - filter: Which entries.
  ///   - wantsInfo: Whether findings include an info even if no predicate is called.
  init(_ filter: QueryFilter.Node, wantsInfo: Bool = false) {
    self.filter = filter
    hasPredicate = filter.hasPredicate
    self.wantsInfo = wantsInfo || hasPredicate
  }

  // MARK: Under the lock

  /// Looks at some more entries.
  ///
  /// - Parameters:
  ///   - state: The cache.
  ///   - now: The current time.
  ///   - item: What is wanted from an entry.
  /// - Returns: Whether that was all. If not, release the lock, call ``settle()`` and continue.
  mutating func look(
    at state: inout CacheState,
    now: Instant,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> Bool {
    switch stage {
    case .beginning:
      instant = now
      return gather(state.candidates(of: filter), in: &state, item)
    case .group(let candidates):
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
    where hasPredicate || state.matches(filter, candidate.index, at: instant) {
      latest.append(finding(candidate.index, candidate.rank, in: &state, item))
    }
    if candidates.isOver {
      // A search that found everything in the first look, without predicates, has seen one instant.
      if log == nil, !hasPredicate {
        swap(&found, &latest)
        return true
      }
      stage = .catchingUp([], done: 0)
    } else {
      stage = .group(candidates)
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
      let end = min(changed.count, done + state.lookLimit)
      lookAgain(at: changed[done..<end], in: &state, item)
      stage = .catchingUp(changed, done: end)
      return false
    }
    let fresh = log.map { state.takeChanges($0) } ?? []
    if fresh.isEmpty || (hasPredicate && round >= Self.predicateRounds) { return true }
    round += 1
    if !hasPredicate, fresh.count <= state.lookLimit || round > Self.rounds {
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
        hasPredicate || state.matches(filter, index, at: instant) ? index : nil
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

  /// Calls the predicates, and replaces earlier findings with those for changed entries.
  ///
  /// Runs user code and releases user values: never call it under the lock.
  mutating func settle() {
    found += latest
    latest.removeAll(keepingCapacity: true)
    if hasPredicate { askPredicates() }
    guard case .catchingUp(let changed, let done) = stage else { return }
    if done == 0 { stage = .catchingUp(Self.unique(changed), done: 0) }
    guard done == changed.count, !news.isEmpty else { return }
    found = Self.merged(found, news)
    news = []
    asked = (found.count, 0)
  }

  private mutating func askPredicates() {
    let (seen, heard) = asked
    let fresh = Array(found[seen...])
    found.removeSubrange(seen...)
    found += fresh.filter(isMeant)
    for position in news.indices[heard...] {
      guard let finding = news[position].finding, !isMeant(finding) else { continue }
      news[position].finding = nil
    }
    asked = (found.count, news.count)
  }

  private func isMeant(_ finding: Finding<Item>) -> Bool {
    finding.info.map(filter.matches) ?? false
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
