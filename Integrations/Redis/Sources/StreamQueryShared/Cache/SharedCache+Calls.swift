@_spi(Adapters) internal import StreamQuery

// Calls of the store. No call takes longer than the configuration allows. `Urgency` says what a call does
// while the store counts as away, because it did not answer.
extension SharedCache {
  /// How a call behaves while the store counts as away, because it did not answer.
  enum Urgency: Sendable {
    /// While a call of ``SharedCache/run()`` reads the log, this call fails without asking the store,
    /// because the reader will notice that the store is back. If nobody reads the log, this call behaves
    /// like `log`.
    case fetch
    /// The call asks the store if the pause after the last failure is over, and fails otherwise.
    case log
    /// The call asks the store in any case, because others wait for it, or because nothing can replace it.
    case change
  }

  /// Calls the store.
  ///
  /// - Parameters:
  ///   - urgency: The behaviour while the store counts as away, because it did not answer.
  ///   - limit: How long the call may take; `nil` is the configuration's timeout.
  ///   - isNoted: Whether success or failure counts for the decision whether the store is away. It is
  ///     `false` for changes that are sent again, because a server may answer reads and refuse changes.
  ///   - late: Undoes the effect of a call that succeeds after its caller has given up.
  ///   - body: The call.
  /// - Returns: The answer.
  /// - Throws: The store's error, ``SharedStoreError/unavailable(_:)`` if the store is late or counts as
  ///   away, and ``SharedStoreError/cancelled`` at once if the caller is cancelled.
  func call<Value: Sendable>(
    _ urgency: Urgency = .fetch,
    within limit: Duration? = nil,
    isNoted: Bool = true,
    late: (@Sendable (Value) async -> Void)? = nil,
    _ body: @escaping @Sendable () async throws(SharedStoreError) -> Value
  ) async throws(SharedStoreError) -> Value {
    let now = clock.now()
    guard locked({ $0.asks(urgency, at: now) }) else {
      throw .unavailable("the store did not answer lately, and is not asked before a pause is over")
    }
    let limit = limit ?? configuration.timeout
    let firstResult = FirstResult<Result<Value, SharedStoreError>>()
    let work = Task.detached(executorPreference: scheduling.executor) {
      let result: Result<Value, SharedStoreError>
      do throws(SharedStoreError) {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      guard !firstResult.give(result), case .success(let value) = result else { return }
      await late?(value)
    }
    let deadline = deadlines.set(after: limit) {
      firstResult.give(.failure(.unavailable("the store did not answer within \(limit)")))
      work.cancel()
    }
    var result = await firstResult.value(ifCancelled: .failure(.cancelled))
    if result.isCancelled, !Task.isCancelled {
      // The store gave up the call; no code of this process had cancelled it.
      result = .failure(.unavailable("the store gave up the call"))
    }
    // After a cancellation, a call that may take a lease continues until the limit, to give the lease back.
    if !result.isCancelled || late == nil {
      deadline?.cancel()
      work.cancel()
    }
    if isNoted { note(result) }
    return try result.get()
  }

  private func note<Value>(_ result: Result<Value, SharedStoreError>) {
    switch result {
    case .success, .failure(.tooLarge):
      let (isBack, hasUnsent) = locked { ($0.breaker.succeeded(), !$0.unsent.isEmpty) }
      if isBack { tell(.storeBack) }
      if hasUnsent { sendUnsent() }
    case .failure(.cancelled): break
    case .failure(let error):
      let (now, chance) = (clock.now(), chance)
      let waiting = locked { state -> [FirstResult<SharedNews?>]? in
        guard state.breaker.failed(at: now, chance: chance) else { return nil }
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
      }
      guard let waiting else { return }
      tell(.storeAway(error))
      // These fetches wait for news that does not come any more, so they learn at once that the store does
      // not answer.
      for firstResult in waiting { firstResult.give(.silence) }
    }
  }

  /// Sends the invalidations that the store has not accepted, unless the store has just refused them.
  private func sendUnsent() {
    let now = clock.now()
    guard locked({ $0.sendsUnsent(at: now) }) else { return }
    Task.detached(executorPreference: scheduling.executor) { [self] in
      let parts = UnsentMarks.parts(of: locked { $0.unsent.take() })
      let outcome = await send(parts: parts, isNoted: false)
      keepUnsent(outcome.unsent)
      let (now, chance) = (clock.now(), chance)
      locked { state in
        if outcome.unsent.isEmpty {
          _ = state.sending.succeeded()
        } else {
          _ = state.sending.failed(at: now, chance: chance)
        }
      }
    }
  }

  /// Sends an invalidation of keys, prefixes and tags in parts, and halves parts that are too large.
  ///
  /// - Parameters:
  ///   - parts: The marks, in order.
  ///   - isNoted: Whether success or failure counts for the decision whether the store is away.
  /// - Returns: `unsent`, the marks of the call that failed, and those that were to be sent after it;
  ///   `tooLarge`, the marks that are too large even alone; `error`, `nil` if both are empty.
  func send(
    parts: [[SharedMark]],
    isNoted: Bool = true
  ) async -> (unsent: [SharedMark], tooLarge: [SharedMark], error: SharedStoreError?) {
    var parts = Array(parts.reversed())
    var (tooLarge, last): ([SharedMark], SharedStoreError?) = ([], nil)
    while let part = parts.popLast() {
      do throws(SharedStoreError) {
        try await send(part, isNoted: isNoted)
      } catch {
        guard case .tooLarge = error else { return (part + parts.joined(), tooLarge, error) }
        guard part.count > 1 else {
          tooLarge += part
          last = error
          continue
        }
        let half = part.count / 2
        parts += [Array(part[half...]), Array(part[..<half])]
      }
    }
    return ([], tooLarge, last)
  }

  /// Sends an invalidation at once.
  ///
  /// - Parameters:
  ///   - marks: The keys, prefixes and tags; those that wait to be sent again are not sent a second time.
  ///   - isNoted: Whether success or failure counts for the decision whether the store is away.
  /// - Throws: The store's error.
  private func send(_ marks: [SharedMark], isNoted: Bool) async throws(SharedStoreError) {
    let kept = locked { $0.unsent.remove(marks) }
    do throws(SharedStoreError) {
      let version = try await call(.change, isNoted: isNoted) {
        [store] () async throws(SharedStoreError) in
        try await store.invalidate(marks)
      }
      apply { $0.invalidated(marks, version) }
    } catch {
      // Marks that were waiting to be sent again still wait, because they may be small enough when they are
      // sent alone.
      keepUnsent(kept)
      throw error
    }
  }

  /// Stores the invalidation of a failed call, to send it when the store answers.
  ///
  /// - Parameters:
  ///   - marks: The marks.
  ///   - error: The error of the call.
  func keepUnsent(_ marks: [SharedMark], after error: SharedStoreError) {
    switch error {
    case .unavailable, .unreadable: keepUnsent(marks)
    case .cancelled:
      // Only the caller gave up; the store may answer. The data upstream has changed, so the change is sent
      // now.
      keepUnsent(marks)
      if locked({ !$0.breaker.isOpen }) { sendUnsent() }
    // The store will never accept marks that are too large, so they are not sent again.
    case .tooLarge: break
    }
  }

  /// Stores an invalidation of keys, prefixes and tags, to send it when the store answers.
  func keepUnsent(_ marks: [SharedMark]) {
    locked { [names] in $0.unsent.keep(marks, orElse: names.mark(ofPrefix: "[]")) }
  }

  /// Ends a lease without waiting for the store.
  func abandon(_ lease: SharedLease, _ failure: SharedFailure?) {
    Task.detached(executorPreference: scheduling.executor) { [self] in
      try? await call(.change) { [store] () async throws(SharedStoreError) in
        try await store.abandon(lease, failure: failure?.text)
      }
    }
  }
}

extension Result where Failure == SharedStoreError {
  fileprivate var isCancelled: Bool { if case .failure(.cancelled) = self { true } else { false } }
}
