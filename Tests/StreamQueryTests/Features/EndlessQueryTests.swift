import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// A connection that delivers numbers for ever: the n-th one 100 n + 1, 100 n + 2 and so on.
private final class Feed: Sendable {
  private let simulation: Simulation
  private let connected = Dial(0)

  init(_ simulation: Simulation) { self.simulation = simulation }

  var connectionCount: Int { connected.value }

  /// A query of the numbers, one after each pause; the first connections fail after as many numbers as
  /// is said.
  func query(
    _ refetch: StreamedRefetch = .reset,
    every pause: Duration = .milliseconds(10),
    dropping drops: [Int] = [],
    endless: Bool = true
  ) -> Query<[Int]> {
    let (connected, clock) = (connected, simulation.clock)
    return Query<[Int]>.streamed("feed", refetch: refetch, endless: endless) { _ in
      let connection = connected.with { connected in
        connected += 1
        return connected
      }
      let end = connection <= drops.count ? drops[connection - 1] : .max
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: pause)
          let number = count.with { count in
            count += 1
            return count
          }
          guard number <= end else { throw Boom(connection) }
          return 100 * connection + number
        }
      )
    }
  }
}

struct EndlessQueryTests {
  private let simulation = Simulation(seed: 4)
  private let client: QueryClient
  private let feed: Feed
  private let misuses = Notes<QueryMisuse>()

  init() {
    let misuses = misuses
    client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    feed = Feed(simulation)
  }

