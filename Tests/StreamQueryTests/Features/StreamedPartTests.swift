import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// A part of a streamed value is shown, and is never taken for the whole.
struct StreamedPartTests {
  private let simulation = Simulation(seed: 4)
  private let client: QueryClient
  private let calls = Dial(0)

  init() {
    client = QueryClient(simulation: simulation)
  }

  /// One, two and three, after ten milliseconds each; the attempts that are named fail instead of the
  /// second.
  private func query(
    _ refetch: StreamedRefetch = .reset,
    failing: Set<Int> = []
  ) -> Query<[Int]> {
    let (calls, clock) = (calls, simulation.clock)
    return Query<[Int]>.streamed("n", refetch: refetch) { _ in
      let call = calls.with { calls in
        calls += 1
        return calls
      }
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          let number = count.with { count in
            count += 1
            return count
          }
          guard number <= 3 else { return nil }
          try await clock.sleep(for: .milliseconds(10))
          if number == 2, failing.contains(call) { throw Boom(call) }
          return number
        }
      )
    }
    .staleTime(.minutes(5)).retry(.never)
  }

  /// Observes the query until its first part is there, and leaves.
  private func leaveAfterOnePart(_ query: Query<[Int]>, _ client: QueryClient) {
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    recording.cancel()
    simulation.settle()
    expectEqual(client.data(for: query), [1])
  }

  // MARK: While it arrives

  @Test func aCallerOfFetchWaitsForTheWhole() throws {
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let client = client
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(simulation.now, .milliseconds(30))
    expectEqual(calls.value, 1)
    recording.cancel()
  }

  @Test func aCallerWithATimeoutGetsNoPart() {
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let client = client
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(query, timeout: .milliseconds(10)) }
    }
    expectEqual(simulation.now, .milliseconds(25))
    recording.cancel()
  }

  @Test func aPrefetchIsOverWhenTheWholeIsThere() {
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let client = client
    simulation.run { await client.prefetch(query) }
    expectEqual(simulation.now, .milliseconds(30))
    recording.cancel()
  }

  @Test func ensureWaitsForTheWhole() throws {
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let client = client
    try expectEqual(simulation.run { try await client.ensure(query) }, [1, 2, 3])
    expectEqual(simulation.now, .milliseconds(30))
    recording.cancel()
  }

  @Test func aPartIsNotServedInsteadOfAnError() {
    let query = query(failing: [1]).staleIfError(.hours(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let client = client
    #expect(throws: Boom(1)) { try simulation.run { try await client.fetch(query) } }
    recording.cancel()
  }

  @Test func readersWithoutTheLockDoNotTakeAPartForTheWhole() throws {
    let client = QueryClient(simulation: simulation) { $0.readShards = 4 }
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    for _ in 0..<3 { expectEqual(client.data(for: query), [1]) }
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    recording.cancel()
    simulation.settle()
    client.shutDown()
  }

  @Test func aCallerWhoseStreamIsCancelledGetsNoPart() {
    let (query, client) = (query(), client)
    let caller = simulation.task { try await client.fetch(query) }
    simulation.advance(by: .milliseconds(15))
    client.cancel(query)
    #expect(throws: CancellationError.self) { try simulation.run { try await caller.value } }
    expectEqual(client.data(for: query), [1])
    expect(client.isStale(query))
  }

  @Test func aPartOfACancelledStreamIsNotRefreshed() {
    let client = QueryClient(simulation: simulation)
    let query = query()
    client.setData([0], for: query, updatedAt: .distantPast)
    let refresh = simulation.task {
      await client.refetchStale([AnyQuery(query)], within: .seconds(1))
    }
    simulation.advance(by: .milliseconds(15))
    expectEqual(client.data(for: query), [1])
    client.cancel(query)
    let result = simulation.run { await refresh.value }
    expectEmpty(result.refreshed)
    expectEqual(result.remaining, [query.key.erased])
  }

  // MARK: When it was left

  @Test func aStreamThatWasLeftIsCompletedByTheNextObserver() {
    let query = query()
    leaveAfterOnePart(query, client)
    expect(client.isStale(query))
    let recording = simulation.record(client.stream(query.refetchOnSubscribe(.never)))
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(15, .pending(isFetching: true)), at(25, .success([1], isFetching: true)),
        at(35, .success([1, 2], isFetching: true)), at(45, .success([1, 2, 3])),
      ]
    )
    recording.cancel()
  }

  @Test func aStreamThatWasLeftIsCompletedByTheNextCaller() throws {
    let (query, client) = (query(), client)
    leaveAfterOnePart(query, client)
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(calls.value, 2)
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(calls.value, 2)
  }

  @Test func ensureCompletesAStreamThatWasLeft() throws {
    let (query, client) = (query(), client)
    leaveAfterOnePart(query, client)
    try expectEqual(simulation.run { try await client.ensure(query) }, [1, 2, 3])
  }

  @Test func evenStaticDataIsCompleted() throws {
    let (query, client) = (query().staleTime(.static), client)
    leaveAfterOnePart(query, client)
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(calls.value, 2)
  }

  @Test func aCancelledStreamIsStaleForThoseWhoObserveIt() {
    let query = query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    expectEqual(recording.values.map(\.isStale), [true, false])
    client.cancel(query)
    simulation.advance(by: .milliseconds(50))
    expectEqual(recording.values.map(\.isStale), [true, false, true])
    expectEqual(recording.values.last?.data, [1])
    recording.cancel()
  }

  @Test func aCancelledResetBringsTheWholeBack() throws {
    let (query, client) = (query(), client)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { await client.refetch(query) }
    simulation.advance(by: .milliseconds(5))
    client.cancel(query)
    simulation.settle()
    expect(!client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(calls.value, 2)
    recording.cancel()
  }

  @Test func aFailedStreamIsCompletedEvenIfFailuresInvalidateNothing() throws {
    let client = QueryClient(simulation: simulation) { $0.failureInvalidates = false }
    let query = query(failing: [1])
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    #expect(recording.timeline.last == at(20, .failure(Boom(1), lastGood: [1])))
    expectEqual(recording.values.last?.isStale, true)
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
    expectEqual(recording.values.last?.isStale, false)
    recording.cancel()
  }

  @Test func aWriteTakesThePlaceOfAPartAndIsWhole() throws {
    let (query, client) = (query(), client)
    leaveAfterOnePart(query, client)
    client.setData([7], for: query)
    expect(!client.isStale(query))
    try expectEqual(simulation.run { try await client.fetch(query) }, [7])
    expectEqual(calls.value, 1)
  }

  @Test func aWriteIntoAStreamLeavesItAPart() throws {
    let (query, client) = (query(), client)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    client.updateData(for: query) { $0?.append(7) }
    recording.cancel()
    simulation.settle()
    expectEqual(client.data(for: query), [1, 7])
    try expectEqual(simulation.run { try await client.fetch(query) }, [1, 2, 3])
  }

  // MARK: Elsewhere

  @Test func anExportSaysThatAPartIsNotTheWhole() throws {
    let (query, client) = (query(), client)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    let during = client.export().archive
    recording.cancel()
    simulation.settle()
    let after = client.export().archive
    for archive in [during, after] {
      expectEqual(archive.entries.map(\.isInvalidated), [true])
      let other = QueryClient(simulation: simulation)
      other.import(archive, for: [.values(of: [Int].self)])
      expectEqual(other.data(for: query), [1])
      let later = simulation.record(other.stream(query))
      simulation.advance(by: .milliseconds(50))
      expectEqual(later.values.last?.data, [1, 2, 3])
      expectEqual(other.export().archive.entries.map(\.isInvalidated), [false])
      later.cancel()
      simulation.settle()
    }
  }

  @Test("an archive that comes before the first element is shown until that takes its place")
  func anArchiveBeforeTheFirstElement() throws {
    let (query, client, other) = (query(), client, QueryClient(simulation: simulation))
    other.setData([7, 8], for: query)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    client.import(other.export().archive, for: [.values(of: [Int].self)])
    expectEqual(client.data(for: query), [7, 8])
    simulation.advance(by: .milliseconds(50))
    expectEqual(recording.values.compactMap(\.data), [[7, 8], [1], [1, 2], [1, 2, 3]])
  }

  @Test("an archive does not take the place of elements that are arriving")
  func anArchiveBetweenElements() throws {
    let (query, client, other) = (query(), client, QueryClient(simulation: simulation))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    other.setData([7, 8], for: query)
    let report = client.import(other.export().archive, for: [.values(of: [Int].self)])
    expectEqual(report.entryCount, 0)
    simulation.advance(by: .milliseconds(50))
    expectEqual(recording.values.compactMap(\.data), [[1], [1, 2], [1, 2, 3]])
  }

  @Test("an archive that is older than what a refetch hides is left out")
  func anArchiveBehindAReset() throws {
    let (query, client, other) = (query(), client, QueryClient(simulation: simulation))
    other.setData([7, 8], for: query)
    simulation.advance(by: .seconds(1))
    _ = try simulation.run { try await client.fetch(query) }
    simulation.task { _ = try? await client.fetch(query.staleTime(.zero)) }
    simulation.advance(by: .milliseconds(5))
    expectNil(client.data(for: query))
    let report = client.import(other.export().archive, for: [.values(of: [Int].self)])
    expectEqual(report.entryCount, 0)
    client.cancel(query)
    expectEqual(client.data(for: query), [1, 2, 3])
  }

  @Test("an archive that is older than what a refetch hid before it failed is stale")
  func anArchiveAfterAFailedReset() throws {
    let (query, client) = (query(), client)
    let other = QueryClient(simulation: simulation)
    other.setData([7, 8], for: query)
    simulation.advance(by: .seconds(1))
    _ = try simulation.run { try await client.fetch(query) }
    let failing = Query<[Int]>.streamed("n") { _ in
      AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Boom(1)) }
    }.retry(.never)
    simulation.run { _ = try? await client.fetch(failing) }
    expectNil(client.data(for: query))
    client.import(other.export().archive, for: [.values(of: [Int].self)])
    expectEqual(client.data(for: query), [7, 8])
    expect(client.isStale(query))
  }

  @Test func aStoreSaysThatAPartIsNotTheWhole() throws {
    let store = MemoryStore()
    let query = query().persisted(in: store)
    let former = QueryClient(simulation: simulation)
    simulation.settle()
    leaveAfterOnePart(query, former)
    simulation.advance(by: .seconds(10))
    former.shutDown()
    simulation.settle()
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.compactMap(\.data).first, [1])
    expectEqual(recording.values.last?.data, [1, 2, 3])
    expectEqual(recording.values.last?.isStale, false)
    recording.cancel()
    simulation.settle()
    client.shutDown()
    simulation.settle()
  }

  // MARK: Initial data

  @Test func aFirstLoadOverInitialDataShowsIt() {
    let query = query().initialData([0], updatedAt: .distantPast)
    expectEqual(ResultSummary(client.result(for: query)), .success([0], isFetching: true))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .success([0], isFetching: true)), at(10, .success([1], isFetching: true)),
        at(20, .success([1, 2], isFetching: true)), at(30, .success([1, 2, 3])),
      ]
    )
    recording.cancel()
  }

  @Test func aFailedFirstLoadKeepsInitialData() {
    let clock = simulation.clock
    let query = Query<[Int]>.streamed("n") { _ -> AsyncStream<Int> in
      try await clock.sleep(for: .milliseconds(10))
      throw Boom(1)
    }
    .retry(.never).initialData([0], updatedAt: .distantPast)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(20))
    client.markInvalidated(.query(query))
    simulation.advance(by: .milliseconds(30))
    #expect(
      recording.timeline == [
        at(0, .success([0], isFetching: true)), at(10, .failure(Boom(1), lastGood: [0])),
        at(20, .failure(Boom(1), lastGood: [0], .fetching)),
        at(30, .failure(Boom(1), lastGood: [0])),
      ]
    )
    recording.cancel()
  }
}
