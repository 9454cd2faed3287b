import StreamQuery
import StreamQueryTesting
import Testing

/// Attempts that take too long, and fail for everybody.
struct AttemptTimeoutTests {
  private static let limit = #"the fetch of ["n"] took longer than 2.0 seconds"#

  private static func query(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query("n", fetch: fetch).timeout(.seconds(2))
  }

  @Test func anAttemptThatTakesTooLongIsCancelledAndFails() {
    let world = ServingWorld()
    let fetch = ScriptedFetch<Int>(.value(7, after: .seconds(3)))
    world.ask(Self.query(fetch))
    world.advance(to: 1)
    world.ask(Self.query(fetch))
    world.advance(to: 5)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "2.0 failed: \(Self.limit)", "2.0 threw \(Self.limit)",
        "2.0 threw \(Self.limit)",
      ]
    )
    expectEqual(fetch.calls.map(\.outcome), [.cancelled])
    expectEqual(fetch.calls.map(\.end), [.seconds(2)])
    expectEqual(world.simulation.leakReport(), [])
  }

  @Test func anAttemptInTimeAnswers() {
    let world = ServingWorld()
    world.ask(Self.query(ScriptedFetch<Int>(.value(7, after: .seconds(1)))))
    world.advance(to: 5)
    expectEqual(world.news(), ["0.0 fetching", "1.0 fetched", "1.0 got 7"])
  }

  @Test func anErrorInTimeIsThrown() {
    let world = ServingWorld()
    world.ask(Self.query(ScriptedFetch<Int>(.failure(Boom(1), after: .seconds(1)))))
    world.advance(to: 5)
    expectEqual(world.news(), ["0.0 fetching", "1.0 failed: boom 1", "1.0 threw boom 1"])
  }

  @Test func eachAttemptHasItsOwnTime() {
    let world = ServingWorld()
    let fetch = ScriptedFetch<Int>(.never, .value(8, after: .seconds(1)))
    world.ask(Self.query(fetch).retry(1))
    world.advance(to: 10)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "2.0 attempt failed: \(Self.limit)", "4.0 fetched", "4.0 got 8",
      ]
    )
    expectEqual(fetch.calls.map(\.outcome), [.cancelled, .value])
  }

  /// The first attempt goes on until 9 s, although it was cancelled at 2 s.
  @Test func whatALateAttemptStillAnswersIsIgnored() {
    let world = ServingWorld()
    let late = ScriptedFetch<Int>.Step.value(7, after: .seconds(9), ignoringCancellation: true)
    let fetch = ScriptedFetch<Int>(late, .never, .value(8, after: .seconds(1)))
    world.ask(Self.query(fetch).retry(2, delay: { _ in .seconds(6) }))
    world.advance(to: 30)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "2.0 attempt failed: \(Self.limit)", "10.0 attempt failed: \(Self.limit)",
        "17.0 fetched", "17.0 got 8",
      ]
    )
    expectEqual(fetch.calls.map(\.end), [.seconds(9), .seconds(10), .seconds(17)])
  }

  /// As if its caller had made it: with the caller's task-locals.
  @Test func aRetryHasTheContextOfTheCaller() {
    let world = ServingWorld()
    let seen = Notes<String>()
    let query = Query<Int>("n") { context in
      seen.add(Request.name)
      if context.attempt == 0 { try await Scheduling.current.clock.sleep(for: .seconds(60)) }
      return 7
    }
    Request.$name.withValue("first") { _ = world.ask(query.timeout(.seconds(2)).retry(1)) }
    world.advance(to: 10)
    expectEqual(seen.all, ["first", "first"])
    expectEqual(world.news().last, "3.0 got 7")
  }

  private enum Request {
    @TaskLocal static var name = "none"
  }

  @Test func aFetchThatIsCancelledMeanwhileDoesNotFail() {
    let world = ServingWorld()
    let fetch = ScriptedFetch<Int>(.never)
    world.ask(Self.query(fetch).retry(3)).cancel()
    world.advance(to: 10)
    expectEqual(world.news(), ["0.0 fetching", "0.0 cancelled", "0.0 threw CancellationError()"])
    expectEqual(world.simulation.leakReport(), [])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func withoutTimeAnAttemptFails(limit: Duration) {
    let world = ServingWorld()
    world.ask(Query("n", fetch: ScriptedFetch<Int>(.value(7, after: .seconds(1)))).timeout(limit))
    world.advance(to: 5)
    expectEqual(world.news().last, #"0.0 threw the fetch of ["n"] took longer than 0.0 seconds"#)
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func enormousLimitsAreNone(limit: Duration) {
    let world = ServingWorld()
    world.ask(Query("n", fetch: ScriptedFetch<Int>(.value(7, after: .seconds(9)))).timeout(limit))
    world.advance(to: 10)
    expectEqual(world.news().last, "9.0 got 7")
  }

  @Test func staleDataIsServedWhenTheTimeIsOver() {
    let world = ServingWorld()
    let query = Self.query(ScriptedFetch<Int>(.value(7), .never))
      .staleTime(.seconds(10)).staleIfError(.seconds(20))
    world.ask(query)
    world.advance(to: 12)
    world.ask(query)
    world.advance(to: 20)
    expectEqual(
      world.news().suffix(4),
      [
        "12.0 fetching", "14.0 failed: \(Self.limit)", "14.0 served stale to 1", "14.0 got 7",
      ]
    )
  }
}
