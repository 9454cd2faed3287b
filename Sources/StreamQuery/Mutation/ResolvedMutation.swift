/// A plan merged with a client's defaults: what a run is started with.
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

  /// Returns this plan for the rest of a run that was started with another plan.
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
