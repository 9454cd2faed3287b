internal import StreamQueryShared

extension NetworkJudge {
  /// The times by which the judge decides whether a promise is broken.
  struct Bounds: Sendable {
    /// How long a node may return a version after upstream has a newer one.
    var stale: Duration
    /// How long a machine that cannot reach the store trusts data after the machine has received the data.
    var trust: Duration
    /// The time after an invalidation in which an answer that was under way may still become a machine's
    /// data.
    var flight: Duration
    /// The time in which a machine that reaches the store must hear of an invalidation.
    var hearing: Duration
    /// How long after a request for a key upstream must not get another one.
    var period: Duration
    /// How long after a request a machine that cannot reach the store must not ask upstream again.
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
      // A machine checks its data eight times in `trust`. It suspects data at the first check where both the
      // arrival of the data and the last answered request to the log are seven eighths of `trust` ago, so
      // before `trust` is over. It knows all changes from before that request.
      trust: configuration.trust,
      // An outdated answer was requested before the change. Until it becomes the data, upstream needs the
      // fetch time, and the commit may take as long as any call. If the store accepts the commit, or gives an
      // entry, the invalidation came after that call, so only the answer of the call is still on its way,
      // again for as long as any call may take.
      flight: fetchTime + configuration.timeout,
      // A reader may just get an answer without the message. Then it asks again, and the next
      // answer has the message.
      hearing: way * 3,
      // An answer is fresh from the moment when upstream gives it. A machine that gets it from the store adds
      // its request's time on the way to the age, because the machine does not know when the store measured.
      period: staleTime + fetchTime - way,
      // A node that is alone may serve data for the time of the fetch, and then until it refetches for the
      // first time: after seven eighths of `trust`, or after `staleTime` if that is shorter.
      alone: fetchTime + min(configuration.trust - configuration.trust / 8, staleTime),
      answerTimeout: longestCall
    )
  }

  /// The time after a fault until every machine reaches the store again, and no lost lease is left.
  ///
  /// A reader at the end of the log fails after the longest request, pauses, and asks again. Other calls
  /// pause for no longer than that. By then, all lost leases have ended, and machines that fetched for
  /// themselves have their answers.
  var recovery: Duration {
    let question = configuration.trust / 4 + configuration.timeout
    let hears = question + configuration.pauses.longest + delay.most * 4
    return max(hears, configuration.lease) + fetchTime
  }

  /// How long upstream may get more requests than usual after the store is back: until no machine trusts
  /// earlier data any more.
  var aftermath: Duration {
    configuration.trust + configuration.pauses.longest + configuration.timeout * 2
      + max(configuration.lease, fetchTime)
  }
}