  /// Observes a query until two numbers are there, at 25 ms.
  private func observed(_ query: Query<[Int]>) -> ResultRecording<QueryResult<[Int]>> {
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(25))
    return recording
  }

  private func end(_ recording: ResultRecording<QueryResult<[Int]>>) {
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
    expectEqual(misuses.all, [])
  }

  // MARK: Calls return at the first part

  @Test func aRefetchReturnsAtTheFirstPart() {
    let query = feed.query()
    let recording = observed(query)
    simulation.run { [client] in await client.refetch(query) }
    expectEqual(simulation.now, .milliseconds(35))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success([101], isFetching: true)),
        at(20, .success([101, 102], isFetching: true)), at(25, .pending(isFetching: true)),
        at(35, .success([201], isFetching: true)),
      ]
    )
    end(recording)
  }

  @Test func dataThatIsReplacedStaysUntilTheFirstPart() {
    let query = feed.query(.replace)
    let recording = observed(query)
    simulation.run { [client] in await client.refetch(query) }
    simulation.advance(by: .milliseconds(10))
    expectEqual(
      recording.timeline.filter { $0.time > .milliseconds(20) },
      [
        at(25, .success([101, 102], isFetching: true)), at(35, .success([201], isFetching: true)),
        at(45, .success([201, 202], isFetching: true)),
      ]
    )
    end(recording)
  }

  @Test func aRefetchThatAppendsReturnsAtTheFirstPart() {
    let query = feed.query(.append)
    let recording = observed(query)
    simulation.run { [client] in await client.refetch(query) }
    expectEqual(simulation.now, .milliseconds(35))
    #expect(recording.summaries.last == .success([101, 102, 201], isFetching: true))
    end(recording)
  }

  @Test func aMutationThatAwaitsTheInvalidationEnds() throws {
    let query = feed.query()
    let recording = observed(query)
    let mutation = Mutation<Int, Int>("write") { input, _ in input }
      .onSuccess { _, context in await context.client.invalidate(query) }
    let output = try simulation.run { [client] in try await client.mutate(mutation, with: 7) }
    expectEqual(output, 7)
    expectEqual(simulation.now, .milliseconds(35))
    #expect(recording.summaries.last == .success([201], isFetching: true))
    expect(!client.isStale(query.staleTime(.minutes(1))))
    end(recording)
  }

  @Test func aResetReturnsAtTheFirstPart() {
    let query = feed.query()
    let recording = observed(query)
    simulation.run { [client] in await client.reset(query) }
    expectEqual(simulation.now, .milliseconds(35))
    #expect(recording.summaries.last == .success([201], isFetching: true))
    end(recording)
  }

  @Test func theRefetchOfAHandleReturnsAtTheFirstPart() throws {
    let query = feed.query()
    let observer = client.observer(of: query)
    simulation.advance(by: .milliseconds(25))
    let result = try simulation.run { try await observer.refetch() }
    expectEqual(simulation.now, .milliseconds(35))
    expectEqual(ResultSummary(result), .success([201], isFetching: true))
    withExtendedLifetime(observer) {}
  }

  @Test func whoJoinsAStreamThatDeliversDoesNotWait() throws {
    let query = feed.query()
    let observer = client.observer(of: query)
    simulation.advance(by: .milliseconds(25))
    try simulation.run { [client] in
      await client.refetch(.query(query), superseding: false)
      await client.invalidate(.query(query), superseding: false)
      _ = try await observer.refetch(superseding: false)
    }
    expectEqual(simulation.now, .milliseconds(25))
    simulation.advance(by: .milliseconds(10))
    expectEqual(observer.result.data, [101, 102, 103])
    expect(!client.isStale(query.staleTime(.minutes(1))))
    expectEqual(feed.connectionCount, 1)
    withExtendedLifetime(observer) {}
  }

  @Test func invalidationsThatComeFasterThanPartsAllReturn() {
    let query = feed.query()
    let recording = observed(query)
    let returned = Notes<Duration>()
    for _ in 0..<10 {
      simulation.task { [client, simulation] in
        await client.invalidate(query)
        returned.add(simulation.now)
      }
      simulation.advance(by: .milliseconds(4))
    }
    simulation.advance(by: .milliseconds(100))
    expectEqual(returned.count, 10)
    expect(!client.isStale(query.staleTime(.minutes(1))))
    end(recording)
  }

  @Test func layersStayUntilTheFirstPartOfANewerStream() throws {
    let query = feed.query(.replace)
    let recording = observed(query)
    let mutation = Mutation<Int, Int>("add") { [clock = simulation.clock] input, _ in
      try await clock.sleep(for: .milliseconds(2))
      return input
    }
    .optimistic { input, changes in changes.update(query) { $0?.append(input) } }
    .onSuccess { _, context in await context.client.invalidate(query) }
    _ = try simulation.run { [client] in try await client.mutate(mutation, with: 7) }
    simulation.settle()
    expectEqual(
      recording.timeline.filter { $0.time > .milliseconds(20) }.map(\.summary.data),
      [
        [101, 102, 7], [101, 102, 7], [201],
      ]
    )
    end(recording)
  }

  // MARK: Callers

  @Test func aCallerGetsTheFirstPartAndTheStreamEndsWithIt() throws {
    let (query, client) = (feed.query().staleTime(.minutes(5)), client)
    try expectEqual(simulation.run { try await client.fetch(query) }, [101])
    simulation.settle()
    expectEqual(simulation.now, .milliseconds(10))
    expect(simulation.isIdle)
    expect(client.isStale(query))
    try expectEqual(simulation.run { try await client.ensure(query) }, [101])
    try expectEqual(simulation.run { try await client.fetch(query) }, [201])
    simulation.run { await client.prefetch(query) }
    expectEqual(client.data(for: query), [301])
  }

  @Test func aCallerWhoseStreamIsCancelledBeforeItsFirstElementGetsTheLastValue() throws {
    let (query, client) = (feed.query(), client)
    try expectEqual(simulation.run { try await client.fetch(query) }, [101])
    let caller = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(5))
    client.cancel(query)
    try expectEqual(simulation.run { try await caller.value }, [101])
    expectEqual(feed.connectionCount, 2)
  }

  @Test func aCallerGetsTheNewestDataOfAStreamThatDelivers() throws {
    let (query, client) = (feed.query(), client)
    let recording = observed(query)
    try expectEqual(simulation.run { try await client.fetch(query) }, [101, 102])
    expectEqual(simulation.now, .milliseconds(25))
    expectEqual(feed.connectionCount, 1)
    end(recording)
  }

  @Test func aCallerThatAsksAfterAnInvalidationGetsANewerStream() throws {
    let (query, client) = (feed.query().staleTime(.minutes(5)), client)
    let recording = observed(query)
    client.markInvalidated(.query(query), refetch: .never)
    try expectEqual(simulation.run { try await client.fetch(query) }, [201])
    expectEqual(simulation.now, .milliseconds(35))
    expect(!client.isStale(query))
    end(recording)
  }

  @Test func anInvalidationBeforeTheFirstPartIsFollowedByANewerStream() throws {
    let (query, client) = (feed.query().staleTime(.minutes(5)), client)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    client.markInvalidated(.query(query), refetch: .never)
    try expectEqual(simulation.run { try await client.fetch(query) }, [201])
    expectEqual(simulation.now, .milliseconds(20))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .pending(isFetching: true)),
        at(20, .success([201], isFetching: true)),
      ]
    )
    expect(!client.isStale(query))
    end(recording)
  }

  @Test func noNewerStreamFollowsAFirstPartThatTurnsTheObserversOff() {
    let query = feed.query(.replace).staleTime(.minutes(5)).enabled { $0.data == nil }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    client.markInvalidated(.query(query))
    simulation.advance(by: .milliseconds(30))
    expectEqual(feed.connectionCount, 1)
    expectEqual(recording.values.last?.isEnabled, false)
    expectEqual(recording.values.last?.data, [101, 102, 103])
    end(recording)
  }

  @Test func aRefetchOfWhatNobodyObservesEndsTheStreamAtItsFirstPart() throws {
    let (query, client) = (feed.query(), client)
    end(observed(query))
    simulation.run { await client.refetch(query) }
    simulation.settle()
    expectEqual(client.data(for: query), [201])
    expect(simulation.isIdle)
  }

  // MARK: Retries

  @Test func retriesCountAnewAfterTheStreamHasDeliveredForLongEnough() {
    let query = feed.query(dropping: Array(repeating: 20, count: 10))
      .retry(RetryPolicy.times(2).backoff(.constant(.milliseconds(50))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    expectEqual(feed.connectionCount, 11)
    #expect(recording.values.allSatisfy { $0.error == nil && $0.failureCount <= 1 })
    expectEqual(recording.values.last?.failureCount, 0)
    end(recording)
  }

  @Test func retriesOfAStreamThatKeepsDroppingAreCountedOn() {
    let query = feed.query(dropping: Array(repeating: 3, count: 10))
      .retry(RetryPolicy.times(2).backoff(.constant(.milliseconds(50))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    expectEqual(feed.connectionCount, 3)
    #expect(recording.summaries.last == .failure(Boom(3), lastGood: [301, 302, 303]))
    end(recording)
  }

  @Test func retriesOfAStreamWithAnEndAreCountedOverTheFetch() {
    let query = feed.query(dropping: Array(repeating: 20, count: 10), endless: false)
      .retry(RetryPolicy.times(2).backoff(.constant(.milliseconds(50))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    expectEqual(feed.connectionCount, 3)
    #expect(recording.values.last?.error as? Boom == Boom(3))
    end(recording)
  }

  @Test func aConnectionThatIsHealthyForHalfAnHourIsNeverGivenUp() {
    let query = feed.query(every: .minutes(1), dropping: Array(repeating: 30, count: 8))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .hours(5))
    expectEqual(feed.connectionCount, 9)
    #expect(recording.values.allSatisfy { $0.error == nil })
    end(recording)
  }

  @Test(
    "the longest wait before a retry",
    arguments: [
      (RetryBackoff.standard, 30), (.constant(.seconds(7)), 7),
      (.custom { _, _ in .seconds(3) }, 30),
      (.exponential(first: .seconds(2), limit: .seconds(90), jitter: 0.5), 90),
      (.exponential(first: .seconds(2), factor: 1), 2), (.exponential(first: .zero), 0),
    ] as [(RetryBackoff, Int)]
  )
  func longestWait(backoff: RetryBackoff, seconds: Int) {
    let pause = Duration.seconds(max(1, seconds)) / 4
    // Three waits at most, or a second: one number more than fills the longest wait.
    for (count, isAnew) in [(5, seconds > 0), (6, true)] {
      let simulation = Simulation(seed: 1)
      let feed = Feed(simulation)
      let client = QueryClient(simulation: simulation)
      let query = feed.query(every: pause, dropping: [count, count])
        .retry(RetryPolicy.times(1).backoff(backoff))
      let recording = simulation.record(client.stream(query))
      simulation.advance(by: .minutes(10))
      // The drop comes one pause after the last number.
      expectEqual(feed.connectionCount == 3, isAnew || seconds == 0)
      recording.cancel()
      simulation.settle()
    }
  }

  @Test func whatACallerStartedIsRetriedForItsObservers() throws {
    let (query, client) = (feed.query(dropping: [3]), client)
    let caller = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(5))
    let recording = simulation.record(client.stream(query))
    try expectEqual(simulation.run { try await caller.value }, [101])
    simulation.advance(by: .seconds(2))
    expectEqual(feed.connectionCount, 2)
    expectEqual(recording.values.last?.data?.first, 201)
    end(recording)
  }

  @Test func aRetryOfWhatIsCollectedGoesOnCollecting() {
    let query = feed.query(.append, dropping: [2]).retry(.backoff(.constant(.milliseconds(5))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(60))
    expectEqual(recording.values.last?.data, [101, 102, 201, 202])
    end(recording)
  }

  @Test func aRetryThatBringsNothingLeavesWhatIsCollected() {
    let connected = Dial(0)
    let query = Query<[Int]>.streamed("feed", refetch: .append, endless: true) { _ in
      let connection = connected.with { connected in
        connected += 1
        return connected
      }
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          // The second connection ends without an element.
          guard connection == 1 else { return nil }
          let number = count.with { count in
            count += 1
            return count
          }
          guard number <= 2 else { throw Boom(connection) }
          return number
        }
      )
    }
    .retry(.backoff(.constant(.milliseconds(5))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(60))
    expectEqual(connected.value, 2)
    #expect(recording.summaries.last == .success([1, 2]))
    end(recording)
  }

  @Test func aLaterAttemptThatHangsRunsOutOfTime() {
    let (connected, clock) = (Dial(0), simulation.clock)
    let query = Query<[Int]>.streamed("feed", endless: true) { _ in
      connected.with { $0 += 1 }
      let (connection, count) = (connected.value, Dial(0))
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          count.with { $0 += 1 }
          try await clock.sleep(for: connection == 2 ? .hours(1) : .milliseconds(10))
          if connection == 1, count.value == 2 { throw Boom(1) }
          return connection
        }
      )
    }
    .timeout(.milliseconds(100))
    .retry(RetryPolicy.times(3).backoff(.constant(.milliseconds(50))))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(400))
    expectEqual(connected.value, 3)
    expectEqual(recording.values.last?.data?.first, 3)
    end(recording)
  }

  @Test func pollsThatDeliverAreNotCountedAsFailuresInARow() {
    let query = feed.query(dropping: Array(repeating: 1, count: 10)).retry(.never)
      .refetchInterval(.every(.seconds(1)).backingOff())
    let recording = simulation.record(client.stream(query))
    func count() -> [Int] { client.diagnostics(.query(query)).map(\.pollFailureCount) }
    simulation.advance(by: .milliseconds(1_045))
    expectEqual(count(), [1])
    simulation.advance(by: .milliseconds(2_010))
    expectEqual(feed.connectionCount, 3)
    expectEqual(count(), [0])
    simulation.advance(by: .milliseconds(10))
    expectEqual(count(), [1])
    // At 5.06 and 7.08 seconds: the interval is not doubled again.
    simulation.advance(by: .milliseconds(4_935))
    expectEqual(feed.connectionCount, 5)
    end(recording)
  }

  @Test func aStreamThatLingersForNobodyEndsInTime() {
    let recording = observed(feed.query().onAbandonment(.linger(.milliseconds(50))))
    recording.cancel()
    simulation.advance(by: .milliseconds(40))
    expectEqual(client.fetchingCount(), 1)
    simulation.advance(by: .milliseconds(20))
    expectEqual(client.fetchingCount(), 0)
    end(recording)
  }

  // MARK: Stores

  @Test func partsOfAnEndlessStreamAreKeptWhileItDelivers() {
    let store = MemoryStore()
    let query = feed.query(every: .seconds(1)).persisted(in: store)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(30))
    let other = QueryClient(simulation: simulation)
    let later = simulation.record(other.stream(query.enabled(false)))
    simulation.settle()
    expectEqual(later.values.last?.data?.first, 101)
    later.cancel()
    recording.cancel()
    simulation.settle()
    other.shutDown()
    client.shutDown()
    simulation.settle()
  }

  // MARK: Streams that were not declared

  @Test func anAwaitedStreamThatDoesNotEndIsReportedOnce() {
    let query = feed.query(every: .seconds(30), endless: false)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .minutes(4))
    let caller = simulation.task { [client] in await client.refetch(query) }
    simulation.advance(by: .minutes(5))
    expectEqual(misuses.all, [])
    simulation.advance(by: .minutes(20))
    expectEqual(misuses.all, [.endlessStreamAwaited(key: #"["feed"]"#)])
    expectEqual(misuses.all.first?.description.contains("endless: true"), true)
    caller.cancel()
    recording.cancel()
    simulation.settle()
  }

  @Test func soIsOneWhoseDataIsToBeReplacedAtTheEnd() {
    let query = feed.query(.replace, every: .seconds(30), endless: false)
      .initialData([0], updatedAt: .distantPast)
    let caller = simulation.task { [client] in await client.prefetch(query) }
    simulation.advance(by: .minutes(20))
    expectEqual(misuses.all, [.endlessStreamAwaited(key: #"["feed"]"#)])
    caller.cancel()
    simulation.settle()
  }

  @Test func aStreamThatIsOnlyObservedIsNotReported() {
    let query = feed.query(every: .seconds(30), endless: false)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .minutes(20))
    end(recording)
  }
}
