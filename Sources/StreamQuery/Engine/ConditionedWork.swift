internal import Synchronization

/// Keeps the conditions of a client, and applies them to its attempts, as the innermost companion.
final class ConditionedWork: Sendable {
  private let state = Mutex(ClientConditions())
  private let clock: any Clock<Duration>

  /// - Parameter clock: The clock on which attempts are delayed.
  init(clock: any Clock<Duration>) {
    self.clock = clock
  }

  var conditions: ClientConditions { state.withLock { $0 } }

  /// Whether the client believes that it is online; unlike ``conditions`` it holds no key, which must not be released
  /// under the cache's lock.
  var isOnline: Bool { state.withLock { $0.isOnline } }

  /// Whether attempts have to ask for a delay or a failure before they begin.
  var appliesToAttempts: Bool { state.withLock { !$0.sparesAttempts } }

  func change(_ change: ClientConditions.Change) {
    let former = state.withLock { $0.apply(change) }
    withExtendedLifetime(former) {}
  }

  /// The source of the network's state has reported one, from which the conditions may differ.
  func reported(isOnline: Bool) {
    state.withLock { $0.reported(isOnline: isOnline) }
  }

  private func begin(_ key: EntryKey?) async throws {
    let (delay, failing) = state.withLock { $0.attemptBegan(of: key) }
    if delay > .zero { try await clock.sleep(for: delay) }
    if failing != nil { throw ClientConditions.Failure() }
  }
}

extension ConditionedWork: FetchCompanion {
  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await begin(context.fetchJob?.key)
    return try await perform()
  }
}

extension ConditionedWork: MutationCompanion {
  func attempt<Output: Sendable>(
    _ context: MutationContext,
    perform: AccompaniedAttempt<Output>
  ) async throws -> Output {
    try await begin(nil)
    return try await perform()
  }
}

nonisolated extension QueryClient {
  /// Whether an attempt of a fetch has companions, or conditions.
  var isAccompanied: Bool {
    @inline(__always) get { !companions.isEmpty || conditioned?.appliesToAttempts == true }
  }

  /// The companions of an attempt of a fetch: those of the configuration, and the conditions if there are any.
  var fetchCompanions: [any FetchCompanion] {
    guard let conditioned, conditioned.appliesToAttempts else { return companions }
    return companions + [conditioned]
  }

  /// The companions of an attempt of a run.
  var mutationCompanions: [any MutationCompanion] {
    guard let conditioned, conditioned.appliesToAttempts else {
      return configuration.mutationCompanions
    }
    return configuration.mutationCompanions + [conditioned]
  }

  /// The source of the network's state has reported one, or a condition of a developer tool has
  /// changed it.
  ///
  /// - Parameter isOnline: The state that the source reported; `nil` if it reported nothing.
  func networkReported(isOnline: Bool?) {
    guard let conditioned else {
      if let isOnline { returning { $0.environmentReported(isOnline: isOnline, random: $2, &$1) } }
      return
    }
    if let isOnline { conditioned.reported(isOnline: isOnline) }
    // The state is read inside the transaction, so that the last of two concurrent changes counts.
    returning {
      $0.environmentReported(isOnline: conditioned.isOnline, random: $2, &$1)
    }
  }
}
