extension CacheState {
  /// Lets a caller wait for something, unless that waits for the caller's own work.
  ///
  /// - Parameters:
  ///   - caller: Whose work is about to wait; `nil` if nothing could wait for it.
  ///   - target: What it waits for.
  /// - Returns: The wait.
  func wait(of caller: TaskChain?, for target: WorkID) -> WorkWait.Permit {
    guard let caller, isPresent(caller) else { return .granted(nil) }
    return WorkWait.begin(caller, for: target)
  }

  /// Whether the fetch of an entry is the caller's own work, or waits for it, directly or through
  /// others.
  func waitsForCaller(_ index: Int, _ transaction: Transaction) -> Bool {
    guard let caller = transaction.caller, isPresent(caller) else { return false }
    return WorkWait.waits(work(of: index), for: caller.work)
  }

  /// Whether a caller's work continues: a fetch that is being replaced in this transaction does
  /// not.
  private func isPresent(_ caller: TaskChain) -> Bool {
    guard !caller.life.isOver else { return false }
    guard case .fetch(id, let entry) = caller.work else { return true }
    guard let index = find(entry), let job = slots[index].job else { return false }
    return job.tasks === caller && slots[index].machine.fetch?.id == job.id
  }

  /// The current fetch of an entry, as something to wait for.
  func work(of index: Int) -> WorkID { .fetch(cache: id, entry: id(of: index)) }

  /// The fetch of an entry, if the current code runs in it: only this code can bring the fetch to
  /// its end.
  func ownFetch(of entry: Int) -> FetchJob? {
    // Checked first, so that most observers read no task-local.
    guard let job = slots[entry].job, TaskChain.own === job.tasks else { return nil }
    return job
  }
}
