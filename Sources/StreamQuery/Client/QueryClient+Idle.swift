extension QueryClient {
  /// Waits until nothing is going on: nothing is fetching, mutating, being restored or being saved.
  ///
  /// Use it in tests, and before a process ends or a background task is given back:
  ///
  /// ```swift
  /// try await client.mutate(.rename(), with: Rename(id: 42, name: "Ada"))
  /// await client.idle()      // what the mutation invalidated is there, and saved
  /// ```
  ///
  /// It waits for
  /// - fetches, with their retries and the waits between them, whoever started them; for a stream without an
  ///   end, until it delivers,
  /// - runs of mutations, with their callbacks and retries,
  /// - stores that are being read, and what begins when they are,
  /// - what has changed to be written, which happens at once instead of at the next opportunity.
  ///
  /// It does not wait for what may never come, and so ends while the network or the app is away:
  /// - paused fetches and runs, the runs behind them in their scopes, and what awaits them from inside
  ///   a fetch or a run of this client,
  /// - a durable run that has stopped until somebody answers,
  /// - a store that cannot be read or written: it is tried again later, and an event tells it,
  /// - the next poll, trigger or expiry.
  ///
  /// Cancelling the caller ends the wait at once. A query that fetches again whenever it has fetched makes
  /// it last for ever. If the caller is part of a fetch or a run, that one does not count.
  ///
  /// - Complexity: O(*n*) in the entries that are observed or fetching, and in the runs.
  public nonisolated func idle() async {
    let own = TaskChain.current?.work
    while !Task.isCancelled {
      await workEnded(but: own)
      let before = cache.read { $0.keptCounts }
      await storesSaved()
      // Meanwhile something may have come, even if it is over.
      if cache.read({ $0.workUnderWay(but: own) == nil && $0.keptCounts == before }) { return }
    }
  }

  /// Waits until no fetch and no run goes on, or until the caller is cancelled.
  private nonisolated func workEnded(but own: WorkID?) async {
    let answer = SharedOneShot<Void>()
    guard cache.record({ $0.awaitIdle(answer, in: own) }) else { return }
    let wait = wait(for: "a client that is idle") { answer.give(()) }
    defer { withExtendedLifetime(wait) {} }
    await withTaskCancellationHandler {
      _ = await answer.take { wait?.began() }
    } onCancel: {
      answer.give(())
    }
    cache.record { $0.idleWaits.callerLeft(answer) }
  }

  /// Waits until stores and outbox have been read, and have what there is to keep, as far as they can.
  private nonisolated func storesSaved() async {
    guard keeper != nil || persister != nil else { return }
    await actionsPerformed()
    if let keeper, !Task.isCancelled { _ = await keeper.waitUntilRestored() }
    if let persister, !Task.isCancelled { await persister.save() }
    if let keeper, !Task.isCancelled { _ = await keeper.save() }
  }
}
