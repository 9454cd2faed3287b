extension QueryClient {
  /// The work of an attempt among the client's companions, the first of them outermost.
  nonisolated func accompanied(
    _ context: MutationContext,
    _ work: @escaping @Sendable () async throws -> ValueBox
  ) -> AccompaniedAttempt<ValueBox> {
    configuration.mutationCompanions.reversed().reduce(AccompaniedAttempt(work)) {
      inner,
      companion in
      AccompaniedAttempt { try await companion.attempt(context, perform: inner) }
    }
  }
}
