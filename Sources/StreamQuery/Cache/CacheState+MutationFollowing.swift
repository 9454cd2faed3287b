extension CacheState {
  /// Lets the handle of a finished run keep showing the end of the run.
  mutating func keep(_ index: Int) {
    guard let handle = mutations.slots[index].handle else { return }
    let snapshot = mutations.snapshot(index)
    mutations.followers[handle]?.kept = snapshot
  }

  /// Makes a handle; it shows no run yet.
  mutating func makeFollower() -> Int {
    mutations.lastFollower += 1
    mutations.followers[mutations.lastFollower] = MutationTable.Follower()
    return mutations.lastFollower
  }

  /// Points a handle at the run that is started through this handle, or at none.
  mutating func follow(_ follower: Int, _ run: MutationID?, _ transaction: inout Transaction) {
    guard mutations.followers[follower] != nil else { return }
    if let run, let index = mutations.find(run) {
      mutations.slots[index].handle = follower
      mutations.slots[index].machine.followed()
      deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
    }
    let old = mutations.followers[follower]?.run
    transaction.drop(mutations.followers[follower]?.kept.take())
    mutations.followers[follower]?.run = run
    if let old { unfollow(old, transaction) }
    mutationsChanged(MutationNews(handle: follower))
  }

  /// The mutation of the run that a follower shows; `nil` if the run is over.
  func pendingMutation(of follower: Int) -> StoredMutation? {
    pendingRun(of: follower).flatMap { mutations.slots[$0].job?.mutation }
  }

  /// Replaces the mutation of the run that a follower shows, for the rest of the run.
  mutating func replaceMutation(
    of follower: Int,
    by mutation: StoredMutation,
    _ transaction: inout Transaction
  ) {
    guard let index = pendingRun(of: follower), let job = mutations.slots[index].job else { return }
    job.replace(with: mutation, into: &transaction.garbage)
    mutations.slots[index].machine.mutationReplaced(mutation.runOptions)
  }

  private func pendingRun(of follower: Int) -> Int? {
    guard let index = mutations.followers[follower]?.run.flatMap(mutations.find),
      mutations.slots[index].machine.isPending
    else { return nil }
    return index
  }

  mutating func removeFollower(_ follower: Int, _ transaction: inout Transaction) {
    guard let gone = mutations.followers.removeValue(forKey: follower) else { return }
    transaction.drop(gone.kept)
    if let run = gone.run { unfollow(run, transaction) }
  }

  private mutating func unfollow(_ run: MutationID, _ transaction: Transaction) {
    guard let index = mutations.find(run) else { return }
    mutations.slots[index].handle = nil
    mutations.slots[index].machine.unfollowed(in: transaction.environment)
    deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
  }

  // MARK: Streams

  /// Counts a stream that begins to follow the newest run of a mutation, so that the run is kept for the
  /// stream.
  mutating func streamBegan(of mutation: EntryKey) {
    mutations.streams[mutation, default: 0] += 1
    mutations.streamCount += 1
    guard let index = mutations.runs[mutation]?.last.flatMap(mutations.find) else { return }
    mutations.slots[index].machine.followed()
    deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
  }

  mutating func streamEnded(of mutation: EntryKey, _ transaction: inout Transaction) {
    guard let position = mutations.streams.index(forKey: mutation) else { return }
    mutations.streamCount -= 1
    mutations.streams.values[position] -= 1
    if mutations.streams.values[position] == 0 {
      // The dictionary's own key may hold the last reference to the user's key parts, which must
      // not be released under the lock.
      transaction.garbage.collect(value: mutations.streams[position].key.storage)
      mutations.streams.remove(at: position)
    }
    guard let index = mutations.runs[mutation]?.last.flatMap(mutations.find) else { return }
    mutations.slots[index].machine.unfollowed(in: transaction.environment)
    deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
  }

  /// Moves the streams of a mutation to the run that is now the newest.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - old: The run that the streams followed; `nil` if that run is gone.
  ///   - new: The run to follow.
  ///   - transaction: The transaction.
  mutating func moveStreams(
    of mutation: EntryKey,
    from old: MutationID?,
    to new: MutationID?,
    _ transaction: Transaction
  ) {
    guard mutations.streamCount > 0, let count = mutations.streams[mutation] else { return }
    if let index = new.flatMap(mutations.find) {
      mutations.slots[index].machine.followed(by: count)
      deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
    }
    if let index = old.flatMap(mutations.find) {
      mutations.slots[index].machine.unfollowed(by: count, in: transaction.environment)
      deadlines.set(mutations.slots[index].machine.nextDeadline, run: index)
    }
  }
}
