extension QueryClient {
  /// Evaluates a filter once and makes one turn over its matches.
  ///
  /// If keys and prefixes do not lead to the matches, a search in slices finds them first: the turn
  /// then looks at the matches, and at what changed meanwhile. See ``EntrySearch`` for predicates.
  @discardableResult
  nonisolated func select<Result: Sendable>(
    _ filter: QueryFilter,
    _ body: (inout CacheState, [Int], inout Turn) -> Result
  ) -> Result {
    if !filter.node.hasPredicate {
      let result = turn { state, turn -> Result? in
        let now = turn.world.now.moment
        guard let indices = state.entriesAtHand(matching: filter.node, at: now) else { return nil }
        return body(&state, indices, &turn)
      }
      if let result { return result }
    }
    return search(EntrySearch<Void>(filter.node)) { _, _, _ in
    } finally: { search, state, turn in
      var indices: [Int] = []
      for finding in search.findings() {
        if let index = state.find(finding.id) { indices.append(index) }
      }
      return body(&state, indices, &turn)
    }.result
  }

  /// The infos of the entries that match a filter, all of one instant.
  nonisolated func infos(_ filter: QueryFilter) -> [QueryInfo] {
    search(EntrySearch<Void>(filter.node, wantsInfo: true)) { _, _, _ in
    } finally: { _, _, _ in
    }.search.findings().compactMap(\.info)
  }

  /// An item for each entry that matches a filter, all of one instant.
  ///
  /// - Parameters:
  ///   - filter: Which entries.
  ///   - item: Makes the item of an entry; runs under the lock.
  /// - Returns: The findings, in order.
  nonisolated func search<Item: Sendable>(
    _ filter: QueryFilter,
    _ item: (inout CacheState, Int, Moment) -> Item
  ) -> [Finding<Item>] {
    search(EntrySearch<Item>(filter.node), item) { _, _, _ in }.search.findings()
  }

  /// Runs a search to its end.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - item: Makes the item of an entry; runs under the lock.
  ///   - last: What else happens in the turn that finishes the search.
  /// - Returns: The search, whose findings are from the same instant as the result, and the result.
  nonisolated func search<Item: Sendable, Result: Sendable>(
    _ search: EntrySearch<Item>,
    _ item: (inout CacheState, Int, Moment) -> Item,
    finally last: (borrowing EntrySearch<Item>, inout CacheState, inout Turn) -> Result
  ) -> (search: EntrySearch<Item>, result: Result) {
    var search = search
    while true {
      let result = turn { state, turn -> Result? in
        guard search.look(at: &state, now: turn.world.now.moment, item) else { return nil }
        search.end(in: &state)
        return last(search, &state, &turn)
      }
      search.settle()
      if let result { return (search, result) }
    }
  }
}
