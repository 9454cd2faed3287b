import StreamQuery
import StreamQueryTesting
import Testing

/// What becomes of observers whose entry was emptied: removed, cleared, or reset.
struct RemoveAndResetTests {
  let simulation = Simulation(seed: 22)

  private func untilData(_ fetch: ScriptedFetch<Int>) -> Query<Int> {
    Query.scripted("n", fetch).enabled { $0.data == nil }
  }

  private static func steps() -> ScriptedFetch<Int> {
    ScriptedFetch(
      .value(1, after: .milliseconds(10)),
      .value(2, after: .milliseconds(10)),
      .value(3, after: .milliseconds(10))
    )
  }

  // MARK: Removing

  @Test("law 13: a function that a removal turns on fetches at the next trigger, not at once")
  func aFunctionThatARemovalTurnsOnDoesNotFetchAtOnce() {
    for clear in [true, false] {
      let simulation = Simulation(seed: 1)
      let (client, network) = online(simulation)
      let recording = simulation.record(client.stream(untilData(Self.steps())))
      simulation.advance(by: .milliseconds(50))
      if clear { client.clear() } else { client.remove("n") }
      simulation.advance(by: .milliseconds(50))
      network.send(false)
      simulation.settle()
      network.send(true)
      simulation.advance(by: .milliseconds(50))
      #expect(
        recording.timeline == [
          at(0, .pending(isFetching: true)), at(10, .success(1)), at(50, .pending()),
          at(100, .pending(isFetching: true)), at(110, .success(2)),
        ]
      )
    }
  }

  @Test func whoComesAfterARemovalIsATrigger() {
    let client = QueryClient(simulation: simulation)
    let query = untilData(Self.steps())
    let first = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    client.clear()
    simulation.settle()
    #expect(first.timeline.last == at(50, .pending()))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    #expect(second.timeline == [at(50, .pending(isFetching: true)), at(60, .success(2))])
    expectEqual(first.timeline.suffix(2), second.timeline.suffix(2))
  }

  @Test func whoBuildsTheQueryAgainAfterARemovalFetchesNothing() {
    // A view that draws itself anew because its query was removed.
    let client = QueryClient(simulation: simulation)
    let fetch = Self.steps()
    let observer = client.observer(of: untilData(fetch))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(50))
    client.clear()
    observer.update(query: untilData(fetch))
    simulation.advance(by: .milliseconds(50))
    expectEqual(fetch.calls.count, 1)
    observer.update(query: Query.scripted("n", fetch).enabled(false))
    observer.update(query: Query.scripted("n", fetch))
    simulation.advance(by: .milliseconds(50))
    expectEqual(fetch.calls.count, 2)
    #expect(recording.timeline.last == at(110, .success(2)))
  }

  // MARK: Resetting

  @Test func aResetWaitsForTheFetchOfAFunctionThatItTurnsOn() {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(untilData(Self.steps())))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.reset("n") }
    expectEqual(simulation.now, .milliseconds(60))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)),
        at(50, .pending(isFetching: true)), at(60, .success(2)),
      ]
    )
    expectEqual(recording.values.map(\.cause), [.subscribed, .subscribed, .reset, .reset])
    expectEqual(recording.values.map(\.isEnabled), [true, false, true, false])
  }

  @Test func aResetDoesNotFetchForAFunctionThatItTurnsOff() {
    let client = QueryClient(simulation: simulation)
    let fetch = Self.steps()
    client.setData(0, for: QueryKey<Int>("n"))
    let query = Query.scripted("n", fetch).enabled { $0.data != nil }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.reset("n") }
    expectEqual(simulation.now, .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .success(0, isFetching: true)), at(10, .success(1)), at(50, .pending()),
      ]
    )
    expectEqual(fetch.calls.count, 1)
  }

  @Test("a function is asked about the initial data that a reset brings back")
  func aFunctionSeesTheInitialDataOfAReset() {
    let client = QueryClient(simulation: simulation)
    let fetch = Self.steps()
    let query = Query.scripted("n", fetch).initialData(-1).enabled { $0.data as? Int == -1 }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.reset("n") }
    #expect(
      recording.timeline == [
        at(0, .success(-1, isFetching: true)), at(10, .success(1)),
        at(50, .success(-1, isFetching: true)), at(60, .success(2)),
      ]
    )
  }

  // MARK: Beginnings

  @Test(arguments: ["observer", "prefetch", "write"])
  func aResetBringsBackTheInitialDataWhoeverCameLater(_ later: String) {
    let client = QueryClient(simulation: simulation)
    let fetch = Self.steps()
    let plain = Query.scripted("n", fetch).staleTime(.seconds(1))
    let began = client.observer(of: plain.initialData(-1))
    let recording = simulation.record(began.stream)
    simulation.advance(by: .milliseconds(50))
    var others: [QueryObserver<Int>] = []
    switch later {
    case "observer": others.append(client.observer(of: plain))
    case "prefetch": simulation.run { await client.prefetch(plain.staleTime(.zero)) }
    default: client.setData(7, for: QueryKey<Int>("n"))
    }
    simulation.advance(by: .milliseconds(50))
    let asked = fetch.calls.count
    simulation.task { await client.reset("n") }
    simulation.settle()
    expectEqual(recording.timeline.last?.summary, .success(-1, isFetching: true))
    expectEqual(began.result.dataUpdatedAt, recording.values.first?.dataUpdatedAt)
    simulation.advance(by: .milliseconds(50))
    expectEqual(recording.timeline.last?.summary, .success(asked + 1))
    withExtendedLifetime(others) {}
  }

  @Test func whatWasRemovedBeginsAnewWithoutTheOldInitialData() {
    let client = QueryClient(simulation: simulation)
    let fetch = Self.steps()
    let began = simulation.record(client.stream(Query.scripted("n", fetch).initialData(-1)))
    simulation.advance(by: .milliseconds(50))
    client.remove("n")
    let other = simulation.record(client.stream(Query.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(50))
    simulation.run { await client.reset("n") }
    #expect(
      other.timeline == [
        at(50, .pending(isFetching: true)), at(60, .success(2)),
        at(100, .pending(isFetching: true)), at(110, .success(3)),
      ]
    )
    began.cancel()
  }

  private func online(_ simulation: Simulation) -> (QueryClient, ManualSignal<Bool>) {
    let network = ManualSignal(true)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { network }
    }
    return (client, network)
  }
}
