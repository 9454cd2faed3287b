internal import Synchronization

/// Keeps the artificial conditions of a client, and applies them to its attempts, as the innermost companion.
final class ConditionedWork: Sendable {
  private let state = Mutex(ClientConditions())
  private let clock: any Clock<Duration>

  /// - Parameter clock: The clock on which attempts are delayed.
  init(clock: any Clock<Duration>) {
    self.clock = clock
  }

  var conditions: ClientConditions { state.withLock { $0 } }

  /// Whether a condition switches the network off; unlike ``conditions``, this holds no key of a user, so it
  /// may be read under the cache's lock.
  var isOffline: Bool { state.withLock(\.isOffline) }

  /// Whether attempts have to ask for a delay or a failure before they begin.
  var appliesToAttempts: Bool { state.withLock { !$0.sparesAttempts } }

  func change(_ change: ClientConditions.Change, besides begun: ClientConditions.Fetch?) {
    let former = state.withLock { $0.apply(change, besides: begun) }
    withExtendedLifetime(former) {}
  }

  /// Forgets fetches that were made to fail, because they are over.
  func ended(_ fetches: Set<ClientConditions.Fetch>) {
    let former = state.withLock { $0.ended(fetches) }
    withExtendedLifetime(former) {}
  }

  private func begin(_ job: FetchJob?) async throws {
    let delay = state.withLock(\.delay)
    if delay > .zero { try await clock.sleep(for: delay) }
    guard let job else { return }
    let (fails, former) = state.withLock { $0.attemptBegins(of: job.key, job.entry, job.id) }
    withExtendedLifetime(former) {}
    if fails { throw ClientConditions.Failure() }
  }
}

extension ConditionedWork: FetchCompanion {
  func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    try await begin(context.fetchJob)
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

  /// The companions of an attempt of a fetch: those of the configuration, and the conditions if any.
  var fetchCompanions: [any FetchCompanion] {
    guard let conditioned, conditioned.appliesToAttempts else { return companions }
    return companions + [conditioned]
  }

  /// All companions of a mutation attempt.
  var mutationCompanions: [any MutationCompanion] {
    guard let conditioned, conditioned.appliesToAttempts else {
      return configuration.mutationCompanions
    }
    return configuration.mutationCompanions + [conditioned]
  }

  /// The fetch of an entry whose first attempt has begun; `nil` if there is none.
  func begunFetch(of key: EntryKey) -> ClientConditions.Fetch? {
    cache.read { state in
      guard let index = state.find(key), let fetch = state.slots[index].machine.fetch,
        fetch.next != .firstAttempt,
        // A first attempt that waits for its turn has not begun either.
        !state.waitsForTurn(index) || state.slots[index].machine.failureCount > 0
      else { return nil }
      return ClientConditions.Fetch(entry: state.id(of: index), id: fetch.id)
    }
  }

  /// The present conditions; fetches that were made to fail are forgotten first if they are over.
  var presentConditions: ClientConditions? {
    guard let conditioned else { return nil }
    let failing = conditioned.conditions.failingFetches
    guard !failing.isEmpty else { return conditioned.conditions }
    let over = cache.read { state in
      failing.filter { fetch in
        state.find(fetch.entry).map { state.slots[$0].machine.fetchID != fetch.id } ?? true
      }
    }
    if !over.isEmpty { conditioned.ended(Set(over)) }
    return conditioned.conditions
  }

  /// Tells the cache whether a condition switches the network off.
  func networkForced() {
    guard let conditioned else { return }
    // `isOffline` is read in the transaction, so that the last of two concurrent changes counts.
    returning { $0.networkForced(isOffline: conditioned.isOffline, random: $2, &$1) }
  }
}
