import StreamQuery
import StreamQueryTesting
import Testing

/// Law 7: fetches that are restarted because a mutation changed the truth.
struct RestartedFetchTests {
  let simulation = Simulation(seed: 5)

  @Test func aPartFromBeforeTheSuccessDoesNotLand() {
    let client = QueryClient(simulation: simulation)
    let list = QueryKey<[Int]>("list")
    let server = Dial([1])
    let query = Query<[Int]>.streamed("list", refetch: .replace) { _ in
      let truth = server.value
      return Timed(elements: truth, gap: .milliseconds(20))
    }
    let recording = simulation.record(client.stream(query))
    let mutation = Mutation<Int, Int>("add") { input in
      try await Scheduling.current.clock.sleep(for: .milliseconds(5))
      server.with { $0 = [9] }
      return input
    }
    .optimistic { _, changes in changes.update(list) { $0 = [9] } }
    .onSuccess { _, context in
      context.client.setData([9], for: list)
      try await Scheduling.current.clock.sleep(for: .milliseconds(100))
    }
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .milliseconds(6))
    let before = recording.values.count
    expectEqual(client.data(for: list), [9])
    simulation.advance(by: .seconds(1))
    #expect(recording.values.dropFirst(before).allSatisfy { $0.data == [9] })
    expectEqual(client.data(for: list), [9])
  }

  @Test func aRestartedFetchOfSeveralPagesLoadsAsMany() throws {
    let client = QueryClient(simulation: simulation)
    let server = PageServer(last: 9)
    let query = server.query()
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    let pages: Task<Pages<String, Int>, any Error> = simulation.task {
      try await client.fetch(query, pages: 3)
    }
    simulation.advance(by: .milliseconds(5))
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query)?.count, 3)
    withExtendedLifetime(pages) {}
  }

  @Test func aRestartedFetchRetriesAsItsCallerAsked() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(0, after: .milliseconds(10), ignoringCancellation: true),
      .failure(Boom(1), after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch)
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    let outcome = Notes<String>()
    simulation.task {
      do { outcome.add("\(try await client.fetch(query))") } catch { outcome.add("\(error)") }
    }
    simulation.advance(by: .milliseconds(5))
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .milliseconds(50))
    expectEqual(outcome.all, ["boom 1"])
    expectEqual(fetch.callCount, 2)
  }

  @Test(arguments: [0, 2])
  func aRestartedFetchRetriesAsTheQueryThatItBeganWith(retries: Int) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(0, after: .milliseconds(10), ignoringCancellation: true),
      .failure(Boom(1), after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch)
    let first = simulation.record(client.stream(query.retry(.times(retries))))
    simulation.advance(by: .milliseconds(5))
    // The entry's query from here on: how the next fetch retries.
    let second = simulation.record(client.stream(query.retry(.times(5))))
    simulation.settle()
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    // Twice, so that a restarted fetch is restarted.
    for _ in 1...2 {
      simulation.start(mutation, with: 1, on: client)
      simulation.settle()
    }
    let before = fetch.callCount
    simulation.advance(by: .seconds(60))
    expectEqual(fetch.callCount, before + retries)
    withExtendedLifetime((first, second)) {}
  }

  // Law 6
  @Test func aRestartedFetchLingersNoLonger() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let query = Query.scripted("n", fetch).onAbandonment(.linger(.seconds(10)))
    client.setData(0, for: query)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .seconds(2))
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    simulation.start(mutation, with: 1, on: client)
    expectEqual(fetch.calls.map(\.outcome), [.cancelled, nil])
    simulation.advance(by: .seconds(8))
    expectEqual(fetch.calls.map(\.outcome), [.cancelled, .cancelled])
    expect(simulation.isIdle)
  }

  // Law 6
  @Test func aRestartedFetchThatFinishesForNobodyIsNotRetried() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(0, after: .milliseconds(10), ignoringCancellation: true),
      .failure(Boom(1), after: .milliseconds(10))
    )
    let query = Query.scripted("n", fetch).retry(3).onAbandonment(.finish)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.settle()
    let mutation = Mutation<Int, Int>("m") { $0 }
      .optimistic { _, changes in changes.update(query) { _ in } }
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .seconds(60))
    expectEqual(fetch.callCount, 2)
    expect(simulation.isIdle)
  }

  @Test func aRestartedStreamThatAppendsAddsItsElementsOnce() {
    let client = QueryClient(simulation: simulation)
    let list = QueryKey<[Int]>("list")
    let query = Query<[Int]>.streamed("list", refetch: .append) { _ in
      Timed(elements: [2, 3], gap: .milliseconds(20))
    }
    client.setData([1], for: list)
    let recording = simulation.record(client.stream(query))
    let mutation = Mutation<Int, Int>("m") { input in
      try await Scheduling.current.clock.sleep(for: .milliseconds(30))
      return input
    }
    .optimistic { _, changes in changes.update(list) { _ in } }
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: list), [1, 2, 3])
    withExtendedLifetime(recording) {}
  }
}

/// Delivers each element after a while.
private struct Timed: AsyncSequence {
  typealias Element = Int
  typealias Failure = any Error
  let elements: [Int]
  let gap: Duration
  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Int>
    let gap: Duration
    mutating func next() async throws -> Int? {
      guard let element = rest.popFirst() else { return nil }
      try await Scheduling.current.clock.sleep(for: gap)
      return element
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: elements[...], gap: gap) }
}
