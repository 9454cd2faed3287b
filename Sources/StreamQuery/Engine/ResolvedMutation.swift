/// A definition merged with a client's defaults, with which runs are started.
// `@unchecked` is correct, as for the superclass: all stored properties are immutable and `Sendable`.
package final class ResolvedMutation: StoredMutation, @unchecked Sendable {
  package let definition: MutationDefinition
  let perform: MutationDefinition.Perform?
  let retry: RetryPolicy
  /// The timeout of one attempt.
  let timeout: TimeSpan
  /// The policy for keeping runs beyond the process.
  package let keeping: (any RunPolicy)?
  /// The callbacks of the client's hooks, then those of the mutation.
  let callbacks: MutationCallbacks

  init(
    _ key: EntryKey,
    _ definition: MutationDefinition,
    input: ValueBox?,
    defaults: MutationDefaultsTable,
    hooks: MutationCallbacks
  ) {
    // These are local variables first, because an optimised build of 6.3.1 crashes in the compiler if a
    // property is read before `super.init`.
    let callbacks = hooks + definition.callbacks
    let options = definition.options.over(defaults.options(for: key.key))
    let pacing = RunPacing(of: key, definition, options, input)
    var runOptions = RunOptions()
    runOptions.networkMode = options.networkMode ?? .online
    runOptions.gcTime = TimeSpan(options.gcTime ?? .seconds(300))
    if !callbacks.onMutate.isEmpty { runOptions.callbacks.insert(.beforeAttempts) }
    if callbacks.concludes { runOptions.callbacks.insert(.afterOutcome) }
    runOptions.isDurable = definition.keeping?.isDurable ?? false
    runOptions.delay = TimeSpan(options.delay ?? .zero)
    keeping = definition.keeping
    self.definition = definition
    self.callbacks = callbacks
    perform =
      definition.perform
      ?? defaults.defaultPerform(for: key.key).map { Self.typed($0, key, definition) }
    // A durable run is retried for ever, unless a handler answers its errors.
    let retriesForever = runOptions.isDurable && definition.keeping?.answersErrors != true
    timeout = options.timeout.map(TimeSpan.init) ?? .infinite
    retry = RetryPolicy.merge(options.retry, over: retriesForever ? .forever : .never) ?? .never
    super.init(
      key: key,
      scope: pacing.scope,
      meta: options.meta ?? QueryMeta(),
      runOptions: runOptions,
      isNewestOnly: pacing.isNewestOnly,
      pacingKey: pacing.key
    )
  }

  /// Returns the definition for the rest of a run that was started with another definition.
  ///
  /// Work and callbacks are those of this definition. Identity, scope, retries, timeout and network
  /// mode cannot change under a run, and retention only grows.
  ///
  /// - Parameter start: The definition with which the run was started.
  /// - Returns: The definition.
  func takingOver(_ start: ResolvedMutation) -> ResolvedMutation {
    ResolvedMutation(self, takingOver: start)
  }

  private init(_ new: ResolvedMutation, takingOver start: ResolvedMutation) {
    var runOptions = start.runOptions
    runOptions.gcTime = max(runOptions.gcTime, new.runOptions.gcTime)
    runOptions.callbacks = new.runOptions.callbacks
    definition = new.definition
    perform = new.perform
    retry = start.retry
    timeout = start.timeout
    callbacks = new.callbacks
    keeping = runOptions.isDurable && new.keeping?.isDurable != true ? start.keeping : new.keeping
    super.init(
      key: start.key,
      scope: start.scope,
      meta: new.meta,
      runOptions: runOptions,
      isNewestOnly: start.isNewestOnly,
      pacingKey: start.pacingKey
    )
  }

  private static func typed(
    _ perform: @escaping MutationDefaultsTable.Perform,
    _ key: EntryKey,
    _ definition: MutationDefinition
  ) -> MutationDefinition.Perform {
    { input, context in
      let output = try await perform(input.erased, context)
      guard let box = definition.box(output) else {
        throw QueryError.unexpectedType(
          key: key.key.description,
          expected: definition.outputTypeName(),
          actual: String(reflecting: type(of: output as Any))
        )
      }
      return box
    }
  }
}

extension StoredMutation {
  /// The mutation with the work and the callbacks.
  @inline(__always)
  package var resolved: ResolvedMutation {
    // No other subclass exists, and the base class is never instantiated. `unsafeDowncast` itself checks this
    // in debug builds.
    unsafeDowncast(self, to: ResolvedMutation.self)
  }
}
