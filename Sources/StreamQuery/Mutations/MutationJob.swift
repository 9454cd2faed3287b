import Synchronization

/// The objects and facts of a run that its machine does not hold.
///
/// Snapshots show the facts, such as the key and the input, for as long as the run is kept, which is long
/// after its end. The objects, such as the mutation and the tasks, serve only the run's work, and are
/// released when the run is over.
///
/// The machine knows the run by its number.
package final class MutationJob: Sendable {
  private struct Present {
    /// `nil` when the run is over.
    var mutation: StoredMutation?
    var meta: QueryMeta
    var input: ValueBox
    /// How often the input was changed so that the run sends another request than before.
    var revision: UInt64
    var saved = SavedValues()
    /// `nil` when the run is over.
    var tasks: TaskChain?
    /// The gate that the run's next stage passes before it begins, so that the stages of several runs begin
    /// in order; `nil` if the stage need not wait.
    var gate: StartGate?
  }

  let id: MutationID
  package let identity: RunIdentity
  package let key: EntryKey
  package let scope: String?
  /// The key that `pacing(_:of:)` gave the run: see ``PacedRuns``.
  package let pacingKey: String?
  package let submittedAt: Timestamp
  private let present: Mutex<Present>

  /// The run that the current task works for.
  @TaskLocal static var current: MutationJob?

  init(
    cache: UInt64,
    id: MutationID,
    identity: RunIdentity,
    mutation: StoredMutation,
    key: EntryKey,
    input: ValueBox,
    revision: UInt64 = 0,
    submittedAt: Timestamp
  ) {
    self.id = id
    self.identity = identity
    self.key = key
    scope = mutation.scope
    pacingKey = mutation.pacingKey
    self.submittedAt = submittedAt
    let work = WorkID.run(cache: cache, serial: id.serial, scope: mutation.scope)
    // Later runs of the same scope wait for this run, and compare its priority with theirs.
    let tasks = TaskChain(of: work, isCompared: mutation.scope != nil)
    present = Mutex(
      Present(
        mutation: mutation,
        meta: mutation.meta,
        input: input,
        revision: revision,
        tasks: tasks
      )
    )
  }

  /// The mutation with which the run was started, or its replacement; `nil` when the run is over.
  package var mutation: StoredMutation? { present.withLock { $0.mutation } }

  /// Whether the outbox keeps the run beyond the process.
  package var isDurable: Bool { present.withLock { $0.mutation?.runOptions.isDurable ?? false } }

  /// The tasks of the run's stages; `nil` when the run is over.
  var tasks: TaskChain? { present.withLock { $0.tasks } }

  /// The metadata that the mutation was given with its `meta` option.
  var meta: QueryMeta { present.withLock { $0.meta } }

  /// The input with which the run was started, or its replacement.
  var input: ValueBox { present.withLock { $0.input } }

  /// The place of the run among those that began in this process.
  package var number: UInt64 { id.serial & 0xffff_ffff }

  /// How often the input was changed so that the run sends another request than before.
  var revision: UInt64 { present.withLock { $0.revision } }

  /// The present input with its revision, both read at once.
  package var versionedInput: (input: ValueBox, revision: UInt64) {
    present.withLock { ($0.input, $0.revision) }
  }

  /// The identity by which a server recognises the request; it changes with the revision.
  var requestIdentity: RunIdentity { identity.revised(revision) }

  /// Replaces the present input.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - revision: Its revision; another one than the present makes another request for a server.
  /// - Returns: The old input; it must not be released under a lock.
  func replaceInput(with input: ValueBox, of revision: UInt64) -> ValueBox {
    present.withLock { present in
      let old = present.input
      (present.input, present.revision) = (input, revision)
      return old
    }
  }

  /// The values that `onMutate` has returned so far.
  var saved: SavedValues { present.withLock { $0.saved } }

  /// Adds a value that an `onMutate` returned.
  func save(_ value: any Sendable) {
    if value is Void { return }
    present.withLock { $0.saved.values.append(value) }
  }

  /// Replaces the current mutation.
  ///
  /// The old mutation has closures of the user, so it is put into the garbage and released later.
  func replace(with mutation: StoredMutation, into garbage: inout Garbage) {
    present.withLock { present in
      garbage.collect(present.mutation)
      garbage.collect(value: present.meta)
      present.mutation = mutation
      present.meta = mutation.meta
    }
  }

  /// Forgets the values that `onMutate` returned, because it is called again.
  ///
  /// - Returns: The old values, to be released outside of locks.
  func forgetSaved() -> SavedValues {
    present.withLock { present in
      let old = present.saved
      present.saved = SavedValues()
      return old
    }
  }

  /// Marks the run as over: this object keeps only the facts that snapshots show.
  func retire(into garbage: inout Garbage) {
    present.withLock { present in
      garbage.collect(present.mutation.take())
      present.tasks.take()?.endAfterWork(into: &garbage)
    }
  }

  /// Makes the next stage, `onMutate` or an attempt, begin after the next stage of another run that
  /// begins in the same transaction.
  ///
  /// The tasks of the runs are created in order, but without a gate the executor might run any of them first.
  ///
  /// - Parameter before: The gate of the other run.
  /// - Returns: The gate of this run.
  func gate(behind before: SharedOneShot<Void>?) -> SharedOneShot<Void> {
    let gate = StartGate(before: before)
    present.withLock { $0.gate = gate }
    return gate.begun
  }

  /// Waits until the stage of the run before this run has begun, if there is one, and lets the run behind
  /// this one begin.
  func passGate() async {
    guard let gate = present.withLock({ $0.gate.take() }) else { return }
    _ = await gate.before?.wait()
    gate.begun.give(())
  }

  /// Gives up the gate of a run that is forgotten, so that the run behind it does not wait for its beginning.
  func dropGate(into garbage: inout Garbage) {
    present.withLock { garbage.collect($0.gate.take()) }
  }

  /// A gate between two runs: a run waits for `before`, which the run in front opens, and then opens `begun`
  /// for the run behind it.
  private final class StartGate: Sendable {
    let before: SharedOneShot<Void>?
    let begun = SharedOneShot<Void>()

    init(before: SharedOneShot<Void>?) { self.before = before }

    deinit { begun.give(()) }
  }
}
