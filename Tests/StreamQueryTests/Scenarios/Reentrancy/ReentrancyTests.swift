import StreamQuery
import StreamQueryTesting
import Testing

/// User code that uses the client from wherever the client calls it.
struct ReentrancyTests {
  let simulation = Simulation(seed: 31)
  let key = QueryKey<Int>("n")

  @Test func aFetchThatWaitsForItsOwnKeyIsATypedError() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      try await context.client.fetch(Query<Int>("n") { 1 })
    }
    #expect(throws: QueryError.recursiveFetch(key: "[\"n\"]")) {
      try simulation.run { try await client.fetch(query) }
    }
    expect(simulation.isIdle)
  }

  @Test func aFetchThatWaitsForItselfThroughAnotherKeyIsATypedError() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("a") { context in
      try await context.client.fetch(
        Query<Int>("b") { context in try await context.client.fetch(Query<Int>("a") { 1 }) }
      )
    }
    #expect(throws: QueryError.recursiveFetch(key: "[\"a\"]")) {
      try simulation.run { try await client.fetch(query) }
    }
    // The inner one failed for the same reason, as its own fetch.
    expectEqual(ResultSummary(client.result(for: QueryKey<Int>("b"))).status, .error)
    expect(simulation.isIdle)
  }

  @Test func aFetchMayPrefetchItsOwnKeyWhichDoesNothing() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      await context.client.prefetch(Query<Int>("n") { 1 })
      return 2
    }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 2)
  }

  // T93
  @Test func aFetchMayFetchReadAndWriteOtherKeys() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("a") { context in
      let other = try await context.client.fetch(Query("b") { 20 })
      context.client.setData(other + 1, for: QueryKey<Int>("c"))
      return other + (context.client.data(for: QueryKey<Int>("c")) ?? 0)
    }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 41)
  }

  @Test func aFetchMayWriteItsOwnKeyAndStillLand() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      for step in 1...3 {
        context.client.setData(step, for: QueryKey<Int>("n"))
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      }
      return 4
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(
      recording.summaries.suffix(4),
      [
        .success(1, isFetching: true), .success(2, isFetching: true),
        .success(3, isFetching: true), .success(4),
      ]
    )
  }

  @Test(arguments: ["remove", "clear", "cancel", "fence", "reset", "invalidate", "shutDown"])
  func aFetchMayEndItself(by means: String) {
    let client = QueryClient(simulation: simulation)
    let calls = Dial(0)
    let query = Query<Int>("n") { (context: FetchContext) in
      let call = calls.with {
        $0 += 1
        return $0
      }
      guard call == 1 else { return 9 }
      let client = context.client
      switch means {
      case "remove": client.remove("n")
      case "clear": client.clear()
      case "cancel": client.cancel("n")
      case "fence": client.setData(5, for: QueryKey<Int>("n"), fencing: true)
      case "reset": await client.reset("n")
      case "invalidate": await client.invalidate("n")
      default: client.shutDown()
      }
      return 1
    }
    client.setData(0, for: key)
    let recording = simulation.record(client.stream(query))
    let waiter = simulation.task { try? await client.fetch(query) }
    simulation.advance(by: .seconds(1))
    // Whatever it did, it did not land after it had ended itself, and nothing waits for ever.
    let last = recording.values.last?.data
    switch means {
    case "remove", "clear": expectNil(last)
    case "cancel": expectEqual(last, 0)
    case "fence": expectEqual(last, 5)
    case "reset", "invalidate": expectEqual(last, 9)
    default: expect(recording.isFinished)
    }
    withExtendedLifetime(waiter) {}
    recording.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aConsumerMayUseItsOwnKeyInItsLoop() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    let query = Query.scripted("n", fetch).staleTime(.infinite)
    let seen = Notes<Int?>()
    let task = simulation.task { [key] in
      for await result in client.stream(query) {
        seen.add(result.data)
        switch result.data {
        case nil: break
        case .some(let value) where value < 5: client.setData(value + 1, for: key)
        case 5:
          client.updateData(for: key) { $0 = 6 }
          _ = client.stream(query)
        case 6:
          _ = try? await client.fetch(query)
          client.remove(key)
          return
        default: break
        }
      }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(seen.all, [nil, 1, 2, 3, 4, 5, 6])
    _ = task
    expectEqual(simulation.leakReport(), [])
  }

  @Test func theEndOfACachedValueMayUseTheClient() {
    let ends = Dial(0)
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Witness>("w")
    let count = QueryKey<Int>("count")
    let witness: @Sendable () -> Witness = { [weak client] in
      Witness {
        ends.with { $0 += 1 }
        guard let client else { return }
        client.updateData(for: count) { $0 = ($0 ?? 0) + 1 }
        client.remove("nobody")
        client.invalidateLater("n")
        _ = client.data(for: key)
        _ = client.diagnostics()
        _ = client.stream(Query<Int>(key: count))
      }
    }
    let recording = simulation.record(client.stream(Query<Witness>(key: key)).map { _ in 0 })
    client.setData(witness(), for: key)
    client.setData(witness(), for: key)
    client.updateData(for: key) { $0 = witness() }
    simulation.settle()
    client.remove(key)
    simulation.settle()
    client.setData(witness(), for: key)
    client.clear()
    simulation.settle()
    expectEqual(ends.value, 4)
    expectEqual(client.data(for: count), 1)
    client.setData(witness(), for: QueryKey<Witness>("short"), fencing: true)
    simulation.advance(by: .minutes(5))
    expectEqual(ends.value, 5)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func theEndOfAClosureMayUseTheClient() {
    let client = QueryClient(simulation: simulation)
    let count = QueryKey<Int>("count")
    func query() -> Query<Int> {
      let witness = Witness { [weak client] in
        client?.updateData(for: count) { $0 = ($0 ?? 0) + 1 }
      }
      return Query("n") {
        _ = witness
        return 1
      }
    }
    for _ in 0..<3 {
      let recording = simulation.record(client.stream(query()))
      simulation.settle()
      recording.cancel()
      simulation.settle()
    }
    client.remove("n")
    simulation.settle()
    expectEqual(client.data(for: count), 3)
  }

  @Test func onEventMayUseTheClientAndEventsStayInOrder() {
    let box = Dial<QueryClient?>(nil)
    let events = Notes<String>()
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        events.add(event.description)
        guard case .written = event.kind, event.key == AnyQueryKey("n") else { return }
        box.value?.setData(1, for: QueryKey<Int>("echo"))
        _ = box.value?.diagnostics()
      }
    }
    box.value = client
    client.setData(1, for: key)
    expectEqual(
      events.all,
      [
        "added [\"n\"]", "written [\"n\"]", "added [\"echo\"]", "written [\"echo\"]",
      ]
    )
    box.value = nil
  }

  @Test func aCancellationHandlerMayUseTheClient() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { context in
      let client = context.client
      return try await withTaskCancellationHandler {
        try await Scheduling.current.clock.sleep(for: .seconds(10))
        return 1
      } onCancel: {
        client.setData(5, for: QueryKey<Int>("n"))
        client.remove("other")
        _ = client.fetchingCount()
      }
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    client.cancel("n")
    simulation.advance(by: .seconds(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(1_000, .success(5)),
      ]
    )
  }

  @Test func dynamicOptionsMayReadTheClient() {
    let client = QueryClient(simulation: simulation)
    let gate = QueryKey<Bool>("gate")
    let query = Query("n") { 1 }
      .enabled { [weak client] _ in client?.data(for: gate) ?? false }
      .staleTime(
        .dynamic { [weak client] _ in
          (client?.diagnostics().count ?? 0) > 0 ? .after(.seconds(1)) : .infinite
        }
      )
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    client.setData(true, for: gate)
    client.setData(0, for: key)
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.last?.isEnabled, true)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func mergeMayUseTheClient() {
    let client = QueryClient(simulation: simulation)
    let query = Query("n") { 10 }.merge { [weak client] old, new in
      client?.setData(1, for: QueryKey<Int>("side"))
      return old + new
    }
    client.setData(1, for: key)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(recording.values.last?.data, 11)
    expectEqual(client.data(for: QueryKey<Int>("side")), 1)
  }

  @Test func aWriteBetweenTheLookAndTheLandingIsMergedToo() {
    let write = Dial<(@Sendable () -> Void)?>(nil)
    let client = QueryClient(simulation: simulation) {
      // The clock is asked right before each transaction.
      $0.wallClock = {
        let action = write.with { $0.take() }
        action?()
        return Simulation.startDate
      }
    }
    let query = Query<Int>("n") { [weak client] in
      write.value = { client?.setData(5, for: QueryKey<Int>("n")) }
      return 10
    }.merge { old, new in old + new }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(recording.summaries.last == .success(15))
  }

  @Test func aMergeThatWritesItsOwnKeyEnds() {
    let client = QueryClient(simulation: simulation)
    let count = Dial(0)
    let query = Query("n") { 10 }.merge { [weak client] old, new in
      let asked = count.with {
        $0 += 1
        return $0
      }
      if asked < 10_000 { client?.setData(asked, for: QueryKey<Int>("n")) }
      return new
    }
    client.setData(1, for: key)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(count.value, 3)
    #expect(recording.summaries.last == .success(10))
  }
}

extension QueryClient {
  /// Marks from synchronous code.
  nonisolated func invalidateLater(_ filter: QueryFilter) {
    cancel(filter)
  }
}
