import StreamQuery

/// A server that fails two times of three: the result tells of each failed attempt, then succeeds.
func retryPart(_ stage: Stage) async throws {
  let checks = stage.checks
  stage.timeline.title("Retry with backoff")
  let backoff = RetryBackoff.exponential(first: .milliseconds(300))
  let query = Query.flaky(from: stage.api).retry(.times(5).backoff(backoff))
  // Events are not conflated as states are: no attempt is missed, however slow the machine.
  let events = stage.client.events
  let before = await stage.requests("GET /flaky")
  let started = ContinuousClock.now

  let screen = stage.open("screen", query) { $0 }
  let isSteady = await screen.shows(\.isSuccess)
  let took = ContinuousClock.now - started
  checks.check("the third attempt succeeds", isSteady)
  checks.check("there were three requests", await stage.requests("GET /flaky") - before == 3)
  checks.check("it waited 300 and then 600 ms", took >= .milliseconds(900))
  let tellsOfFailure = screen.results.contains { $0.isPending && $0.failureReason is API.Failure }
  checks.check("while it tried again, the result said why", tellsOfFailure)
  checks.check("no error was shown", !screen.results.contains(where: \.isError))
  checks.check("success counts from zero again", screen.results.last?.failureCount == 0)
  await screen.close()

  guard isSteady else { return }
  var waits: [Duration] = []
  for await event in events {
    if case .attemptFailed(_, _, let wait) = event.kind { waits.append(wait) }
    if case .fetchSucceeded = event.kind { break }
  }
  checks.check("the waits doubled", waits == [.milliseconds(300), .milliseconds(600)])
}
