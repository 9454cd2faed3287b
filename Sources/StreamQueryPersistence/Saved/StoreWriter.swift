internal import StreamQuery

/// Decides when a part of a store is written, and which callers wait for that.
///
/// It is a value that is told what happened.
///
/// ``SavePlan`` decides when a task writes, also again after a failure, and ``StoreWorker`` runs the tasks.
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
/// - A caller of `save()` is answered by a round that began after its call, or when all is erased.
/// - A caller that was put on hold is answered by no round before it is released.
/// - After the end, the task that writes is the last one: what fails is not tried again.
struct StoreWriter: Sendable {
  /// Gets the error of writing; `nil` if the store was written, or if the caller was cancelled.
  typealias Answer = SharedOneShot<QueryStoreError?>
  typealias Round = (step: SavePlan.Step, task: UInt64, answers: [Answer])

  /// Whether the store can be used.
  enum Phase: Sendable {
    /// It has not been read.
    case loading
    case open(StoreGeneration)
    /// It cannot be used.
    case closed(QueryStoreError)

    var isLoading: Bool { if case .loading = self { true } else { false } }
  }

  private(set) var stage = WriterStage.running
  private var plan: SavePlan
  /// The callers that wait for a round.
  private var waits: [(round: UInt64, answer: Answer)] = []
  /// The callers on hold: they wait until the store is read, and then for a round.
  private var held: [Answer] = []

  init(throttle: Duration) { plan = SavePlan(throttle: throttle) }

  /// Whether callers wait.
  var isAwaited: Bool { hasHeld || !waits.isEmpty }

  /// Whether callers are on hold.
  var hasHeld: Bool { !held.isEmpty }

  /// There is something to write.
  ///
  /// - Returns: The number of the task to start; `nil` if one is at work.
  mutating func changed() -> UInt64? { plan.changed() }

  /// A caller wants the changes so far to be written now.
  ///
  /// - Returns: The number of the task to start; `nil` if one is writing, and will write again.
  mutating func requested() -> UInt64? { plan.requested() }

  /// Puts a caller of `save()` on hold.
  mutating func hold(_ answer: Answer) { held.append(answer) }

  /// The callers on hold wait for the next round.
  ///
  /// - Returns: The number of the task to start.
  mutating func released() -> UInt64? {
    waits += held.takeAll().map { (plan.nextRound, $0) }
    return plan.requested()
  }

  /// How long the task to start waits before it writes.
  var delay: Duration { plan.delay }

  /// A task has waited.
  ///
  /// - Returns: Whether it writes; if not, another task does.
  mutating func waited(_ task: UInt64) -> Bool { !stage.isErased && plan.waited(task) }

  /// A round of writing is over.
  ///
  /// - Parameters:
  ///   - error: The error of the round, if any.
  ///   - isDirty: Whether there are changes that could not be written.
  ///   - hasMore: Whether changes arrived meanwhile, which did not fail.
  /// - Returns: The next step of the task, its number, and the callers to answer; `nil` if all was
  ///   erased.
  mutating func wrote(_ error: QueryStoreError?, isDirty: Bool, hasMore: Bool) -> Round? {
    if stage.isErased { return nil }
    let round = plan.begun
    let answers = waits.filter { $0.round <= round }.map(\.answer)
    waits.removeAll { $0.round <= round }
    if hasMore { _ = plan.changed() }
    let (step, task) = plan.wrote(isDirty: isDirty, isAwaited: !waits.isEmpty)
    stage.wrote(error, isLast: step == .rest)
    return (step, task, answers)
  }

  // MARK: The end

  /// The client ends.
  ///
  /// If nothing is erased, ``lastRound()`` follows.
  ///
  /// - Parameter isErased: Whether nothing is written any more.
  /// - Returns: Whether it had not ended before, and the callers to answer.
  mutating func clientEnded(isErased: Bool) -> (isFirst: Bool, answers: [Answer]) {
    let isFirst = stage.ended(isErased: isErased)
    guard isErased else { return (isFirst, []) }
    return (isFirst, waits.takeAll().map(\.answer) + held.takeAll())
  }

  /// The last round follows: nothing changes any more, apart from answers of runs that are still
  /// being sent.
  ///
  /// - Returns: The number of the task to start.
  mutating func lastRound() -> UInt64? {
    plan.end()
    return released()
  }

  /// The answer of a run that was still being sent came after the end: there is something to write.
  mutating func resumed() { stage.resumed() }
}
