/// A definition merged with a client's defaults: what a run is started with.
final class ResolvedMutation: Sendable {
  let key: EntryKey
  let definition: MutationDefinition
  let perform: MutationDefinition.Perform?
  let retry: RetryPolicy
  let scope: String?
  let meta: QueryMeta
  /// Those of the client's hooks, then those of the mutation.
  let callbacks: MutationCallbacks
  let runOptions: RunOptions

  init(
    _ key: EntryKey,
    _ definition: MutationDefinition,
    defaults: MutationDefaultsTable,
    hooks: MutationCallbacks
  ) {
    self.key = key
    self.definition = definition
    callbacks = hooks + definition.callbacks
    let options = definition.options.over(defaults.options(for: key.key))
    perform =
      definition.perform ?? defaults.perform(for: key.key).map { Self.typed($0, key, definition) }
    retry = options.retry ?? .never
    scope = options.scope
    meta = options.meta ?? QueryMeta()
    var runOptions = RunOptions()
    runOptions.networkMode = options.networkMode ?? .online
    runOptions.gcTime = TimeSpan(options.gcTime ?? .seconds(300))
    runOptions.prepares = !callbacks.onMutate.isEmpty
    runOptions.settles = callbacks.concludes
    self.runOptions = runOptions
  }

  /// Returns this definition for the rest of a run that was started with another definition.
  ///
  /// Work and callbacks are those of this definition. Identity, scope, retries and network mode
  /// cannot change under a run, and retention only grows.
  ///
  /// - Parameter start: What the run was started with.
  /// - Returns: The definition.
  func takingOver(_ start: ResolvedMutation) -> ResolvedMutation {
    ResolvedMutation(self, takingOver: start)
  }

  private init(_ new: ResolvedMutation, takingOver start: ResolvedMutation) {
    key = start.key
    definition = new.definition
    perform = new.perform
    retry = start.retry
    scope = start.scope
    meta = new.meta
    callbacks = new.callbacks
    var runOptions = start.runOptions
    runOptions.gcTime = max(runOptions.gcTime, new.runOptions.gcTime)
    runOptions.settles = new.runOptions.settles
    self.runOptions = runOptions
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
