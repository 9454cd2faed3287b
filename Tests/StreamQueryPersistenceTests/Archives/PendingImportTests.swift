import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fetches that wait for archives to come.
struct PendingImportTests {
  private struct Broken: Error {}

  private let simulation = Simulation(seed: 98)
  private let server: QueryClient
  private let client: QueryClient
  private let fetch = ScriptedFetch<String>(.value("own", after: .seconds(1)))
  private let key: QueryKey<String> = "name"

  init() {
    server = QueryClient(simulation: simulation)
    client = QueryClient(simulation: simulation)
  }

  private var query: Query<String> { Query(key: key, fetch: fetch) }

  /// The server begins a fetch that takes ten seconds.
  private func beginOnServer(_ step: ScriptedFetch<String>.Step? = nil) {
    let query = Query(
      key: key,
      fetch: ScriptedFetch(step ?? .value("theirs", after: .seconds(10)))
    )
    _ = simulation.task { [server] in await server.prefetch(query.retry(0)) }
    simulation.settle()
  }

  private func receive() -> Task<ArchiveImport, Never> {
    let task = simulation.task { [client, server] in
      await client.import(contentsOf: server.exportStream().map { $0.archive })
    }
    simulation.settle()
    return task
  }

  /// An import of archives that the test gives one by one.
  private func receive(
    _ archives: AsyncThrowingStream<CacheArchive, any Error>
  ) -> Task<ArchiveImport, any Error> {
    let task: Task<ArchiveImport, any Error> = simulation.task { [client] in
      try await client.import(contentsOf: archives)
    }
    simulation.settle()
    return task
  }

