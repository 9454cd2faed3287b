nonisolated extension QueryClient {
  /// Evaluates a filter once and makes one transaction over its matches.
  ///
  /// If the filter's keys and prefixes do not lead to the matches, a search finds them first, in several
  /// visits between which the lock is free. The transaction then reads only the matches, and the entries that
  /// changed meanwhile. See ``EntrySearch`` for predicates.
  @discardableResult
  func select<Result: Sendable>(
    _ filter: QueryFilter,
    _ body: (inout CacheState, [Int], inout Transaction) -> Result
  ) -> Result {
    if !filter.hasPredicate {
      let plain = filter.plainPart
      let result = transaction { state, transaction -> Result? in
        let now = transaction.environment.now.instant
        guard let indices = state.entriesAtHand(matching: plain, at: now) else { return nil }
        return body(&state, indices, &transaction)
      }
      if let result { return result }
    }
    return search(filter) { _, _, _ in
    } finally: { search, state, transaction in
      var indices: [Int] = []
      for match in search.allMatches() {
        if let index = state.find(match.id) { indices.append(index) }
      }
      return body(&state, indices, &transaction)
    }.result
  }

  /// The infos of the entries that match a filter, all of one instant.
  func infos(_ filter: QueryFilter) -> [QueryInfo] {
    search(filter, wantsInfo: true) { _, _, _ in }.compactMap(\.info)
  }

  /// An item for each entry that matches a filter, all of one instant.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - wantsInfo: Whether matches include an info even if there are no predicates.
  ///   - item: Makes the item of an entry; runs under the lock.
  /// - Returns: The matches, in order.
  func search<Item: Sendable>(
    _ filter: QueryFilter,
    wantsInfo: Bool = false,
    _ item: (inout CacheState, Int, Instant) -> Item
  ) -> [Match<Item>] {
    search(filter, wantsInfo: wantsInfo, item) { _, _, _ in }.search.allMatches()
  }

  /// Runs a search to its end, and evaluates the filter's predicates between the search's visits.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - wantsInfo: Whether matches include an info even if there are no predicates.
  ///   - item: Makes the item of an entry; runs under the lock.
  ///   - last: Further work in the transaction that finishes the search.
  /// - Returns: The search, whose matches are those of the last transaction, and the result of `last`.
  func search<Item: Sendable, Result: Sendable>(
    _ filter: QueryFilter,
    wantsInfo: Bool = false,
    _ item: (inout CacheState, Int, Instant) -> Item,
    finally last: (borrowing EntrySearch<Item>, inout CacheState, inout Transaction) -> Result
  ) -> (search: EntrySearch<Item>, result: Result) {
    var search = EntrySearch<Item>(
      filter.plainPart,
      isFiltered: filter.hasPredicate,
      wantsInfo: wantsInfo
    )
    let result = commit { _ in
      // Predicates are user code, so they run here, outside the lock, for the entries that match otherwise.
      search.mergeAnswers(search.questions.map(filter.matches))
      return .answer(())
    } applying: { _, _, state, transaction -> Result? in
      guard search.visitEntries(at: &state, now: transaction.environment.now.instant, item) else {
        return nil
      }
      search.stopRecording(in: &state)
      return last(search, &state, &transaction)
    }
    search.mergeAnswers()
    return (search, result)
  }
}

// A filter has a part that the cache evaluates, and predicates that the client evaluates.

extension QueryFilter {
  /// The key of a filter that names exactly one key; otherwise `nil`.
  package var exactKey: EntryKey? {
    if case .plain(.entry(let key)) = node { key } else { nil }
  }

  /// Whether the filter has predicates; they are user code.
  package var hasPredicate: Bool { if case .plain = node { false } else { true } }

  /// The part of the filter that the cache can evaluate.
  ///
  /// It ignores predicates, so it matches all entries of the whole filter, and perhaps more.
  var plainPart: EntryFilter { node.plainPart }

  /// Whether the filter matches; runs user code if there are predicates.
  package func matches(_ info: QueryInfo) -> Bool { node.selects(info) }

  /// Tells the record of a call on the entries that the filter selects.
  func announce(
    _ call: QueryRecord.BulkCall,
    count: Int,
    to state: inout CacheState,
    _ transaction: inout Transaction
  ) {
    state.announceCall(
      call,
      of: plainPart,
      hasPredicate: hasPredicate,
      count: count,
      &transaction
    )
  }
}

extension QueryFilter.Node {
  fileprivate var plainPart: EntryFilter {
    switch self {
    case .plain(let filter): filter
    case .and(let nodes): .and(nodes.map(\.plainPart))
    case .or(let nodes): .or(nodes.map(\.plainPart))
    // The plain part of an operand matches too much, so the opposite of that part would match too
    // little.
    case .predicate, .not: .all
    }
  }

  fileprivate func selects(_ info: QueryInfo) -> Bool {
    switch self {
    case .plain(let filter): filter.matches(info)
    case .predicate(let predicate): predicate(info)
    case .and(let nodes): nodes.allSatisfy { $0.selects(info) }
    case .or(let nodes): nodes.contains { $0.selects(info) }
    case .not(let operand): !operand.selects(info)
    }
  }
}
