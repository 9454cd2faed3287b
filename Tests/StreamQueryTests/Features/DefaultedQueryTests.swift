import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Queries that always have data to show.
struct DefaultedQueryTests {
  private struct Refused: Error {}

  private let simulation = Simulation(seed: 19)
  private let client: QueryClient
  private let fetch = ScriptedFetch<[Int]>(.value([1], after: .seconds(1)))
  private let failure = ScriptedFetch<[Int]>(.failure(Refused(), after: .seconds(1)))

  init() {
    client = QueryClient(simulation: simulation)
  }

  private var numbers: DefaultedQuery<[Int]> {
    Query(key: "numbers", fetch: fetch).defaulting(to: [0])
  }

  private var failing: DefaultedQuery<[Int]> {
    Query(key: "failing", fetch: failure).retry(0).defaulting(to: [0])
  }

  /// What is shown: the data, whether it is the default, and what the query says besides.
  private func line(_ result: DefaultedResult<[Int]>) -> String {
    let origin = result.isDefault ? "default" : "data"
    return "\(origin) \(result.data) \(result.status) \(result.fetchStatus)"
  }

  private var observed: [String] {
    ["default [0] pending fetching", "data [1] success idle"]
  }

  @Test func aStreamShowsTheDefaultUntilThereIsData() {
    let recording = simulation.record(client.stream(numbers))
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.map(line), observed)
    recording.cancel()
  }

  @Test func aSequenceShowsTheDefaultUntilThereIsData() {
    let recording = simulation.record(client.results(of: numbers))
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.map(line), observed)
    recording.cancel()
  }

  @Test func anObserverWithOptionsOfItsOwnShowsTheDefaultToo() {
    let options = ObserverOptions(enabled: false)
    let stream = simulation.record(client.stream(numbers, options: options))
    let sequence = simulation.record(client.results(of: numbers, options: options))
    simulation.advance(by: .seconds(2))
    expectEqual(stream.values.map(line), ["default [0] pending idle"])
    expectEqual(sequence.values.map(line), ["default [0] pending idle"])
    stream.cancel()
    sequence.cancel()
  }

  @Test func streamsAndSequencesEndWithTheClient() {
    let stream = simulation.record(client.stream(numbers))
    let sequence = simulation.record(client.results(of: numbers))
    simulation.settle()
    client.shutDown()
    simulation.settle()
    expect(stream.isFinished)
    expect(sequence.isFinished)
  }

  @Test func theDefaultStaysBesideTheErrorOfTheFirstFetch() {
    let recording = simulation.record(client.stream(failing))
    simulation.advance(by: .seconds(2))
    let lines = ["default [0] pending fetching", "default [0] error idle"]
    expectEqual(recording.values.map(line), lines)
    #expect(recording.values.last?.error is Refused)
    recording.cancel()
  }

  @Test func aFetchReturnsTheValueAndThrowsInsteadOfReturningTheDefault() throws {
    let (value, ensured) = try simulation.run { [client, numbers] in
      (try await client.fetch(numbers), try await client.ensure(numbers))
    }
    expectEqual(value, [1])
    expectEqual(ensured, [1])
    simulation.run { [client, failing] in
      await #expect(throws: Refused.self) { try await client.fetch(failing) }
      await client.prefetch(failing)
    }
    expectEqual(client.data(for: failing), [0])
  }

  @Test func theDefaultIsNeverCached() {
    expectEqual(client.data(for: numbers), [0])
    expectEqual(line(client.result(for: numbers)), "default [0] pending fetching")
    expectNil(client.data(for: numbers.query))
    expectEmpty(client.diagnostics())
    simulation.run { [client, numbers] in await client.prefetch(numbers) }
    expectEqual(line(client.result(for: numbers)), "data [1] success fetching")
    expectEqual(client.data(for: numbers.query), [1])
  }

  @Test func writtenDataIsNoDefaultEvenIfItIsEqual() {
    client.setData([0], for: numbers)
    expect(!client.result(for: numbers).isDefault)
    expectEqual(client.data(for: numbers.key), [0])
  }

  @Test func anUpdateBeginsWithTheDefault() {
    expectEqual(client.updateData(for: numbers) { $0.append(5) }, [0, 5])
    expectEqual(client.updateData(for: numbers) { $0.append(6) }, [0, 5, 6])
    expectEqual(client.data(for: numbers.query), [0, 5, 6])
  }

  @Test func anUpdateThatThrowsWritesNothing() {
    #expect(throws: Refused.self) {
      try client.updateData(for: numbers) { (value: inout [Int]) throws(Refused) in
        value = [9]
        throw Refused()
      }
    }
    expectNil(client.data(for: numbers.query))
  }

  @Test func aWriteMayFenceAFetchOut() {
    let recording = simulation.record(client.stream(numbers))
    simulation.settle()
    client.updateData(for: numbers, fencing: true) { $0 = [7] }
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.last.map(line), "data [7] success idle")
    recording.cancel()
  }

  @Test func anInvalidationRefetchesWhatIsObserved() {
    let recording = simulation.record(client.stream(numbers))
    simulation.advance(by: .seconds(2))
    simulation.run { [client, numbers] in await client.invalidate(numbers) }
    expectEqual(fetch.callCount, 2)
    recording.cancel()
  }

  @Test func aResetShowsTheDefaultAgain() {
    client.setData([3], for: numbers)
    simulation.run { [client, numbers] in await client.reset(numbers.query) }
    #expect(line(client.result(for: numbers)).hasPrefix("default [0]"))
  }

  @Test func whatAStoreKeepsReplacesTheDefaultAndTheDefaultIsNotKept() throws {
    let store = MemoryStore()
    let kept = numbers.query.staleTime(.hours(1)).persisted(in: store).defaulting(to: [0])
    _ = client.data(for: kept)
    simulation.settle()
    try simulation.run { [client] in try await client.save() }
    expectEmpty(store.load(.main).records)
    client.setData([4], for: kept)
    try simulation.run { [client] in try await client.save() }
    client.shutDown()

    let next = QueryClient(simulation: simulation)
    let first = next.result(for: kept)
    expect(first.isDefault && first.isRestoring)
    // The store has been read, whatever came first.
    _ = next.data(for: kept)
    simulation.settle()
    let recording = simulation.record(next.stream(kept))
    simulation.advance(by: .seconds(5))
    expectEqual(recording.values.map(line), ["data [4] success idle"])
    recording.cancel()
    next.shutDown()
  }

  @Test func anUpdateOfTheDefaultDoesNotTakeThePlaceOfWhatAStoreKeeps() throws {
    let store = MemoryStore()
    let kept = Query(key: "kept", fetch: fetch).persisted(in: store).staleTime(.hours(1))
      .defaulting(to: [0])
    try simulation.run {
      let first = QueryClient(simulation: simulation)
      first.setData([1, 2], for: kept)
      try await first.save()
      first.shutDown()
    }
    let client = QueryClient(simulation: simulation)
    expectNil(client.updateData(for: kept) { $0.append(3) })
    expectEqual(client.data(for: kept), [0])
    simulation.settle()
    expectEqual(client.data(for: kept), [1, 2, 3])
    expectEqual(client.updateData(for: kept) { $0.append(4) }, [1, 2, 3, 4])
    try simulation.run {
      try await client.save()
      client.shutDown()
      let last = QueryClient(simulation: simulation)
      _ = try await last.ensure(kept)
      expectEqual(last.data(for: kept), [1, 2, 3, 4])
      last.shutDown()
    }
  }

  @Test func whatBeganWithTheDefaultIsFetchedByTheNextObserver() {
    let quiet = Query(key: "numbers", fetch: fetch).staleTime(.hours(1)).defaulting(to: [0])
    expectEqual(client.updateData(for: quiet) { $0.append(5) }, [0, 5])
    expect(client.isStale(quiet))
    let recording = simulation.record(client.stream(quiet))
    simulation.advance(by: .seconds(2))
    let lines = ["data [0, 5] success fetching", "data [1] success idle"]
    expectEqual(recording.values.map(line), lines)
    client.updateData(for: quiet) { $0.append(6) }
    expect(!client.isStale(quiet))
    recording.cancel()
  }

  @Test func whatBeganWithTheDefaultIsFetchedByAnObserverThatHearsOfIt() {
    let quiet = Query(key: "numbers", fetch: fetch).staleTime(.hours(1)).defaulting(to: [0])
    let held = Dial<AsyncStream<DefaultedResult<[Int]>>?>(nil)
    let client = Dial<QueryClient?>(nil)
    client.value = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        guard case .written = event.kind, let client = client.value else { return }
        held.value = client.stream(quiet)
      }
    }
    client.value?.updateData(for: quiet) { $0.append(5) }
    simulation.advance(by: .seconds(2))
    expectEqual(fetch.callCount, 1)
    expectEqual(client.value?.data(for: quiet), [1])
    held.value = nil
    client.value = nil
  }

  @Test func theOtherCallsTakeAQueryWithADefaultToo() throws {
    let fetched = try simulation.run {
      try await client.fetch(numbers, timeout: .seconds(5))
    }
    expectEqual(fetched, [1])
    simulation.run {
      await client.refetch(numbers)
      expectEqual(fetch.callCount, 2)
      await client.reset(numbers)
      client.cancel(numbers)
      expectEqual(client.data(for: numbers), [0])
      client.setData([7], for: numbers)
      client.remove(numbers)
      expect(client.data(for: numbers) == [0] && client.isStale(numbers))
    }
  }
}
