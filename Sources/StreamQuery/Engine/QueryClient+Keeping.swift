nonisolated extension QueryClient {
  /// Gives a run to the outbox; the run waits until the outbox has written it.
  func keep(_ job: MutationJob) {
    guard let durableRuns else {
      return keepingFailed(job, QueryError.missingOutbox(key: job.key.key.description))
    }
    durableRuns.keep(job)
    // The waits for the other runs ended when the store failed.
    if durableRuns.isHeldUp { transaction { state, _ in state.keepingDelayed(job.id) } }
  }

  /// Lets runs go on, because the outbox has written them or need not write them.
  ///
  /// - Parameters:
  ///   - runs: The runs, with the revision of the input that is written. A run that got another input
  ///     meanwhile waits until the new input is written.
  ///   - delayingOthers: Whether the outbox cannot write the other runs now. Then nobody waits for them but
  ///     the callers that started them.
  package func kept(
    _ runs: [(job: MutationJob, revision: UInt64)],
    delayingOthers: Bool = false
  ) {
    guard delayingOthers || !runs.isEmpty else { return }
    transaction { state, transaction in
      for (job, revision) in runs where job.revision == revision {
        state.kept(job.id, &transaction)
      }
      if delayingOthers { state.keepingDelayed() }
    }
  }

  /// Ends or stops a run with an input that the outbox can never write.
  ///
  /// - Parameters:
  ///   - job: The run.
  ///   - error: The cause.
  ///   - isStored: Whether the outbox has the run with an earlier input; then the run does not end.
  package func keepingFailed(
    _ job: MutationJob,
    _ error: any Error,
    isStored: Bool = false
  ) {
    let box = ErrorBox(error)
    transaction { state, transaction in
      state.keepingFailed(job.id, box, isStored: isStored, &transaction)
    }
  }

  /// Remembers the runs that the outbox has found in its store, so that no archive brings them a second time.
  package func runsKnown(_ runs: [RunIdentity]) {
    cache.record { $0.mutations.kept.formUnion(runs) }
  }

  /// Lets later runs go on, because the stored runs have begun, or because later runs no longer wait for
  /// them.
  package func runsRestored() {
    cache.record { $0.mutations.awaitsKeeper = false }
  }

  /// Whether the runs of a mutation have a function to perform: that of the mutation, or the default of its
  /// key.
  package func hasWork(_ key: EntryKey, _ definition: MutationDefinition) -> Bool {
    resolve(key, definition, input: nil).perform != nil
  }

  /// Makes a run from an archive or a store.
  ///
  /// - Parameters:
  ///   - key: The mutation.
  ///   - definition: Its definition.
  ///   - scope: The scope of the run.
  ///   - outweighsOwn: Whether the run has that scope even if the definition has another one.
  ///   - pacingKey: The key that `pacing(_:of:)` gave the run; `nil` takes the key of the present input.
  ///   - input: The input.
  ///   - identity: The identity of the run.
  ///   - revision: The number of changes of its input.
  ///   - serial: Its number among the runs of the client, if a store has it.
  ///   - submittedAt: The date when it was started, in seconds since the reference date.
  ///   - text: The types and the key as text, if an archive has it.
  /// - Returns: The run.
  package func restoredRun(
    _ key: EntryKey,
    _ definition: MutationDefinition,
    scope: String?,
    outweighsOwn: Bool = false,
    pacingKey: String? = nil,
    input: ValueBox,
    _ identity: RunIdentity,
    revision: UInt64,
    serial: UInt64 = 0,
    submittedAt: Double,
    text: String = ""
  ) -> RestoredRun {
    var (options, grouping) = (definition.options, definition.grouping)
    options.scope = outweighsOwn ? scope ?? options.scope : options.scope ?? scope
    if let pacingKey, grouping.pacingKey != nil { grouping.pacingKey = { _ in pacingKey } }
    let own = definition.with(options: options, grouping: grouping)
    let mutation = resolve(key, own, input: input)
    return RestoredRun(
      text: text,
      identity: identity,
      revision: revision,
      serial: serial,
      mutation: mutation,
      input: input,
      layers: plannedLayers(of: mutation, input: input),
      submittedAt: submittedAt
    )
  }

  /// Begins runs that an earlier process has stored, before the runs of this process.
  ///
  /// - Parameter runs: The runs, in their order.
  /// - Returns: The job of each run, also of a durable one that an archive has brought; `nil` for another run
  ///   that the client has already, and for one that comes too late.
  package func startRestored(_ runs: [RestoredRun]) -> [MutationJob?] {
    guard !runs.isEmpty else { return [] }
    openSignals()
    return transaction { state, transaction in
      var begun: SharedOneShot<Void>?
      // A run that an archive brought may have ended without being sent, because another client had it.
      let present = state.mutations.pending(among: runs.map(\.identity))
      var made: [MutationID] = []
      let jobs = runs.map { run -> MutationJob? in
        guard !state.isShutDown else { return nil }
        if let job = present[run.identity] { return job.isDurable ? job : nil }
        state.mutations.archived.insert(run.identity)
        let submittedAt = transaction.environment.now.placing(date: run.submittedAt)
        let id = state.startRun(
          run.mutation,
          .store(
            run.identity,
            revision: run.revision,
            serial: run.serial,
            submittedAt: submittedAt
          ),
          input: run.input,
          waiter: nil,
          layers: run.layers,
          // If the mutation sends only the newest run, no run is sent before all have begun: one of the later
          // runs may replace it.
          isHeld: run.mutation.isNewestOnly,
          &transaction
        )
        guard let index = state.mutations.find(id), let job = state.mutations.slots[index].job
        else { return nil }
        if !state.mutations.slots[index].machine.rests { begun = job.gate(behind: begun) }
        made.append(id)
        return job
      }
      for id in made {
        state.input(run: id, &transaction) { $0.released(in: $1) }
      }
      return jobs
    }
  }

  /// Returns a run that an archive may have brought, and whose outcome is not decided.
  ///
  /// - Parameter identity: The identity of the run.
  /// - Returns: The run; `nil` if the client has no such run.
  package func archivedRun(_ identity: RunIdentity) -> MutationJob? {
    cache.read { state in
      guard let job = state.mutations.pending(among: [identity])[identity],
        let index = state.mutations.find(job.id), state.mutations.slots[index].machine.isUndecided
      else { return nil }
      return job
    }
  }

  /// Begins the next attempt of a run now.
  ///
  /// - Returns: Whether the run was waiting for its next attempt.
  package func retry(_ job: MutationJob) -> Bool {
    transaction { state, transaction in
      state.input(run: job.id, &transaction) { $0.retried(in: $1) } != .none
    }
  }

  /// Gives a run another input, which makes the run another request.
  ///
  /// - Returns: Whether that was possible: the run is not being sent, and not over.
  package func rebase(_ job: MutationJob, _ input: ValueBox) -> Bool {
    guard let mutation = job.mutation?.resolved else { return false }
    let layers = plannedLayers(of: mutation, input: input)
    return transaction { state, transaction in
      state.rebase(job.id, input, layers, &transaction) { $0.rebased(in: $1) }
    }
  }

  /// Replaces parts of the inputs of runs.
  ///
  /// - Parameter inputs: The runs, the revisions of the inputs that are replaced, and the replacements.
  package func replaceInputs(
    _ inputs: [(job: MutationJob, revision: UInt64, input: ValueBox)]
  ) {
    guard !inputs.isEmpty else { return }
    let planned = inputs.map { item in
      item.job.mutation.map { plannedLayers(of: $0.resolved, input: item.input) } ?? []
    }
    transaction { state, transaction in
      // An input that was replaced meanwhile is newer, and stays.
      for (item, layers) in zip(inputs, planned) where item.job.revision == item.revision {
        state.replaceInput(of: item.job.id, item.input, item.revision, layers, &transaction)
      }
    }
  }

  /// Gives a run from an archive the later input that the outbox has for the same run.
  ///
  /// - Parameters:
  ///   - job: The run, which waits for the outbox.
  ///   - input: The input.
  ///   - revision: The number of changes of the input.
  package func takeStoredInput(_ job: MutationJob, _ input: ValueBox, _ revision: UInt64) {
    guard let mutation = job.mutation?.resolved else { return }
    let layers = plannedLayers(of: mutation, input: input)
    transaction { state, transaction in
      guard job.revision < revision else { return }
      state.replaceInput(of: job.id, input, revision, layers, &transaction)
    }
  }

  /// The decision to try a failed run again, after the delay of its retries.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - input: A new input makes the run another request; `nil` leaves the input as it is.
  ///   - error: The error.
  ///   - attempt: The number of attempts so far.
  /// - Returns: The decision.
  package func retrying(
    _ mutation: StoredMutation,
    with input: ValueBox? = nil,
    after error: any Error,
    attempt: Int
  ) -> RunAnswer {
    let mutation = mutation.resolved
    let layers = input.map { plannedLayers(of: mutation, input: $0) } ?? []
    let wait = mutation.retry.wait(failures: attempt, error: error, jitter: nextJitter())
    return input.map { .rebase($0, layers, after: wait) } ?? .retry(after: wait)
  }

  /// Cancels the durable runs, because their records were erased.
  package func cancelKept() {
    transaction { state, transaction in
      for id in state.mutations.all {
        guard let index = state.mutations.find(id),
          state.mutations.slots[index].machine.runOptions.isDurable
        else { continue }
        state.cancel(id, &transaction)
      }
    }
  }
}

extension RestoredRun {
  /// Whether the run has a function to perform.
  package var hasWork: Bool { mutation.resolved.perform != nil }
}

// Reports the mistake that a run has replaced a run about another item.

nonisolated extension QueryClient {
  /// Reports that a run has replaced another one, if the two are about different items.
  ///
  /// - Parameters:
  ///   - job: The older run.
  ///   - newer: The newer one.
  ///   - changesOthers: Whether the older run showed a change of data that the newer one does not
  ///     change.
  func discarded(_ job: MutationJob, by newer: MutationJob, changesOthers: Bool) {
    guard changesOthers || ItemIdentity(of: job.input) != ItemIdentity(of: newer.input) else {
      return
    }
    report(.otherItemDiscarded(key: job.key.key.description))
  }
}

/// The item of an input, as far as it is known: by `Identifiable`, or by a property `id`.
private struct ItemIdentity: Equatable {
  private let id: AnyHashable?

  init(of input: ValueBox) {
    let value = input.erased
    if let item = value as? any Identifiable {
      id = Self.id(of: item)
    } else {
      let id = Mirror(reflecting: value).children.first { $0.label == "id" }?.value
      self.id = (id as? any Hashable).map { AnyHashable($0) }
    }
  }

  private static func id(of item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }
}
