import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct CombineResultsTests {
  private func number(_ id: Int) -> Query<Int> {
    Query("number", id, fetch: ScriptedFetch(.value(0, after: .seconds(1))))
  }

  /// Writes the same number under several keys, each time in one turn.
  private func count(_ client: QueryClient, _ simulation: Simulation) {
    for id in 1...6 { client.setData(0, for: number(id)) }
    simulation.task("writer") {
      for _ in 0..<20 {
        try? await simulation.clock.sleep(for: .milliseconds(1))
        client.updateData(matching: .prefix("number"), of: Int.self) { $1? += 1 }
      }
    }
  }

  @Test(arguments: 0..<32 as Range<UInt64>)
  func changesOfOneTurnAreOneTupleLaw4(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation) {
      $0.defaults.options.refetchOnSubscribe = .never
    }
    count(client, simulation)
    let pairs = simulation.record(
      combineLatest(client.results(of: number(1)), client.results(of: number(2)))
    )
    let all = simulation.record(client.stream(all: (1...6).map(number)))
    let list = simulation.record(combineLatest((1...6).map { client.results(of: number($0)) }))
    simulation.advance(by: .seconds(1))
    expectEqual(pairs.values.map { [$0.0.data, $0.1.data] }, (0...20).map { [$0, $0] })
    let sixes: [[Int?]] = (0...20).map { Array(repeating: $0, count: 6) }
    expectEqual(all.values.map { $0.map(\.data) }, sixes)
    expectEqual(list.values.map { $0.map(\.data) }, sixes)
  }

  @Test func streamsOfOneClientAreCombinedAsAnySequences() {
    // What the test above would see without whole turns: it can fail.
    let torn = (0..<32 as Range<UInt64>).contains { seed in
      let simulation = Simulation(seed: seed)
      let client = QueryClient(simulation: simulation) {
        $0.defaults.options.refetchOnSubscribe = .never
      }
      count(client, simulation)
      let pairs = simulation.record(
        combineLatest(client.stream(number(1)), client.stream(number(2)))
      )
      simulation.advance(by: .seconds(1))
      return pairs.values.contains { $0.0.data != $0.1.data }
    }
    expect(torn)
  }

  @Test func theFirstTupleHasTheStateOfAll() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    client.setData(7, for: number(1))
    let recording = simulation.record(
      combineLatest(
        client.results(of: number(1)),
        client.results(of: number(2)),
        client.results(of: number(3))
      )
    )
    simulation.settle()
    expectEqual(
      recording.values.map { [$0.0.summary, $0.1.summary, $0.2.summary] },
      [
        [.success(7, isFetching: true), .pending(isFetching: true), .pending(isFetching: true)]
      ]
    )
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last.map { [$0.0.data, $0.1.data, $0.2.data] }, [0, 0, 0])
  }

  @Test func everyArityKeepsTheOrder() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    for id in 1...6 { client.setData(id, for: number(id)) }
    let results = (0...6).map { client.results(of: number($0)) }
    let four = simulation.record(combineLatest(results[1], results[2], results[3], results[4]))
    let five = simulation.record(
      combineLatest(results[1], results[2], results[3], results[4], results[5])
    )
    let six = simulation.record(
      combineLatest(results[1], results[2], results[3], results[4], results[5], results[6])
    )
    simulation.settle()
    expectEqual(four.values.first.map { [$0.0, $0.1, $0.2, $0.3].map(\.data) }, [1, 2, 3, 4])
    expectEqual(
      five.values.first.map { [$0.0, $0.1, $0.2, $0.3, $0.4].map(\.data) },
      [1, 2, 3, 4, 5]
    )
    expectEqual(
      six.values.first.map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5].map(\.data) },
      [1, 2, 3, 4, 5, 6]
    )
  }

  /// How many jobs it takes to record the first element.
  private func jobs<Results: AsyncSequence & Sendable>(
    _ make: (QueryClient) -> Results
  ) -> Int where Results.Element: Sendable {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    for id in 1...2 { client.setData(id, for: number(id)) }
    client.setData(1, for: number(1))
    simulation.settle()
    let before = simulation.jobCount
    let recording = simulation.record(make(client).prefix(1))
    simulation.settle()
    expectEqual(recording.values.count, 1)
    return simulation.jobCount - before
  }

  @Test func noTaskIsStarted() {
    let idle = { (id: Int) in number(id).refetchOnSubscribe(.never) }
    let alone = jobs { $0.results(of: idle(1)) }
    expectEqual(alone, jobs { combineLatest($0.results(of: idle(1)), $0.results(of: idle(2))) })
    #expect(alone < jobs { combineLatest($0.stream(idle(1)), $0.stream(idle(2))) })
  }

  @Test func resultsOfSeveralClientsAreCombinedAsAnySequences() {
    let simulation = Simulation(seed: 1)
    let clients = [QueryClient(simulation: simulation), QueryClient(simulation: simulation)]
    let recording = simulation.record(
      combineLatest(clients[0].results(of: number(1)), clients[1].results(of: number(1)))
    )
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last.map { [$0.0.data, $0.1.data] }, [0, 0])
    clients[1].setData(9, for: number(1))
    simulation.settle()
    expectEqual(recording.values.last.map { [$0.0.data, $0.1.data] }, [0, 9])
    recording.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func anEmptyListGivesOneEmptyArray() {
    let simulation = Simulation(seed: 1)
    let recording = simulation.record(combineLatest([QueryResults<Int>]()))
    simulation.settle()
    expect(recording.values.count == 1 && recording.values.first?.isEmpty == true)
    expect(recording.isFinished)
  }

  @Test func cancellationEndsAllObservations() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(
      combineLatest(client.results(of: number(1)), client.results(of: number(2)))
    )
    simulation.settle()
    expectEqual(client.diagnostics().map(\.observerCount), [1, 1])
    recording.cancel()
    simulation.settle()
    expect(recording.isFinished)
    expectEqual(client.diagnostics().map(\.observerCount), [0, 0])
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aShutdownFinishesIt() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(
      combineLatest(client.results(of: number(1)), client.results(of: number(2)))
    )
    simulation.settle()
    simulation.task("end") { client.shutDown() }
    simulation.settle()
    expect(recording.isFinished)
  }
}
