/// What a mutation says, without its types: made once, shared by reference.
final class MutationPlan: Sendable {
  typealias Perform = @Sendable (ValueBox, MutationContext) async throws -> ValueBox
  /// Returns what later callbacks may read.
  typealias Prepare = @Sendable (MutationFacts) async throws -> any Sendable
  typealias Conclude = @Sendable (Result<ValueBox, any Error>, MutationFacts) async throws -> Void
  typealias Layers = @Sendable (ValueBox, inout OptimisticChanges) -> Void

  let options: MutationOptions
  let perform: Perform?
  let layers: [Layers]
  let prepare: [Prepare]
  let onSuccess: [Conclude]
  let onError: [Conclude]
  let onSettled: [Conclude]
  /// Boxes an output of unknown type, or says that it is of the wrong one.
  let box: @Sendable (any Sendable) -> ValueBox?
  let outputTypeName: @Sendable () -> String

  init(
    options: MutationOptions = .default,
    perform: Perform?,
    layers: [Layers] = [],
    prepare: [Prepare] = [],
    onSuccess: [Conclude] = [],
    onError: [Conclude] = [],
    onSettled: [Conclude] = [],
    box: @escaping @Sendable (any Sendable) -> ValueBox?,
    outputTypeName: @escaping @Sendable () -> String
  ) {
    self.options = options
    self.perform = perform
    self.layers = layers
    self.prepare = prepare
    self.onSuccess = onSuccess
    self.onError = onError
    self.onSettled = onSettled
    self.box = box
    self.outputTypeName = outputTypeName
  }

  /// A copy with some parts changed; callbacks and layers are added to those that are there.
  func with(
    options: MutationOptions? = nil,
    layers: Layers? = nil,
    prepare: Prepare? = nil,
    onSuccess: Conclude? = nil,
    onError: Conclude? = nil,
    onSettled: Conclude? = nil
  ) -> MutationPlan {
    MutationPlan(
      options: options ?? self.options,
      perform: perform,
      layers: layers.map { self.layers + [$0] } ?? self.layers,
      prepare: prepare.map { self.prepare + [$0] } ?? self.prepare,
      onSuccess: onSuccess.map { self.onSuccess + [$0] } ?? self.onSuccess,
      onError: onError.map { self.onError + [$0] } ?? self.onError,
      onSettled: onSettled.map { self.onSettled + [$0] } ?? self.onSettled,
      box: box,
      outputTypeName: outputTypeName
    )
  }
}

/// A plan under a client's defaults: what a run is started with.
final class ResolvedMutation: Sendable {
  let key: EntryKey
  let plan: MutationPlan
  let perform: MutationPlan.Perform?
  let retry: RetryPolicy
  let scope: String?
  let meta: QueryMeta
  let hooks: MutationHooks
  let terms: MutationTerms

  init(
    _ key: EntryKey,
    _ plan: MutationPlan,
    defaults: MutationDefaultsTable,
    hooks: MutationHooks
  ) {
    self.key = key
    self.plan = plan
    self.hooks = hooks
    let options = plan.options.over(defaults.options(for: key.key))
    perform = plan.perform ?? defaults.perform(for: key.key).map { Self.typed($0, key, plan) }
    retry = options.retry ?? .never
    scope = options.scope
    meta = options.meta ?? QueryMeta()
    var terms = MutationTerms()
    terms.networkMode = options.networkMode ?? .online
    terms.gcTime = Span(options.gcTime ?? .seconds(300))
    terms.prepares = !plan.prepare.isEmpty || hooks.onMutate != nil
    terms.settles =
      !plan.onSuccess.isEmpty || !plan.onError.isEmpty || !plan.onSettled.isEmpty
      || hooks.concludes
    self.terms = terms
  }

  /// A plan for what is left of a run that was started with another one.
  ///
  /// Work and callbacks are those of this plan. Identity, lane, retries and network mode cannot
  /// change under a run, and retention only grows.
  ///
  /// - Parameter start: What the run was started with.
  /// - Returns: The plan.
  func takingOver(_ start: ResolvedMutation) -> ResolvedMutation {
    ResolvedMutation(self, takingOver: start)
  }

  private init(_ new: ResolvedMutation, takingOver start: ResolvedMutation) {
    key = start.key
    plan = new.plan
    perform = new.perform
    retry = start.retry
    scope = start.scope
    meta = new.meta
    hooks = new.hooks
    var terms = start.terms
    terms.gcTime = max(terms.gcTime, new.terms.gcTime)
    terms.settles = new.terms.settles
    self.terms = terms
  }

  private static func typed(
    _ perform: @escaping MutationDefaultsTable.Perform,
    _ key: EntryKey,
    _ plan: MutationPlan
  ) -> MutationPlan.Perform {
    { input, context in
      let output = try await perform(input.erased, context)
      guard let box = plan.box(output) else {
        throw QueryError.unexpectedType(
          key: key.key.description,
          expected: plan.outputTypeName(),
          actual: String(reflecting: type(of: output as Any))
        )
      }
      return box
    }
  }
}
