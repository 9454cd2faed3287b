import StreamQuery
import StreamQueryTesting
import Testing

/// When a caller of `idle()` goes on.
struct IdleTests {
  private let simulation = Simulation(seed: 97)
  private let online = ManualSignal(true)
  private let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
  }

  /// When it went on, in milliseconds; `nil` as long as it waits.
  private func idle() -> Dial<Int?> {
    let end = Dial<Int?>(nil)
    simulation.task { [client, simulation] in
      await client.idle()
      end.value = Int(simulation.now / .milliseconds(1))
    }
    simulation.settle()
    return end
  }

  private func query(_ name: String, after milliseconds: Int) -> Query<String> {
    Query(name, fetch: ScriptedFetch(.value(name, after: .milliseconds(milliseconds))))
  }

  private func work(_ name: String, for milliseconds: Int) -> Mutation<Int, Int> {
    Mutation(name) { [clock = simulation.clock] (input: Int) in
      try await clock.sleep(for: .milliseconds(milliseconds))
      return input
    }
  }

  @Test("T97: a client that does nothing is idle at once")
  func atOnce() {
    expectEqual(idle().value, 0)
    client.setData("a", for: QueryKey<String>("a"))
    expectEqual(idle().value, 0)
  }

  @Test("T97: the wait includes conditions of refetches, and what follows from them")
  func conditions() {
    let fetch = ScriptedFetch<String>(.value("a"), .value("b", after: .milliseconds(20)))
    let query = Query("a", fetch: fetch).staleTime(.infinite)
    simulation.run { [client] in await client.prefetch(query) }
    let recording = simulation.record(
      client.stream(
        query.refetchOnSubscribe(
          .when {
            try? await Scheduling.current.clock.sleep(for: .milliseconds(10))
            return true
          }
        )
      )
    )
    simulation.settle()
    let end = idle()
    simulation.advance(by: .seconds(1))
    expectEqual(end.value, 30)
    expectEqual(recording.values.map(\.data), ["a", "a", "b"])
    recording.cancel()
    client.shutDown()
  }

  @Test("T97: the wait ends with the last fetch and the last run, whatever began first")
  func lastOfAll() {
    client.prefetchInBackground(query("a", after: 30), on: simulation)
    let early = idle()
    _ = simulation.start(work("m", for: 50), with: 1, on: client)
    client.prefetchInBackground(query("b", after: 90), on: simulation)
    let late = idle()
    simulation.advance(by: .milliseconds(89))
    expectNil(early.value)
    expectNil(late.value)
    simulation.advance(by: .seconds(1))
    expectEqual(early.value, 90)
    expectEqual(late.value, 90)
    client.shutDown()
  }

  @Test func retriesAndTheWaitsBetweenThemAreAwaited() {
    let fetch = ScriptedFetch<String>(
      .failure(Boom(1), after: .milliseconds(10)),
      .value("b", after: .milliseconds(10))
    )
    let recording = simulation.record(
      client.stream(Query("a", fetch: fetch).retry(.times(1).backoff(.constant(.seconds(2)))))
    )
    let end = idle()
    simulation.advance(by: .seconds(1))
    expectNil(end.value)
    simulation.advance(by: .seconds(9))
    expectEqual(end.value, 2_020)
    expectEqual(recording.values.last?.data, "b")
    client.shutDown()
  }

  @Test func callbacksOfARunAndTheRefetchesThatTheyAwaitAreAwaited() {
    let products = query("products", after: 100)
    let recording = simulation.record(client.stream(products))
    simulation.advance(by: .seconds(1))
    let rename = work("rename", for: 50).onSuccess { _, context in
      await context.client.invalidate(.key(products.key))
    }
    _ = simulation.start(rename, with: 1, on: client)
    let end = idle()
    simulation.advance(by: .seconds(1))
    expectEqual(end.value, 1_150)
    expectEqual(recording.values.last?.isFetching, false)
    client.shutDown()
  }

  @Test("T97: offline, the wait ends although fetches and runs are paused")
  func offline() {
    online.send(false)
    simulation.settle()
    let recording = simulation.record(client.stream(query("a", after: 30)))
    // The second run waits behind the first.
    let work = work("m", for: 50).scope("s")
    for input in 1...2 { _ = simulation.start(work, with: input, on: client) }
    expectEqual(idle().value, 0)
    expectEqual(recording.values.last?.isPaused, true)
    expectEqual(client.mutatingCount(), 2)
    online.send(true)
    simulation.settle()
    let end = idle()
    simulation.advance(by: .seconds(1))
    // The refetch waits for the runs that were paused before it.
    expectEqual(end.value, 130)
    client.shutDown()
  }

  @Test func goingOfflineEndsTheWaitOfAFetchThatRetries() {
    let fetch = ScriptedFetch<String>(.failure(Boom(1), after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query("a", fetch: fetch).retry(.times(3).backoff(.constant(.seconds(2)))))
    )
    let end = idle()
    simulation.advance(by: .seconds(1))
    online.send(false)
    simulation.advance(by: .milliseconds(900))
    expectNil(end.value)
    simulation.advance(by: .seconds(9))
    expectEqual(end.value, 2_010)
    expectEqual(recording.values.last?.isPaused, true)
    client.shutDown()
  }

  @Test("T97: what awaits a paused fetch from inside does not keep the client busy")
  func heldUp() {
    online.send(false)
    simulation.settle()
    let inner = query("inner", after: 30)
    let outer = Query<String>("outer") { [client] in
      try await client.fetch(inner) + "!"
    }.networkMode(.always)
    let recording = simulation.record(client.stream(outer))
    let mutation = Mutation("m") { (_: Int, context: MutationContext) in
      try await context.client.fetch(outer)
    }.networkMode(.always)
    _ = simulation.start(mutation, with: 1, on: client)
    let end = idle()
    expectEqual(end.value, 0)
    expectEqual(recording.values.last?.isFetching, true)
    online.send(true)
    simulation.settle()
    let next = idle()
    simulation.advance(by: .seconds(1))
    expectEqual(next.value, 30)
    expectEqual(recording.values.last?.data, "inner!")
    client.shutDown()
  }

  @Test func aStreamWithoutAnEndIsAwaitedUntilItDelivers() {
    let feed = Query<[Int]>.streamed("feed", endless: true) { [clock = simulation.clock] _ in
      AsyncThrowingStream<Int, any Error>(
        unfolding: {
          try await clock.sleep(for: .milliseconds(40))
          return 1
        }
      )
    }
    let recording = simulation.record(client.stream(feed))
    let end = idle()
    simulation.advance(by: .milliseconds(100))
    expectEqual(end.value, 40)
    expectEqual(recording.values.last?.isFetching, true)
    client.shutDown()
    simulation.settle()
  }

  @Test func insideARunTheRunItselfDoesNotCount() {
    let query = query("a", after: 30)
    let ends = Notes<Int>()
    let mutation = work("m", for: 10).onSuccess { [simulation] _, context in
      let observer = context.client.observer(of: query)
      await context.client.idle()
      ends.add(Int(simulation.now / .milliseconds(1)))
      expectEqual(observer.result.data, "a")
    }
    let stream = simulation.record(client.stream(self.query("b", after: 60)))
    _ = simulation.start(mutation, with: 1, on: client)
    let outer = idle()
    simulation.advance(by: .seconds(1))
    expectEqual(ends.all, [60])
    expectEqual(outer.value, 60)
    expectEqual(stream.values.last?.data, "b")
    client.shutDown()
  }

  @Test("T97: a cancelled caller leaves at once, and all do when the client is shut down")
  func leaving() {
    let query = Query("a", fetch: ScriptedFetch<String>(.never))
    let recording = simulation.record(client.stream(query))
    let first = simulation.task { [client] in
      await client.idle()
      return Task.isCancelled
    }
    let second = idle()
    simulation.settle()
    first.cancel()
    simulation.settle()
    expect(simulation.run { await first.value })
    expectNil(second.value)
    client.shutDown()
    simulation.settle()
    expectEqual(second.value, 0)
    expect(recording.isFinished)
    expectEqual(simulation.leakReport(), [])
  }
}

extension QueryClient {
  /// Begins a fetch that a task of the simulation awaits.
  fileprivate nonisolated func prefetchInBackground<Value>(
    _ query: Query<Value>,
    on simulation: Simulation
  ) {
    simulation.task { await self.prefetch(query) }
    simulation.settle()
  }
}
