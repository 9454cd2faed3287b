internal import StreamQueryShared

extension NetworkJudge {
  /// The bounds by which it judges.
  struct Bounds: Sendable {
    /// How long data is fresh, the time on its way included.
    var stale: Duration
    /// How long a machine that is out of reach trusts data after its landing.
    var trust: Duration
    /// The time after an invalidation in which an answer that was under way may still become the
    /// data.
    var flight: Duration
    /// The time in which a machine within reach must hear of an invalidation.
    var hearing: Duration
    /// The time after which a fresh value may be requested again.
    var period: Duration
    /// The time after which a machine that is out of reach asks again for itself.
    var alone: Duration
    /// The maximum duration of a call.
    var answerTimeout: Duration
  }
}

extension NetworkPlan {
  /// The promised bounds, which follow from the times of the plan.
  ///
  /// In a simulation, only the times of the plan pass, so that the bounds need no margin.
  var bounds: NetworkJudge.Bounds {
    let way = delay.most
    return NetworkJudge.Bounds(
      // On every machine, the age of data counts from the answer of upstream, and the answer was right when
      // upstream got the request, a fetch's time earlier.
      stale: staleTime + fetchTime,
      // A machine looks eight times in `trust`. It suspects data at the first look where both the landing of
      // the data and the last answered request to the log are seven eighths of `trust` ago, so before `trust`
      // is over. It knows all news from before that request.
      trust: configuration.trust,
      // An answer that was requested after a change includes it. So an outdated answer was requested before.
      // Until it lands, upstream takes its time, and a commit as long as a call may take. If the store
      // accepts that commit, or gives an entry, the invalidation comes later, and the answer of that call may
      // also be on its way for as long as a call may take.
      flight: fetchTime + configuration.timeout,
      // A reader may just get an answer without the message. Then it asks again, and the next
      // answer has the message.
      hearing: way * 3,
      // An answer is fresh from its end on, not from its request. A machine that got it from the store counts
      // it as older by the way of the request, because the store may have measured the age as early as that.
      period: staleTime + fetchTime - way,
      // Data becomes the node's data after its fetch, and the first look that suspects it comes after seven
      // eighths of `trust`.
      alone: fetchTime + min(configuration.trust - configuration.trust / 8, staleTime),
      answerTimeout: longestCall
    )
  }

  /// The time after a fault until every machine hears the store, and no lost lease is left.
  ///
  /// A reader at the end of the log fails after the longest request, pauses, and asks again. Other calls
  /// pause for as long at most. All lost leases were given before that, and machines that fetched for
  /// themselves have their answers.
  var recovery: Duration {
    let question = configuration.trust / 4 + configuration.timeout
    let hears = question + configuration.pauses.longest + delay.most * 4
    return max(hears, configuration.lease) + fetchTime
  }

  /// How long upstream may get more requests after a store is back: until no earlier data is trusted any
  /// more.
  var aftermath: Duration {
    configuration.trust + configuration.pauses.longest + configuration.timeout * 2
      + max(configuration.lease, fetchTime)
  }
}
