import StreamQuery
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Data before the first fetch: initial data is real, and a placeholder stands in.
@Suite struct PlaceholderDataTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // O17 T14
  @Test func initialDataIsRealDataAskedForOnceAndAsOldAsItsDate() {
    let client = QueryClient(simulation: simulation)
    let asked = Dial(0)
    @Sendable func initial() -> Int? {
      asked.with { $0 += 1 }
      return 7
    }
    let fetch = ScriptedFetch<Int>(.value(8, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.seconds(10))
      .initialData(initial(), updatedAt: Simulation.startDate - 8)
    let first = simulation.record(client.stream(query))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    #expect(asked.value == 1)
    #expect(fetch.callCount == 0)
    #expect(first.timeline == [at(0, .success(7)), at(2_000, .success(7))])
    #expect(first.values.map(\.isStale) == [false, true])
    #expect(first.values.map(\.isFetched) == [false, false])
    #expect(second.timeline == first.timeline)
    let third = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(
      third.timeline == [at(5_000, .success(7, isFetching: true)), at(5_010, .success(8))]
    )
  }

  // O17
  @Test func initialDataOfNothingSeedsNothingAndFillsAnEmptyEntryLater() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 1 }.enabled(false)
    let first = simulation.record(client.stream(query.initialData(nil)))
    simulation.settle()
    let second = simulation.record(client.stream(query.initialData(5)))
    simulation.settle()
    #expect(first.summaries == [.pending(), .success(5)])
    #expect(second.summaries == [.success(5)])
  }

  // O15 T15
  @Test func aPlaceholderStandsInAndIsNeverCached() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).placeholder(-1)
    let recording = simulation.record(client.stream(query))
    let plain = simulation.record(client.stream(.scripted("n", fetch)))
    #expect(ResultSummary(client.result(for: query)) == .placeholder(-1, isFetching: true))
    #expect(client.data(for: key) == nil)
    simulation.advance(by: .milliseconds(10))
    client.remove(key)
    simulation.settle()
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .success(1)), at(10, .placeholder(-1)),
      ]
    )
    #expect(
      plain.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(10, .pending()),
      ]
    )
    #expect(recording.values.map(\.dataUpdatedAt).first == .some(nil))
  }

  // O15
  @Test func aPlaceholderGivesWayToAnError() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).placeholder(-1).retry(.never))
    )
    simulation.advance(by: .milliseconds(10))
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .failure(Boom())),
      ]
    )
  }
}
