import StreamQuery
import StreamQueryTesting
import Testing

/// What a client that was shut down still does: nothing.
struct ShutDownTests {
  let simulation = Simulation(seed: 5)
  let key = QueryKey<Int>("n")

  // T56, law 13
  @Test func shutDownEndsStreamsCallersFetchesAndSources() {
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let fetch = ScriptedFetch<Int>(.never)
    let stream = simulation.record(client.stream(.scripted("n", fetch)))
    let retained = client.stream(.scripted("n", fetch))
    let events = simulation.record(client.events)
    let counts = simulation.record(client.fetchingCountStream())
    let outcome = Notes<Bool>()
    simulation.task {
      do { try await client.fetch(.scripted("n", fetch)) } catch {
        outcome.add(error is CancellationError)
      }
    }
    simulation.task { await client.invalidate("n") }
    simulation.settle()
    client.shutDown()
    simulation.settle()
    expect(stream.isFinished)
    expect(events.isFinished)
    expect(counts.isFinished)
    expectEqual(counts.values.suffix(2), [1, 0])
    expectEqual(outcome.all, [true])
    expectEqual(fetch.runningCount, 0)
    expectEqual(online.consumerCount, 0)
    expectEqual(simulation.leakReport(), [])

    // And nothing begins again.
    let late = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.settle()
    expect(late.isFinished)
    expectEmpty(late.values)
    #expect(throws: QueryError.shutDown) {
      try simulation.run { try await client.fetch(.scripted("n", fetch)) }
    }
    simulation.run {
      await client.prefetch(.scripted("n", fetch))
      await client.invalidate(.all)
      await client.reset(.all)
    }
    client.shutDown()
    let late2 = simulation.record(client.events)
    simulation.advance(by: .hours(1))
    expect(late2.isFinished)
    expectEqual(fetch.callCount, 1)
    expect(simulation.isIdle)
    withExtendedLifetime(retained) {}
  }

  @Test func afterAShutdownARefetchOfAHandleFetchesNothing() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(5)))
    let handle = client.observer(of: .scripted("n", fetch))
    simulation.advance(by: .seconds(1))
    client.shutDown()
    #expect(throws: QueryError.shutDown) {
      _ = try simulation.run { try await handle.refetch() }
    }
    let server = PageServer()
    #expect(throws: QueryError.shutDown) {
      _ = try simulation.run { try await client.fetchNextPage(of: server.query()) }
    }
    handle.update(query: .scripted("other", fetch))
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    expectEqual(server.params, [])
    expectEmpty(client.diagnostics())
    expect(simulation.isIdle)
  }

  @Test func anEmptyListEndsWithTheClient() {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(all: [])
    let recording = simulation.record(observer.stream)
    simulation.settle()
    expectEqual(recording.values.count, 1)
    client.shutDown()
    simulation.settle()
    expect(recording.isFinished)
  }

  @Test func anEmptyListOfAClientThatWasShutDownIsOver() {
    let client = QueryClient(simulation: simulation)
    client.shutDown()
    let recording = simulation.record(client.observer(all: []).stream)
    simulation.settle()
    expect(recording.isFinished)
  }

  @Test func aWriteAfterAShutdownLeavesNoTimer() {
    let client = QueryClient(simulation: simulation)
    client.shutDown()
    client.setData(1, for: key)
    expectNil(client.updateData(for: key) { $0 = 2 })
    simulation.advance(by: .hours(1))
    expectNil(client.data(for: key))
  }

  @Test func shutDownEndsTheTriggersOfAQueryThatSomebodyHolds() {
    let client = QueryClient(simulation: simulation)
    let ticks = ManualSignal(true)
    let query = Query("n") { 1 }.refetch(on: ticks)
    let stream = client.stream(query)
    simulation.settle()
    expectEqual(ticks.consumerCount, 1)
    client.shutDown()
    simulation.settle()
    expectEqual(ticks.consumerCount, 0)
    let late = client.stream(query)
    simulation.settle()
    expectEqual(ticks.consumerCount, 0)
    _ = stream
    _ = late
  }
}
