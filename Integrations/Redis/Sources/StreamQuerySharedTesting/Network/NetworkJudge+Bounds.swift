internal import StreamQueryShared

extension NetworkJudge {
  /// The bounds of what it judges.
  struct Bounds: Sendable {
    /// How long data is fresh, and for how long it may have been on its way.
    var stale: Duration
    /// For how long a machine that hears nothing trusts what has landed.
    var trust: Duration
    /// How long after an invalidation an answer may still land that was under way.
    var flight: Duration
    /// For how long a machine that hears everything may not know of an invalidation.
    var hearing: Duration
    /// After how long a fresh value may be asked for again.
    var period: Duration
    /// How soon a machine that hears nothing asks again for itself.
    var alone: Duration
    /// How long a call may take.
    var answerTimeout: Duration
  }
}

extension NetworkPlan {
  /// What is promised, as it follows from the times of the plan.
  ///
  /// Within a simulation nothing but what the plan says takes time, so that none of them has any room.
  var bounds: NetworkJudge.Bounds {
    let way = delay.most
    return NetworkJudge.Bounds(
      // Data is as old as upstream's answer, wherever it is used, and what that says was true at the
      // request.
      stale: staleTime + fetchTime,
      // A machine doubts what it has at the first look, of eight in `trust`, at which both its landing
      // and the question that the log answered last are seven eighths of `trust` ago: before `trust` is
      // over. What was told before that question it knows.
      trust: configuration.trust,
      // What was asked for after a change has it. So an outdated answer was asked for before, and
      // what takes time until it lands is upstream, and then a commit for as long as a call may take.
      // If the store takes that commit, the invalidation came later; so it did after an entry that the
      // store gave, and the answer of either call may be on its way for as long as a call may take.
      flight: fetchTime + configuration.timeout,
      // The answer of a reader, which lacks the message, its next question, and the answer to that.
      hearing: way * 3,
      // An answer is fresh from its end on, not from its request. Who got it from the store counts it as
      // older by the way of the question, since the store may have looked as early as that.
      period: staleTime + fetchTime - way,
      // It lands after its fetch, and the first look that doubts it is at seven eighths of `trust`.
      alone: fetchTime + min(configuration.trust - configuration.trust / 8, staleTime),
      answerTimeout: longestCall
    )
  }

  /// How long after a fault every machine hears the store, and no lease is left that nobody has.
  ///
  /// Whoever asks for the log at its end fails after the longest question, pauses, and asks again. Others
  /// pause for as long at most. Of the leases that are lost none was given later. Who fetched for
  /// itself meanwhile has its answer.
  var recovery: Duration {
    let question = configuration.trust / 4 + configuration.timeout
    let hears = question + configuration.pauses.longest + delay.most * 4
    return max(hears, configuration.lease) + fetchTime
  }

  /// For how long the return of a store may be felt upstream: until all that was trusted is not any more.
  var aftermath: Duration {
    configuration.trust + configuration.pauses.longest + configuration.timeout * 2
      + max(configuration.lease, fetchTime)
  }
}
