@_spi(SharedCache) internal import StreamQuery

extension SharedCache {
  /// Reads the log of changes until the task is cancelled or the client is released; call it once, in a
  /// task that lives as long as the client.
  ///
  /// Without this call, the machine does not learn of changes, so no shared data stays fresh. A second call
  /// waits while the first one runs, and then replaces it. `SharedCacheService` in `Integrations/Server`
  /// makes this call as a service of swift-service-lifecycle.
  ///
  /// Requests need not wait for the first read of the log. Their answers are requested again after it, which
  /// costs one call of the store for each key.
  public func run() async {
    while !Task.isCancelled, client != nil {
      let first = locked { state -> FirstResult<Void>? in
        guard !state.table.log.began() else { return nil }
        let firstResult = FirstResult<Void>()
        state.readers.append(firstResult)
        return firstResult
      }
      guard let first else { return await read() }
      await first.value(ifCancelled: ())
    }
  }

  private func read() async {
    // This is no task group, because an executor may run jobs inside `enqueue`. A child of a group that a
    // cancellation handler resumes would end there, while the runtime still goes through the children.
    let reading = Task(executorPreference: scheduling.executor) { await self.readLog() }
    let sweeping = Task(executorPreference: scheduling.executor) {
      await self.sweep()
      if !Task.isCancelled { reading.cancel() }
    }
    await withTaskCancellationHandler {
      await reading.value
      sweeping.cancel()
      await sweeping.value
    } onCancel: {
      // An array retains the tasks: the last cancellation may resume the caller, which then ends inside of
      // this call and releases them.
      for task in [sweeping, reading] { task.cancel() }
    }
    apply(refetch: .never) { table in
      table.log.ended()
      return table.forgot()
    }
    let next = locked { state in
      defer { state.readers = [] }
      return state.readers
    }
    for firstResult in next { firstResult.give(()) }
  }

  private func readLog() async {
    while !Task.isCancelled, client != nil {
      let start = clock.now()
      let (position, isAway) = locked { ($0.table.log.position, $0.breaker.isOpen) }
      // While the store is away, the read does not wait for messages, so that it ends when the store is back.
      let wait = isAway ? .zero : min(configuration.trust / 4, .seconds(5))
      do throws(SharedStoreError) {
        let changes = try await call(.log, within: wait + configuration.timeout) {
          [store] () async throws(SharedStoreError) in
          try await store.changes(after: position, timeout: wait)
        }
        received(changes, askedAt: start)
        // If the store answers at once and without messages, a pause limits the number of reads.
        guard changes.isGap || changes.messages.isEmpty, clock.now() - start < wait / 2 else {
          continue
        }
        try? await scheduling.clock.sleep(for: min(wait, .milliseconds(100)))
      } catch {
        let now = clock.now()
        guard let pause = locked({ $0.breaker.pause(at: now) }) else { continue }
        try? await scheduling.clock.sleep(for: pause)
      }
    }
  }

  private func received(_ changes: SharedChanges, askedAt start: Duration) {
    var (isGap, isFirst) = (false, false)
    let count = apply { table in
      switch table.log.read(changes, askedAt: start) {
      case .complete: return table.received(changes, askedAt: start)
      case .unknown(let hasGap):
        (isGap, isFirst) = (hasGap, !hasGap)
        return table.forgot(in: changes.position.history)
      }
    }
    if isFirst { tell(.followsLog) }
    if isGap {
      tell(.gap(count: count))
    } else if count > 0 {
      tell(.invalidated(count: count))
    }
  }

  /// Ends the trust in data that the log has not confirmed for too long.
  private func sweep() async {
    let step = configuration.trust / 8
    while client != nil {
      guard (try? await scheduling.clock.sleep(for: step)) != nil else { return }
      let now = clock.now()
      forgetAnswers()
      let count = apply { [configuration] in
        $0.expired(trust: configuration.trust - step, at: now)
      }
      if count > 0 { tell(.untrusted(count: count)) }
    }
  }

  /// Forgets answers that became the data, and gives up answers that have not become the data in time.
  private func forgetAnswers() {
    let past = clock.now() - configuration.trust / 2
    let lost = locked { state in
      state.forgetLandedAnswers()
      let lost = state.answers.keys.filter { key in
        state.table.rows[key]?.landedAt.map { $0 <= past } ?? true
      }
      // If such an answer becomes the data nevertheless, it is marked as outdated.
      for key in lost { state.answers.removeValue(forKey: key)?.markOutdated() }
      return lost
    }
    if !lost.isEmpty { apply { $0.lost(lost) } }
  }
}
