// The effects of reconnects and activations.

nonisolated extension QueryClient {
  /// Performs the refetches of reconnects and activations that were delayed by mutations.
  func refetchWilling(_ causes: [FetchCause]) {
    for cause in causes { returning { $0.refetchWilling(cause, random: $2, &$1) } }
  }

  /// Applies a report of the network or the app, evaluates the conditions of observers that decide about
  /// refetches, and schedules the later effects of the report.
  func returning(
    _ body: (inout CacheState, inout Transaction, _ random: UInt64) -> [RefetchCondition.Question]
  ) {
    guard configuration.pacesReturns else { return conditions { body(&$0, &$1, 0) } }
    let random = configuration.spreadsReturns ? nextRandom() : 0
    conditions { body(&$0, &$1, random) }
    guard let next = cache.record({ $0.returns.arm() }) else { return }
    // The reference is weak, because the deadline must not keep an unused client alive.
    deadlines.set(at: next) { [weak self] in
      self?.returning { $0.returnsDue(random: $2, &$1) }
    }
  }

  /// Evaluates the conditions that a transaction returns.
  private func conditions(
    _ body: (inout CacheState, inout Transaction) -> [RefetchCondition.Question]
  ) {
    for question in transaction(body) { evaluate(question) }
  }

  /// Evaluates a condition in a separate task, so that nothing else waits for the evaluation.
  func evaluate(_ question: RefetchCondition.Question) {
    let store = question.restoring.flatMap { self.store(of: $0) }
    _ = Task.detached(on: configuration.executor) { [weak self, scheduling] in
      var question = question
      if let store {
        await store()
        guard let present = self?.renewed(question) else { return }
        question = present
      }
      while true {
        let condition = question.condition
        let predicate = question.query.resolved.condition(of: condition.cause)
        let policy = await Scheduling.$current.withValue(scheduling) {
          // Without a predicate, the observer waited for a store and always refetches.
          guard let predicate else { return RefetchPolicy.Answer.always }
          return await predicate.answer(question.info)
        }
        guard let self else { return }
        let next = self.transaction { state, transaction in
          state.answered(condition, policy, &transaction)
        }
        guard let next else { return }
        question = next
      }
    }
  }

  /// Returns a question with the present state of its entry, because the store was read meanwhile.
  private func renewed(_ question: RefetchCondition.Question) -> RefetchCondition.Question? {
    transaction { state, transaction in state.renewed(question, transaction) }
  }
}

extension RefetchPolicy {
  /// The policy's answer for one subscription or event.
  ///
  /// This runs user code, so do not call it under the lock.
  fileprivate func answer(_ info: QueryInfo) async -> Answer {
    switch kind {
    case .fixed(let answer): answer
    case .asked(let rule): rule(info).fixed
    case .awaited(.when(let condition)): await condition() ? .always : .never
    case .awaited(.informed(let condition)): await condition(info) ? .always : .never
    case .awaited(.policy(let policy)): await policy(info).fixed
    }
  }
}
