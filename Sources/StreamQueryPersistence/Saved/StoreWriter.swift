internal import StreamQuery

/// Decides when a part of a store is written, and which callers are answered then.
///
/// ``StoreWorker`` reports each event to this value.
///
/// ``SavePlan`` decides when a task writes, and writes again after a failure; ``StoreWorker`` runs the tasks.
/// One round of writing contains all changes that came before it began.
///
/// | input \ task | none | waits | writes | erased |
/// |---|---|---|---|---|
/// | `changed` | a task starts, and waits | – | it writes again | – |
/// | `requested`, `released` | a task starts | another task starts | it writes again | – |
/// | `waited`, this task | | it writes | | it ends |
/// | `waited`, a former task | it ends | it ends | it ends | it ends |
/// | `wrote` | | | it writes again, waits, or ends | it ends |
///
/// - At most one task writes.
/// - A caller of `save()` is answered by a round that began after its call, when all is erased, or when the
///   store takes too long to be read.
/// - A caller on hold waits for no round; after ``released()``, it waits for the next one.
/// - After the client's end, one last task writes; if it fails, no other task tries again.
struct StoreWriter: Sendable {
  /// Gets the error of a caller's save; `nil` if the store was written, or if the caller was cancelled.
  typealias Answer = SharedOneShot<QueryStoreError?>
  typealias Round = (step: SavePlan.Step, task: UInt64, answers: [Answer])

  /// The state of the store: whether it can be used, and if not, why.
  enum Phase: Sendable {
    /// The store has not been read.
    case loading
    case open(StoreGeneration)
    /// The store cannot be used.
    case closed(QueryStoreError)

    var isLoading: Bool { if case .loading = self { true } else { false } }
  }

  private(set) var stage = WriterStage.running
  /// The error of the last round of writing; `nil` if that round succeeded, or if there was none yet.
  private(set) var roundError: QueryStoreError?
  private var plan: SavePlan
  /// The callers that wait for a round of writing, each with the number of the round.
  private var waits: [(round: UInt64, answer: Answer)] = []
  /// The callers on hold: they wait until the store is read, and then for a round.
  private var held: [Answer] = []

  init(throttle: Duration) { plan = SavePlan(throttle: throttle) }

  /// Whether callers wait.
  var isAwaited: Bool { hasHeld || !waits.isEmpty }

  /// Whether callers are on hold.
  var hasHeld: Bool { !held.isEmpty }

  /// Notes that there is something to write.
  ///
  /// - Returns: The number of the task to start; `nil` if a task is at work already.
  mutating func changed() -> UInt64? { plan.changed() }

  /// Notes that the changes until now are to be written without a delay.
  ///
  /// - Returns: The number of the task to start; `nil` if a task is writing, and will write again.
  mutating func requested() -> UInt64? { plan.requested() }

  /// Puts a caller of `save()` on hold.
  mutating func hold(_ answer: Answer) { held.append(answer) }

  /// Lets the callers on hold wait for the next round.
  ///
  /// - Returns: The number of the task to start; `nil` if a task is writing, and will write again.
  mutating func released() -> UInt64? {
    waits += held.takeAll().map { (plan.nextRound, $0) }
    return plan.requested()
  }

  /// Takes all callers, because the store takes too long to be read.
  ///
  /// - Returns: The callers to answer; the changes are written when the store has been read.
  mutating func readTimedOut() -> [Answer] { waits.takeAll().map(\.answer) + held.takeAll() }

  /// The time that a newly started task waits before it writes.
  var delay: Duration { plan.delay }

  /// Notes that a task has waited.
  ///
  /// - Returns: Whether the task writes now; `false` if another task has replaced it.
  mutating func waited(_ task: UInt64) -> Bool { !stage.isErased && plan.waited(task) }

  /// Notes that a round of writing is over, and decides the next step.
  ///
  /// - Parameters:
  ///   - error: The error of the round, if any.
  ///   - isDirty: Whether there are changes that could not be written.
  ///   - hasMore: Whether changes arrived during the round, which did not include them.
  /// - Returns: The next step of the task, its number, and the callers to answer; `nil` if all was erased.
  mutating func wrote(_ error: QueryStoreError?, isDirty: Bool, hasMore: Bool) -> Round? {
    if stage.isErased { return nil }
    let round = plan.begun
    let answers = waits.filter { $0.round <= round }.map(\.answer)
    waits.removeAll { $0.round <= round }
    roundError = error
    if hasMore { _ = plan.changed() }
    let (step, task) = plan.wrote(isDirty: isDirty, isAwaited: !waits.isEmpty)
    stage.wrote(error, isLast: step == .rest)
    return (step, task, answers)
  }

  // MARK: The end

  /// Notes that the client ends; unless all is erased, ``lastRound()`` must follow.
  ///
  /// - Parameter isErased: Whether all data is erased, so that nothing is written any more.
  /// - Returns: Whether the client had not ended before, and the callers to answer.
  mutating func clientEnded(isErased: Bool) -> (isFirst: Bool, answers: [Answer]) {
    let isFirst = stage.ended(isErased: isErased)
    guard isErased else { return (isFirst, []) }
    return (isFirst, waits.takeAll().map(\.answer) + held.takeAll())
  }

  /// Begins the last round; after it, only the end of a run that is still being sent causes another write.
  ///
  /// - Returns: The number of the task to start.
  mutating func lastRound() -> UInt64? {
    plan.end()
    return released()
  }

  /// Notes the end of a run that was still being sent when the client ended: there is more to write.
  mutating func resumed() { stage.resumed() }
}
