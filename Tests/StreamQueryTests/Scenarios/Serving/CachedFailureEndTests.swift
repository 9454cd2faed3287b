import StreamQuery
import StreamQueryTesting
import Testing

/// Failures that are the answer for a while are so no longer than they should be, and not for all.
struct CachedFailureEndTests {
  private static func query(_ steps: ScriptedFetch<Int>.Step...) -> Query<Int> {
    Query("n", fetch: ScriptedFetch<Int>(steps)).cachesFailures(.seconds(60)).retry(.never)
  }

  /// Otherwise a screen would show the error for ever: nothing else wakes it.
  @Test func observersFetchAsEver() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .failure(Boom(2)), .value(7))
    world.ask(query)
    world.advance(to: 1)
    let first = world.simulation.record(world.client.stream(query))
    world.simulation.settle()
    #expect(first.values.last?.error as? Boom == Boom(2))
    let second = world.simulation.record(world.client.stream(query))
    world.simulation.settle()
    expectEqual(second.values.last?.data, 7)
    expectEqual(first.values.last?.data, 7)
    for recording in [first, second] { recording.cancel() }
    world.simulation.settle()
  }

  @Test func observersOfStaleDataFetchAsEver() {
    let world = ServingWorld()
    let query = Self.query(.value(0), .failure(Boom(1)), .value(7)).staleTime(.seconds(5))
    world.ask(query)
    world.advance(to: 10)
    world.ask(query)
    world.advance(to: 14)
    let recording = world.simulation.record(world.client.stream(query))
    world.simulation.settle()
    expectEqual(recording.values.last?.data, 7)
    recording.cancel()
    world.simulation.settle()
  }

  /// A cancelled fetch leaves what was there: also the failure that its beginning hid.
  @Test(arguments: [true, false])
  func aFetchThatNobodyWaitedForDoesNotEndIt(isHandle: Bool) {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .never, .value(7))
    world.ask(query)
    if isHandle {
      let observer = world.client.observer(of: query.enabled(false))
      observer.startRefetch()
      world.simulation.settle()
      world.client.cancel(query)
      withExtendedLifetime(observer) {}
    } else {
      let recording = world.simulation.record(world.client.stream(query))
      world.simulation.settle()
      recording.cancel()
    }
    world.simulation.settle()
    world.advance(to: 1)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1", "0.0 fetching", "0.0 cancelled",
        "1.0 threw boom 1",
      ]
    )
    world.advance(to: 60)
    world.ask(query)
    expectEqual(world.news().last, "60.0 got 7")
  }

  @Test func anAttemptThatBeganBeforeAnInvalidationIsNoAnswer() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1), after: .seconds(2)), .value(7))
    world.ask(query)
    world.advance(to: 1)
    world.simulation.run { await world.client.invalidate(.query(query), refetch: .never) }
    world.advance(to: 3)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "2.0 failed: boom 1", "2.0 threw boom 1", "3.0 fetching", "3.0 fetched",
        "3.0 got 7",
      ]
    )
  }

  @Test(arguments: [true, false])
  func neitherIsItWhereThereIsData(isWritten: Bool) {
    let world = ServingWorld()
    let query = Self.query(.value(0), .failure(Boom(1), after: .seconds(2)), .value(7))
      .staleTime(.seconds(5))
    world.ask(query)
    world.advance(to: 10)
    world.ask(query)
    world.advance(to: 11)
    if isWritten {
      world.client.setData(1, for: query)
    } else {
      world.simulation.run { await world.client.invalidate(.query(query), refetch: .never) }
    }
    world.advance(to: 13)
    world.ask(query)
    expectEqual(
      world.news().suffix(6),
      [
        "10.0 fetching", "12.0 failed: boom 1", "12.0 threw boom 1", "13.0 fetching",
        "13.0 fetched", "13.0 got 7",
      ]
    )
  }

  /// A retry that begins after the invalidation is an answer to it; one before is not.
  @Test(arguments: [(0.5, false), (2.5, true)])
  func theLastAttemptCounts(time: Double, isAsked: Bool) {
    let world = ServingWorld()
    let query = Self.query(
      .failure(Boom(1), after: .seconds(1)),
      .failure(Boom(2), after: .seconds(1)),
      .value(7)
    )
    .retry(1, delay: { _ in .seconds(1) })
    world.ask(query)
    world.advance(to: time)
    world.simulation.run { await world.client.invalidate(.query(query), refetch: .never) }
    world.advance(to: 4)
    world.ask(query)
    expectEqual(world.news().last, isAsked ? "4.0 got 7" : "4.0 threw boom 2")
  }

  /// The second does not ask for failures that last, and gets none that another keeps.
  @Test(arguments: [true, false])
  func queriesOfTheSameKeyThatDoNotSayItFetch(isOff: Bool) {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .failure(Boom(2)), .value(7))
    let other =
      isOff ? query.cachesFailures(.off) : query.cachesFailures(.off).staleIfError(.seconds(1))
    world.ask(query)
    world.ask(query)
    world.ask(other)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1", "0.0 threw boom 1",
        "0.0 fetching", "0.0 failed: boom 2", "0.0 threw boom 2", "0.0 fetching", "0.0 fetched",
        "0.0 got 7",
      ]
    )
  }
}
