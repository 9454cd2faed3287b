import Testing

@testable import StreamQuery

/// What an error means that an attempt threw.
@Suite("Thrown errors: contract law 10") struct AttemptAnswerTests {
  private func answer(
    _ error: any Error,
    isCancelled: Bool = false,
    after failures: Int = 0,
    retry: RetryPolicy = .times(2).backoff(.constant(.seconds(3)))
  ) -> String {
    let answer = AttemptAnswer(
      error,
      isCancelled: isCancelled,
      after: failures,
      of: "n",
      retry: retry,
      jitter: 0
    )
    switch answer {
    case .cancelled: return "cancelled"
    case .nothing: return "nothing"
    case .notModified(let missing): return "not modified, else \(missing.error)"
    case .failure(let error, let delay):
      return "\(error.error), \(delay.map { "again in \($0.duration)" } ?? "for good")"
    case .value, .part: return "a value"
    }
  }

  @Test func anErrorIsRetriedAfterTheWaitOfThePolicy() {
    expectEqual(answer(Boom(), after: 1), "\(Boom()), again in \(Duration.seconds(3))")
  }

  @Test func anErrorIsFinalWhenThePolicyGivesUp() {
    expectEqual(answer(Boom(), after: 2), "\(Boom()), for good")
    expectEqual(answer(Boom(), retry: .never), "\(Boom()), for good")
  }

  @Test func aCancellationThatNobodyAskedForIsAnErrorLikeAnyOther() {
    let error = CancellationError()
    expectEqual(answer(error), "\(error), again in \(Duration.seconds(3))")
    expectEqual(answer(error, isCancelled: true), "cancelled")
  }

  @Test func anyErrorOfACancelledTaskIsItsCancellation() {
    expectEqual(answer(Boom(), isCancelled: true), "cancelled")
    expectEqual(answer(NotModified(), isCancelled: true), "cancelled")
  }

  @Test func nothingToDoIsNoError() {
    expectEqual(answer(NothingFetched()), "nothing")
    expectEqual(answer(NothingFetched(), isCancelled: true), "cancelled")
  }

  @Test func notModifiedKeepsTheDataAndNamesTheErrorOfHavingNone() {
    let missing = QueryError.notModifiedWithoutData(key: AnyQueryKey("n").description)
    expectEqual(answer(NotModified()), "not modified, else \(missing)")
  }

  @Test func havingNoDataToKeepIsNeverRetried() {
    let missing = QueryError.notModifiedWithoutData(key: "n")
    expectEqual(answer(missing, retry: .forever), "\(missing), for good")
  }
}
