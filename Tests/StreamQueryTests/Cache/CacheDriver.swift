@testable import StreamQuery

/// A cache's state without a client: tests say what happens to it, and nothing is awaited.
final class CacheDriver {
  var state: CacheState
  /// The transaction of the next input.
  var transaction = Transaction(environment: Environment(now: .seconds(0)))

  /// - Parameter id: A number that no other cache has, where work waits for work.
  init(id: UInt64 = 0) {
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    state = CacheState(id: id, defaults: defaults, date: 0)
  }

  func pass(to seconds: Double) { transaction.environment.now = .seconds(seconds) }

  // MARK: Inputs

  @discardableResult
  func fetch(
    _ query: Query<Int>,
    _ need: CachePolicy = .ifStale,
    from caller: TaskChain? = nil
  ) -> FetchStart {
    let (key, resolved) = resolve(query)
    transaction = Transaction(environment: transaction.environment, caller: caller)
    return state.fetch(
      key,
      at: state.find(key),
      need,
      FetchRequest(cause: .manual),
      role: need == .always ? .watching : .leasing,
      Resolution(query: resolved, options: resolved.fixedOptions ?? ResolvedObserverOptions()),
      &transaction
    )
  }

  @discardableResult
  func observe(_ query: Query<Int>) -> ObserverID {
    let (key, resolved) = resolve(query)
    let options = resolved.fixedOptions ?? ResolvedObserverOptions()
    return state.addObserver(state.find(key), at: key, resolved, options, nil, &transaction)
  }

  /// The attempt of a query's fetch has an answer.
  @discardableResult
  func answer(_ query: Query<Int>, _ answer: AttemptAnswer) -> Bool {
    job(of: query).map { self.answer($0, answer) } ?? false
  }

  func answer(_ job: FetchJob, _ answer: AttemptAnswer) -> Bool {
    state.answered(answer, by: job, &transaction)
  }

  func answer(_ job: FetchJob, _ answer: AttemptAnswer, madeFrom present: ValueBox?) -> Bool? {
    state.answered(answer, madeFrom: present, by: job, &transaction)
  }

  func remove(_ query: Query<Int>) {
    if let index = index(of: query) { state.remove(index, reason: .removed, &transaction) }
  }

  /// The truth of a query changed at its source.
  func outdate(_ query: Query<Int>) {
    guard let index = index(of: query) else { return }
    state.input(index, &transaction) { $0.outdated(in: $1) }
  }

  /// Starts a run that rests if the network is away.
  @discardableResult
  func run(_ mutation: Mutation<Int, Int>) -> MutationID {
    let resolved = ResolvedMutation(
      mutation.identity,
      mutation.definition,
      input: nil,
      defaults: MutationDefaultsTable(),
      hooks: MutationCallbacks()
    )
    return state.startRun(
      resolved,
      .here(random: (1, 2)),
      input: TypedBox(1),
      waiter: nil,
      layers: [],
      &transaction
    )
  }

  func online(_ isOnline: Bool) -> [RefetchCondition.Question] {
    state.environmentReported(isOnline: isOnline, &transaction)
  }

  func active(_ isActive: Bool) -> [RefetchCondition.Question] {
    state.environmentReported(isActive: isActive, &transaction)
  }

  func answer(
    _ asking: RefetchCondition.Question,
    _ policy: RefetchPolicy.Answer
  )
    -> RefetchCondition.Question?
  {
    state.answered(asking.condition, policy, &transaction)
  }

  func trigger(_ query: Query<Int>) {
    let trigger = Signal.KeyTrigger(key: EntryKey(query.key), pacing: .off)
    _ = state.heard(trigger, random: 0, &transaction)
  }

  func timeReached(limit: Int) -> Bool { state.timeReached(limit: limit, &transaction) }

  // MARK: What there is

  // `#expect` cannot look into a state that cannot be copied.
  var isOnline: Bool { state.environment.isOnline }
  var isActive: Bool { state.environment.isActive }
  var count: Int { state.slots.keys.count }
  /// The refetches that wait for runs.
  var held: [(cause: FetchCause, awaited: Set<MutationID>)] { state.mutations.delayedRefetches }
  var conditionCount: Int { state.conditions.count }
  var nextDeadline: Instant? { state.deadlines.first?.deadline }

  private func index(of query: Query<Int>) -> Int? { state.find(EntryKey(query.key)) }

  func slot(of query: Query<Int>) -> EntrySlot? { index(of: query).map { state.slots[$0] } }

  func machine(of query: Query<Int>) -> EntryMachine? {
    slot(of: query)?.machine
  }

  func job(of query: Query<Int>) -> FetchJob? {
    slot(of: query)?.job
  }

  /// Why a query is being fetched; `nil` if it is not.
  func fetching(_ query: Query<Int>) -> FetchCause? {
    machine(of: query).flatMap { $0.isFetching ? $0.cause : nil }
  }

  func data(of query: Query<Int>) -> Int? {
    state.box(EntryKey(query.key))?.value(as: Int.self)
  }

  private func resolve(_ query: Query<Int>) -> (EntryKey, ResolvedQuery) {
    let key = EntryKey(query.key)
    return (key, ResolvedQuery(query.definition, for: key.key, defaults: state.defaults.table))
  }
}

extension Query<Int> {
  /// A query of which only the decisions matter: nothing calls its fetch.
  static func n(_ name: String = "n") -> Self { Query(name) { 0 } }
}

extension FetchStart {
  var summary: String {
    switch self {
    case .cached(let box): "cached \(box.erased)"
    case .waiting: "waiting"
    case .failed(let box): "failed \(box.error)"
    case .missingFetch: "missing fetch"
    case .restoring: "restoring"
    case .recursive: "recursive"
    case .shutDown: "shut down"
    }
  }
}
