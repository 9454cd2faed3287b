import Synchronization

/// A run: what its snapshots show of its start, and, until it is over, what its tasks need and the
/// handle of the task that is at work.
///
/// The machine knows a run by its number; this is the run's part in the shell. A run is kept long
/// after it ended, so what only the work needs is released when it ends.
final class MutationJob: Sendable {
  private struct Present {
    /// `nil` when the run is over.
    var mutation: ResolvedMutation?
    var meta: QueryMeta
    var saved = SavedValues()
    /// `nil` when the run is over.
    var tasks: TaskChain?
    /// What the next piece waits for before it begins, and what the pieces behind it in the line
    /// wait for.
    var gates: (before: OneShot<Void>?, own: OneShot<Void>)?
  }

  let id: MutationID
  let identity: RunIdentity
  let key: EntryKey
  let scope: String?
  let input: ValueBox
  let submittedAt: Timestamp
  private let present: Mutex<Present>

  /// The run that the current task works for.
  @TaskLocal static var current: MutationJob?

  init(
    cache: UInt64,
    id: MutationID,
    identity: RunIdentity,
    mutation: ResolvedMutation,
    key: EntryKey,
    input: ValueBox,
    submittedAt: Timestamp
  ) {
    self.id = id
    self.identity = identity
    self.key = key
    scope = mutation.scope
    self.input = input
    self.submittedAt = submittedAt
    let work = WorkID.run(cache: cache, serial: id.serial, scope: mutation.scope)
    // The runs behind it in the lane ask for its priority.
    let tasks = TaskChain(of: work, isCompared: mutation.scope != nil)
    present = Mutex(Present(mutation: mutation, meta: mutation.meta, tasks: tasks))
  }

  /// The work and the callbacks of the run: those that it was started with, or their replacement;
  /// `nil` when the run is over.
  var mutation: ResolvedMutation? { present.withLock { $0.mutation } }

  /// The tasks of the run's pieces; `nil` when the run is over.
  var tasks: TaskChain? { present.withLock { $0.tasks } }

  /// Facts that the mutation carries.
  var meta: QueryMeta { present.withLock { $0.meta } }

  /// What `onMutate` has returned so far.
  var saved: SavedValues { present.withLock { $0.saved } }

  /// Adds what an `onMutate` returned.
  func save(_ value: any Sendable) {
    if value is Void { return }
    present.withLock { $0.saved.values.append(value) }
  }

  /// Replaces the current plan with another one.
  ///
  /// - Returns: The old one, whose closures are the user's: it must not be released under a lock.
  func replace(with mutation: ResolvedMutation) -> Leftovers {
    present.withLock { present in
      let old = Leftovers(mutation: present.mutation, meta: present.meta)
      present.mutation = mutation
      present.meta = mutation.meta
      return old
    }
  }

  /// Marks the run as over: it keeps only what its snapshots show.
  ///
  /// - Returns: The rest, which must not be released under a lock.
  func retire() -> Leftovers {
    present.withLock { present in
      let work = present.tasks.take()?.finish()
      return Leftovers(mutation: present.mutation.take(), work: work)
    }
  }

  /// What a run no longer needs.
  final class Leftovers: Sendable {
    let mutation: ResolvedMutation?
    let meta: QueryMeta?
    let work: TaskChain.Remains?

    init(
      mutation: ResolvedMutation?,
      meta: QueryMeta? = nil,
      work: TaskChain.Remains? = nil
    ) {
      self.mutation = mutation
      self.meta = meta
      self.work = work
    }
  }

  /// Makes the next piece, `onMutate` or an attempt, begin after that of the run before it in a
  /// line.
  ///
  /// - Returns: What the pieces behind it wait for.
  func lineUp(behind before: OneShot<Void>?) -> OneShot<Void> {
    let own = OneShot<Void>()
    present.withLock { $0.gates = (before, own) }
    return own
  }

  /// Waits until the pieces before it in a line have begun.
  func beginInLine() async {
    guard let (before, own) = present.withLock({ $0.gates.take() }) else { return }
    _ = await before?.take()
    own.give(())
  }
}
