@_spi(Adapters) internal import StreamQuery
import Synchronization

/// Stores the durable runs of one client, and sends them.
///
/// ``OutboxLedger``, ``OutboxFeeding`` and ``StoreWriter`` make the decisions, and this object carries them
/// out. Encoding and decoding are user code, and run outside of locks.
final class OutboxEngine: DurableRuns, StoreWorker {
  /// A mutation that is registered under the text of its key; records name their mutation by this text.
  struct Registration: Sendable {
    let key: EntryKey
    let definition: MutationDefinition
    let form: OutboxPolicy.Form
    var number: UInt64 = 0
  }

  /// A run that cannot go on before the store is read.
  struct Pending: Sendable {
    let job: MutationJob
    /// The record of a durable run; `nil` for a run that is not durable, which waits because the store may
    /// have earlier runs of its scope.
    var record: OutboxRecord?
  }

  /// A caller that waits until the store has a change of an item, or its removal.
  struct Wait: Sendable {
    var revision: UInt64?
    /// Gets `nil` when the store has the change, and an error if the store will never have it.
    var answer: SharedOneShot<ErrorBox?>
  }

  /// The number of running attempts of a run; for a moment there are two, while one hands over to the next.
  struct AtWork: Sendable {
    let scope: String?
    var count = 0
  }

  struct State: WrittenPart {
    var ledger = OutboxLedger()
    var writer = StoreWriter(throttle: .zero)
    var task = StoreWorkerTask()
    weak var client: QueryClient?
    var registrations: [String: Registration] = [:]
    /// The number of registrations so far.
    var lastRegistration: UInt64 = 0
    /// The names that mutations of several types share; each is reported once.
    var sameNames: Set<String> = []
    var jobs: [RunIdentity: MutationJob] = [:]
    /// The items that were dropped while they had runs; their records are removed, however the runs end.
    var dropped: Set<RunIdentity> = []
    var pending: [Pending] = [] {
      didSet { ledger.version &+= 1 }
    }
    /// The identifiers to replace when a run ends, for each run whose work has succeeded but that has not
    /// ended yet.
    var replacing: [RunIdentity: [String: String]] = [:]
    /// All identifiers that were replaced so far; they are replaced in later inputs, too.
    var replacements: [String: String] = [:]
    var waits: [RunIdentity: [Wait]] = [:]
    var restoreWaits: [SharedOneShot<Void>] = []
    /// The error of the last read of the store; `nil` if it succeeded.
    var loadError: QueryStoreError?
    /// Whether runs that are not durable wait, because the store may have earlier runs of their scopes.
    var awaitsOrder = true
    /// The deadline after which runs that are not durable no longer wait for the store.
    var restoreTimeout: Deadline?
    /// The error of calls of `save()` while a repeated read takes too long, which follows a failed read.
    var lateError: QueryStoreError?
    /// Whether the store is read again, because other outboxes have left records there.
    var retriesLoad = false
    var feeding = OutboxFeeding.resting
    var atWork: [RunIdentity: AtWork] = [:]

    var hasFailed: Bool { ledger.hasFailed || loadError != nil }
    /// Whether the store fails, or was not read in time.
    var isHeldUp: Bool { hasFailed || ledger.isLoading && !awaitsOrder }
    /// Always `false`, because a round of writing also includes the changes that come during it.
    var hasMore: Bool { false }
  }

  let state: Mutex<State>
  let store: any QueryStore
  let partition: StorePartition
  let executor: (any TaskExecutor)?
  let clock: any Clock<Duration>
  let tasks = WorkCount()
  let news = NewsSource()
  private let given: [any DurableMutation]
  let restoreTimeout: TimeSpan

  init(_ outbox: OutboxConfiguration, _ configuration: QueryClient.Configuration) {
    store = outbox.store
    partition = outbox.partition ?? configuration.partition
    executor = configuration.executor
    clock = configuration.clock
    given = outbox.mutations
    restoreTimeout = TimeSpan(outbox.restoreTimeout)
    state = Mutex(State())
  }

  /// Reads or changes the state; objects that it gives up are released after the lock.
  func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    var garbage = Garbage()
    return state.withLock { state in
      defer { swap(&garbage, &state.ledger.garbage) }
      return body(&state)
    }
  }

  var claimsKey: OutboxClaims.Key {
    OutboxClaims.Key(store: ObjectIdentifier(store), partition: partition)
  }

  var client: QueryClient? { update { $0.client } }

  func start(for client: QueryClient) {
    // The client is set before the deadline, because a deadline that is due at once calls the client.
    update { $0.client = client }
    let restoreTimeout = client.deadlines.set(restoreTimeout) { [weak self, executor] in
      // The work of a deadline must be quick, so users' code has its own task.
      Task.detached(executorPreference: executor) { self?.restoreTimedOut() }
    }
    update { $0.restoreTimeout = restoreTimeout }
    OutboxClaims.shared.join(claimsKey, self)
    for mutation in given {
      let registration = mutation.registration
      register(registration.key, registration.definition)
    }
    start { $0.writer.requested() }
  }

  func report(_ error: any Error, _ key: EntryKey? = nil) {
    if update({ $0.writer.stage.isErased }) { return }
    client?.emit(
      .persistenceFailed(error),
      of: key,
      in: type(of: store),
      partition.name,
      named: store.shownName
    )
  }

  /// Registers a mutation, and begins the runs of its stored items.
  ///
  /// - Parameters:
  ///   - key: The identity of the mutation.
  ///   - definition: Its definition.
  ///   - isImplicit: Whether a run registers its own mutation, which does not replace a registered one.
  func register(_ key: EntryKey, _ definition: MutationDefinition, isImplicit: Bool = false) {
    guard let form = definition.outboxPolicy.form else {
      return report(OutboxError.notDurable(mutation: key.key.description), key)
    }
    let name: String
    do {
      name = try key.key.canonicalText()
    } catch {
      // The runs of the mutation report this error themselves.
      if isImplicit { return }
      let mutation = key.key.description
      return report(OutboxError.notEncodable(mutation: mutation, reason: error), key)
    }
    var registration = Registration(key: key, definition: definition, form: form)
    let (old, isNew, isMixedUp) = update { state -> (Registration?, Bool, Bool) in
      // A client that has ended sends nothing more, so it registers nothing.
      if state.writer.stage.hasEnded { return (nil, false, false) }
      let old = state.registrations[name]
      let isMixedUp = old.map { $0.key != key } ?? false && state.sameNames.insert(name).inserted
      if old != nil, isImplicit { return (nil, false, isMixedUp) }
      state.lastRegistration += 1
      registration.number = state.lastRegistration
      state.registrations[name] = registration
      return (old, true, isMixedUp)
    }
    withExtendedLifetime(old) {}
    if isMixedUp { report(OutboxError.sameName(mutation: name), key) }
    if isNew { feed() }
  }
}
