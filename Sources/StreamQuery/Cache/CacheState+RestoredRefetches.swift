extension CacheState {
  /// An entry whose observers wait for a store; `nil` if it has none, or others that do not wait.
  ///
  /// - Parameters:
  ///   - index: The entry.
  ///   - scope: Which entries are meant: such an entry is about to be active.
  /// - Returns: The entry.
  @inline(__always)
  func restoring(_ index: Int, in scope: RefetchScope = .active) -> RestoringEntry? {
    guard scope == .active || scope == .all else { return nil }
    guard slots[index].isWatched, !slots[index].machine.isActive, !slots[index].machine.isStatic,
      let query = slots[index].query, query.isPersisted,
      slots[index].observers.contains(where: {
        observers[Int($0)].resolvedOptions.participation == .restoring
      })
    else { return nil }
    return RestoringEntry(id: id(of: index), query: query)
  }

  mutating func refetch(
    onceRestored id: EntryID,
    _ cause: FetchCause,
    _ group: WaitGroup?,
    _ transaction: inout Transaction
  ) {
    // Of several stores the one that is read last counts, and the observers may come a moment later.
    guard let index = find(id), isBulkRefetched(index) || restoring(index) != nil else { return }
    refetch(index, cause, superseding: false, group, &transaction)
  }
}
