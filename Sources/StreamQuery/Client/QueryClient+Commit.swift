extension QueryClient {
  /// Asks user code outside the lock and carries its answer out in a turn, once (contract law 8).
  ///
  /// The state may move while user code is asked. The turn looks whether what was asked about is still
  /// there; if not, it changes nothing, and user code is asked again.
  ///
  /// - Parameters:
  ///   - rounds: After how many askings the turn has to take the answer, though the state moved on.
  ///   - now: The time of the first turn; `nil` reads the clock.
  ///   - isDated: Whether turns need the date.
  ///   - ask: Looks and asks; gets the number of the round, from 1.
  ///   - body: The turn; gets the answer and whether it has to take it. `nil` asks again.
  /// - Returns: What the turn returned, or what the asking ended with.
  /// - Throws: What user code throws; nothing is carried out then.
  @inline(__always)
  @discardableResult
  nonisolated func commit<Answer, Result: Sendable, Failure: Error>(
    rounds: Int = .max,
    at now: Now? = nil,
    isDated: Bool = true,
    asking ask: (_ round: Int) throws(Failure) -> Asked<Answer, Result>,
    _ body: (Answer, _ isLast: Bool, inout CacheState, inout Turn) -> Result?
  ) throws(Failure) -> Result {
    var round = 1
    while true {
      let answer: Answer
      switch try ask(round) {
      case .answer(let found): answer = found
      case .over(let result): return result
      }
      let time = round == 1 ? now : nil
      let result = cache.turn(self, at: time ?? cache.now(isDated: isDated)) { state, turn in
        body(answer, round >= rounds, &state, &turn)
      }
      if let result { return result }
      round += 1
    }
  }
}

/// What user code answered.
enum Asked<Answer, Result> {
  case answer(Answer)
  /// There is nothing to carry out.
  case over(Result)
}
