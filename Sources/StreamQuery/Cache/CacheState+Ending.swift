extension CacheState {
  /// Ends all runs and observations, and removes all entries; none will be made again.
  mutating func end(_ transaction: inout Transaction) {
    isShutDown = true
    endImports(&transaction)
    clearMutations(sparesKept: false, &transaction)
    for index in observers.indices where observers[index].isLive {
      let id = ObserverID(
        index: Int32(truncatingIfNeeded: index),
        generation: observers[index].generation
      )
      unsubscribe(id, &transaction)
    }
    removeAll(reason: .cleared, &transaction)
  }

  /// Forgets the runs that handles still show after the end, and which runs archives may bring.
  mutating func forgetFormerRuns(_ transaction: inout Transaction) {
    for (_, follower) in mutations.followers { transaction.drop(follower.kept) }
    mutations.followers = [:]
    mutations.archived = []
  }
}
