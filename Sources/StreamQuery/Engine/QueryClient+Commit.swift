nonisolated extension QueryClient {
  /// Runs user code outside the lock and applies its answer in a transaction, once.
  ///
  /// The state may change while user code runs. The transaction checks whether the state that was
  /// asked about is still current. If not, the transaction changes nothing, and user code runs
  /// again.
  ///
  /// - Parameters:
  ///   - rounds: The number of rounds after which the transaction has to take the answer, even if
  ///     the state changed.
  ///   - now: The time of the first transaction; `nil` reads the clock.
  ///   - isDated: Whether transactions need the date.
  ///   - ask: Reads the state and runs user code; gets the number of the round, beginning with 1.
  ///   - body: The transaction; gets the answer and whether it has to take it. `nil` starts another
  ///     round.
  /// - Returns: The result of the transaction, or the result with which `ask` ended.
  /// - Throws: The error of user code; in that case nothing is applied.
  @inline(__always)
  @discardableResult
  func commit<Answer, Result: Sendable, Failure: Error>(
    rounds: Int = .max,
    at now: ClockReading? = nil,
    isDated: Bool = true,
    asking ask: (_ round: Int) throws(Failure) -> CommitAnswer<Answer, Result>,
    applying body: (Answer, _ isLast: Bool, inout CacheState, inout Transaction) -> Result?
  ) throws(Failure) -> Result {
    try askUntilApplied(ask) { answer, round in
      let time = round == 1 ? now : nil
      return cache.transaction(self, at: time ?? cache.now(isDated: isDated)) {
        state,
        transaction in
        body(answer, round >= rounds, &state, &transaction)
      }
    }
  }

  /// Runs user code, and applies its answer in a transaction over the entries that match a filter
  /// at the time of the transaction.
  func commit<Answer, Result: Sendable, Failure: Error>(
    rounds: Int,
    over filter: QueryFilter,
    asking ask: (_ round: Int) throws(Failure) -> CommitAnswer<Answer, Result>,
    applying body: (Answer, _ isLast: Bool, inout CacheState, [Int], inout Transaction) -> Result?
  ) throws(Failure) -> Result {
    try askUntilApplied(ask) { answer, round in
      select(filter) { state, indices, transaction in
        body(answer, round >= rounds, &state, indices, &transaction)
      }
    }
  }
}

/// Runs user code until its answer is applied; no other loop runs user code again.
@inline(__always)
private func askUntilApplied<Answer, Result, Failure: Error>(
  _ ask: (_ round: Int) throws(Failure) -> CommitAnswer<Answer, Result>,
  _ apply: (Answer, _ round: Int) -> Result?
) throws(Failure) -> Result {
  var round = 1
  while true {
    switch try ask(round) {
    case .answer(let answer): if let result = apply(answer, round) { return result }
    case .over(let result): return result
    }
    round += 1
  }
}

/// The answer of user code.
enum CommitAnswer<Answer, Result> {
  case answer(Answer)
  /// There is nothing to apply: this is the result of the call.
  case over(Result)
}