  private var first: CacheArchive { CacheArchive(pending: [#"Swift.String["name"]"#]) }

  private func archive(_ value: String, age: Double = 0, pending: [String] = []) -> CacheArchive {
    let entry = CacheArchive.Entry(
      key: #"Swift.String["name"]"#,
      value: .init(value.utf8),
      updatedAt: simulation.date.addingTimeInterval(-age)
    )
    return CacheArchive(entries: [entry], pending: pending)
  }

  private let waiting = [ResultSummary<String>.pending(isFetching: true)]

  @Test func aFetchWaitsForTheArchiveThatBringsItsData() {
    beginOnServer()
    let report = receive()
    let recording = simulation.record(client.stream(query))
    let caller = simulation.task { [client, query] in try await client.fetch(query) }
    simulation.advance(by: .seconds(9))
    #expect(recording.summaries == waiting)
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("theirs")])
    expectEqual(fetch.callCount, 0)
    let value = simulation.run { try? await caller.value }
    let count = simulation.run { await report.value.entryCount }
    expectEqual(value, "theirs")
    expectEqual(count, 1)
    recording.cancel()
  }

  @Test func theDataKeepsItsAge() {
    let (archives, input) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
    _ = receive(archives)
    input.yield(first)
    simulation.settle()
    let recording = simulation.record(client.stream(query.staleTime(.minutes(1))))
    simulation.settle()
    input.yield(archive(#""old""#, age: 50))
    simulation.advance(by: .seconds(9))
    expect(!client.isStale(query.staleTime(.minutes(1))))
    simulation.advance(by: .seconds(1))
    expect(client.isStale(query.staleTime(.minutes(1))))
    expectEqual(recording.summaries.map(\.data).last, "old")
    recording.cancel()
  }

  @Test func aReceiverThatHasOnlyTheFirstArchiveFetches() {
    client.import(first)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("own")])
    recording.cancel()
  }

  @Test func aFetchGoesOnByItselfIfTheServerFails() {
    beginOnServer(.failure(Broken(), after: .seconds(10)))
    _ = receive()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    #expect(recording.summaries == waiting)
    expectEqual(fetch.callCount, 1)
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("own")])
    recording.cancel()
  }

  /// Each way in which archives bring nothing.
  private enum Letdown: CaseIterable {
    case end, failure, cancellation, unnamed, undecodable
  }

  @Test func aFetchGoesOnByItselfIfTheArchivesEndFailOrBringNothing() {
    for letdown in Letdown.allCases {
      let (archives, input) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
      let task = receive(archives)
      input.yield(first)
      simulation.settle()
      let recording = simulation.record(client.stream(query))
      simulation.advance(by: .seconds(20))
      #expect(recording.summaries == waiting, "\(letdown)")
      switch letdown {
      case .end: input.finish()
      case .failure: input.finish(throwing: Broken())
      case .cancellation: task.cancel()
      case .unnamed: input.yield(CacheArchive())
      case .undecodable: input.yield(archive("no JSON", pending: []))
      }
      simulation.advance(by: .seconds(1))
      #expect(recording.summaries == waiting + [.success("own")], "\(letdown)")
      if letdown == .failure {
        simulation.run { _ = await #expect(throws: Broken.self) { try await task.value } }
      }
      recording.cancel()
      input.finish()
      simulation.settle()
      client.clear()
    }
    expectEqual(fetch.callCount, Letdown.allCases.count)
  }

  @Test func aFetchGoesOnByItselfIfTheDataIsNotNewer() {
    let (archives, input) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
    _ = receive(archives)
    input.yield(first)
    simulation.settle()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.setData("mine", for: key)
    input.yield(archive(#""old""#, age: 50))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries.map(\.data), [nil, "mine", "own"])
    recording.cancel()
  }

  @Test func aWaitThatIsCancelledIsOverAtOnceAndTheDataIsFilledInLater() {
    beginOnServer()
    _ = receive()
    let caller = simulation.task { [client, query] in try await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(client.result(for: query).fetchStatus, .fetching)
    caller.cancel()
    simulation.settle()
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await caller.value } }
    expectEqual(simulation.now, .seconds(1))
    #expect(client.diagnostics().allSatisfy { $0.fetchStatus == .idle })
    simulation.advance(by: .seconds(9))
    expectEqual(client.data(for: key), "theirs")
    expectEqual(fetch.callCount, 0)
    // Later fetches take no lock.
    expect(!client.mayAwaitImports)
  }

  @Test func aTimeLimitCountsTheWait() {
    beginOnServer()
    _ = receive()
    simulation.run { [client, query, simulation] in
      await #expect(throws: QueryError.self) {
        try await client.fetch(query, timeout: .seconds(3))
      }
      expectEqual(simulation.now, .seconds(3))
    }
  }

  @Test func aFetchThatHasBegunIsNotHeldUpAndEndsAsItWould() {
    beginOnServer(.value("theirs", after: .milliseconds(500)))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    _ = receive()
    simulation.advance(by: .seconds(1))
    #expect(
      recording.summaries == waiting + [.success("theirs", isFetching: true), .success("own")]
    )
    recording.cancel()
  }

  @Test func otherKeysAreFetchedAsUsual() {
    beginOnServer()
    _ = receive()
    let other = Query(key: "other" as QueryKey<String>, fetch: fetch)
    let recording = simulation.record(client.stream(other))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("own")])
    recording.cancel()
  }

  @Test func aKeyThatTwoImportsBringIsWaitedForUntilOneBringsIt() {
    let (one, input) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
    let (two, otherInput) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
    _ = receive(one)
    _ = receive(two)
    input.yield(first)
    otherInput.yield(first)
    simulation.settle()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    input.finish()
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == waiting)
    otherInput.yield(archive(#""theirs""#))
    otherInput.finish()
    simulation.settle()
    #expect(recording.summaries == waiting + [.success("theirs")])
    expectEqual(fetch.callCount, 0)
    recording.cancel()
  }

  @Test func theReportsOfAllArchivesAreOne() {
    server.setData("done", for: "a" as QueryKey<String>)
    server.setData(3, for: "b" as QueryKey<Int>)
    beginOnServer()
    let task = simulation.task { [client, server] in
      await client.import(
        contentsOf: server.exportStream().map { $0.archive },
        for: [.values(of: String.self)]
      )
    }
    simulation.advance(by: .seconds(10))
    let report = simulation.run { await task.value }
    expectEqual(report.entryCount, 2)
    expectEqual(report.refusals, [#"Swift.Int["b"]: unknown"#])
    expectEqual(client.data(for: key), "theirs")
  }

  @Test func whatIsSeenIsInTheReportAlready() {
    let reported = Mutex(0)
    let seen = Mutex<[Int]>([])
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        if case .written = event.kind { seen.withLock { $0.append(reported.withLock { $0 }) } }
      }
    }
    let number = client.transaction { state, _ in
      state.beginImport(SharedOneShot<Void>(), limit: .zero)
    }
    let part = ImportPart(number: number ?? 0, left: []) { report in
      reported.withLock { $0 += report.entryCount }
    }
    let catalog = ArchiveCatalog([.values(of: String.self)])
    var names = KnownNames()
    let archive = archive(#""theirs""#)
    _ = client.fill(archive, catalog, &names, coding: .json, resuming: true, as: part)
    expectEqual(seen.withLock { $0 }, [1])
  }

  @Test func aShutDownEndsTheWait() {
    beginOnServer()
    _ = receive()
    let caller = simulation.task { [client, query] in try await client.fetch(query) }
    simulation.settle()
    client.shutDown()
    simulation.settle()
    simulation.run { _ = await #expect(throws: (any Error).self) { try await caller.value } }
    expectEqual(simulation.now, .zero)
  }
}
