import StreamQuery
import StreamQueryTesting
import Testing

/// How long data is fresh: for whom, and until when.
struct StaleTimeTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // T29 X31
  @Test func stalenessFlipsExactlyAtTheStaleTimeAsAnElement() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(1)))
    )
    simulation.advance(by: .minutes(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(1_010, .success(1)),
      ]
    )
    expectEqual(recording.values.map(\.isStale), [true, false, true])
    expectEqual(fetch.callCount, 1)
  }

  // O03 X02
  @Test func twoObserversMayDisagreeAboutStaleness() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    let query = Query("n") { 2 }.staleTime(.seconds(10))
    let one = simulation.record(
      client.stream(query, options: ObserverOptions(staleTime: .seconds(2)))
    )
    let two = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    expectEqual(one.values.map(\.isStale), [false, true])
    expectEqual(two.values.map(\.isStale), [false])
    expectEqual(client.diagnostics(.stale).count, 1)
  }

  // T06 T12
  @Test func staticDataIsRefetchedByWhatItsOwnQueryAsksFor() {
    let client = QueryClient(simulation: simulation)
    let ticks = ManualSignal(0)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).staleTime(.static).refetchInterval(.seconds(10))
          .refetch(on: ticks.dropFirst())
      )
    )
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.callCount, 2)
    expectEqual(recording.values.last?.cause, .interval)
    ticks.send(1)
    simulation.settle()
    expectEqual(fetch.callCount, 3)
    expectEqual(recording.values.last?.cause, .trigger)
    #expect(recording.values.allSatisfy { $0.isPending || !$0.isStale })
  }

  // O03 T60
  @Test func anObserversStaleTimeLeavesWithIt() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query.scripted("n", fetch).staleTime(.minutes(5))
    let hasty = simulation.record(
      client.stream(query, options: ObserverOptions(staleTime: .zero))
    )
    simulation.advance(by: .seconds(1))
    expectEqual(client.diagnostics(.stale).count, 1)
    hasty.cancel()
    simulation.settle()
    // Nobody observes: old age is in the eye of whoever looks.
    expectEmpty(client.diagnostics(.stale))
    expectEqual(client.diagnostics(.fresh).count, 1)
    expect(!client.isStale(query))

    let patient = simulation.record(
      client.stream(query.staleTime(.zero), options: ObserverOptions(staleTime: .hours(1)))
    )
    simulation.advance(by: .seconds(1))
    expectEmpty(client.diagnostics(.stale))
    patient.cancel()
    simulation.settle()
    expectEmpty(client.diagnostics(.stale))
    simulation.run { await client.invalidate(query, refetch: .never) }
    expectEqual(client.diagnostics(.stale).count, 1)
  }

  // S07 T06
  @Test func staticDataIsNeverStaleAndLeftOutOfSweeps() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)), .value(2))
    let query = Query.scripted("n", fetch).staleTime(.static).refetchOnSubscribe(.always)
    let first = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    simulation.run { await client.invalidate("n") }
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .hours(1))
    expectEqual(fetch.callCount, 1)
    expectEqual(first.values.map(\.isStale), [true, false])
    #expect(second.summaries == [.success(1)])
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 1)
  }

  // T06
  @Test func infiniteStaleTimeEndsByInvalidation() {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(Query("n") { 1 }.staleTime(.infinite)))
    simulation.advance(by: .hours(24 * 365 * 90))
    expectEqual(recording.values.last?.isStale, false)
    simulation.run { await client.invalidate("n", refetch: .never) }
    expectEqual(recording.values.last?.isStale, true)
  }
}
