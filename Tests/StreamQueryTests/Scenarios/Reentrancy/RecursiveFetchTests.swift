import StreamQuery
import StreamQueryTesting
import Testing

/// Fetches that wait for themselves, and those that only look as if they did.
struct RecursiveFetchTests {
  let simulation = Simulation(seed: 5)

  @Test(arguments: ["invalidate", "refetch", "handle", "reset"])
  func aFirstLoadThatWaitsForItselfInBulkDoesNotHang(_ means: String) {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { (context: FetchContext) in
      guard context.cause != .reset else { return 2 }
      switch means {
      case "invalidate": await context.client.invalidate("n")
      case "refetch": await context.client.refetch("n", superseding: false)
      case "reset": await context.client.reset("n")
      default:
        let handle = context.client.observer(of: Query<Int>("n") { 1 })
        _ = try await handle.refetch(superseding: false)
      }
      return 1
    }
    let recording = simulation.record(client.stream(query.retry(0)))
    simulation.advance(by: .seconds(1))
    let last = recording.values.last
    switch means {
    case "handle":
      #expect(last?.error as? QueryError == .recursiveFetch(key: "[\"n\"]"))
    case "reset":
      expectEqual(last?.data, 2)
    default:
      expectEqual(last?.data, 1)
    }
    expectEqual(last?.isFetching, false)
  }

  @Test(arguments: ["invalidate", "refetch", "handle", "button"])
  func aRefetchThatReplacesItselfComesToAnEnd(_ means: String) {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<FetchCause>()
    let handle = Dial<QueryObserver<Int>?>(nil)
    let query = Query<Int>("n") { (context: FetchContext) in
      calls.add(context.cause)
      // Without an end, the test would not end either.
      guard calls.count < 50 else { return 1 }
      switch means {
      case "invalidate": await context.client.invalidate(.all)
      case "refetch": await context.client.refetch(.all)
      case "handle": _ = try? await handle.value?.refetch()
      default: handle.value?.startRefetch()
      }
      return 1
    }
    client.setData(0, for: query)
    handle.value = client.observer(of: query)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    // It replaces itself three times, and then joins itself.
    expectEqual(calls.count, 4)
    #expect(recording.timeline.last == at(0, .success(1)))
    handle.value = nil
  }

  /// A stream of three numbers, with work before the second and the third.
  private static func numbers(
    _ work: @escaping @Sendable () async -> Void
  ) -> AsyncMapSequence<AsyncStream<Int>, Int> {
    let (numbers, feed) = AsyncStream.makeStream(of: Int.self)
    for number in 1...3 { feed.yield(number) }
    feed.finish()
    return numbers.map { number in
      if number > 1 { await work() }
      return number
    }
  }

  @Test(arguments: ["invalidate", "refetch", "handle", "button"], [false, true])
  func aStreamThatHasShownAnElementJoinsItself(_ means: String, isEndless: Bool) {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<FetchCause>()
    let handle = Dial<QueryObserver<[Int]>?>(nil)
    let query = Query<[Int]>.streamed("n", endless: isEndless) { (context: FetchContext) in
      calls.add(context.cause)
      // Without an end, the test would not end either.
      let isSpent = calls.count >= 50
      return Self.numbers {
        if isSpent { return }
        switch means {
        case "invalidate": await context.client.invalidate(.all)
        case "refetch": await context.client.refetch(.all)
        case "handle": _ = try? await handle.value?.refetch()
        default: handle.value?.startRefetch()
        }
      }
    }
    handle.value = client.observer(of: query)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(calls.count, 1)
    #expect(recording.timeline.last == at(0, .success([1, 2, 3])))
    handle.value = nil
  }

  @Test func aFetchOfAnotherClientIsNotTakenForTheCallersOwn() throws {
    let one = QueryClient(simulation: simulation)
    let two = QueryClient(simulation: simulation)
    let inner = ScriptedFetch<Int>(.value(7, after: .milliseconds(50)))
    let recording = simulation.record(two.stream(.scripted("inner", inner)))
    simulation.settle()
    let outer = Query<Int>("outer") { _ in try await two.fetch(.scripted("inner", inner)) }
    let value = try simulation.run { try await one.fetch(outer) }
    expectEqual(value, 7)
    withExtendedLifetime(recording) {}
  }

  @Test func aWatcherThatAPauseReleasedWaitsForNobody() throws {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    let outcome = Notes<String>()
    let inner = Query<Int>("b") { (context: FetchContext) in
      if context.cause == .subscribed { return 1 }
      do {
        outcome.add("\(try await context.client.fetch(Query<Int>("a") { 0 }))")
      } catch { outcome.add("\(error)") }
      return 2
    }
    let first = simulation.record(client.stream(inner))
    simulation.settle()
    let outer = Query<Int>("a") { (context: FetchContext) in
      await context.client.refetch("b")
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return 10
    }.networkMode(.always)
    online.send(false)
    simulation.settle()
    let second = simulation.record(client.stream(outer))
    simulation.advance(by: .milliseconds(10))
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(outcome.all, ["10"])
    withExtendedLifetime(first) {}
    withExtendedLifetime(second) {}
  }
}
