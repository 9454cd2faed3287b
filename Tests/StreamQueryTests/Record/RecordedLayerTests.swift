import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Optimistic changes in a record that keeps few events.
struct RecordedLayerTests {
  @Test func theEndOfAChangeNamesItsRunHoweverLongTheRunIsOver() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation) { $0.record = .last(4) }
    let key = QueryKey<Int>("n")
    let fetch = ScriptedFetch<Int>(.value(1), .value(2, after: .seconds(10)))
    let recording = simulation.record(client.stream(Query(key: key, fetch: fetch)))
    simulation.settle()
    let mutation = Mutation<Int, Int>("set") { input in input }
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      .onSuccess { _, context in context.client.markInvalidated(.key(key)) }
    simulation.task { try? await client.mutate(mutation, with: 5) }
    simulation.settle()
    #expect(client.result(for: key).isOptimistic)
    for number in 0..<10 { client.setData(number, for: QueryKey<Int>("other")) }
    simulation.advance(by: .seconds(10))
    #expect(client.record.steps.contains("1 unlayered by 1"))
    #expect(client.data(for: key) == 2 && client.record.runs.isEmpty)
    recording.cancel()
    simulation.settle()
  }

  @Test func aRunIsForgottenWithTheLastEntryThatItChanges() {
    var ring = RecordRing(capacity: 2)
    var state = RecordedState()
    state.bits = RecordedState.Bit.present
    for slot in 0..<3 { ring.added(slot, EntryKey(QueryKey<Int>("n", slot)), state) }
    for serial in [8, 9] as [UInt64] {
      let key = EntryKey(QueryKey<Int>("set"))
      let run = RecordRing.Run(serial: serial, key: key, scope: nil, startedAt: 0)
      let number = ring.runStarted(run)
      ring.log(RecordRow(time: 0, subject: number, code: .runStarted))
    }
    for (place, run) in [(0, 1), (1, 1), (1, 2)] as [(Int, UInt32)] {
      ring.logLayer(.layered, place, of: run, at: 0)
    }
    for run in [1, 2] as [UInt32] {
      ring.log(RecordRow(time: 0, subject: run, code: .runSucceeded))
    }
    for _ in 0..<3 { ring.logUnfinished(.written, 2, at: 0) }
    func known() -> [UInt32] { [8, 9].map { ring.number(ofRun: $0) } }
    #expect(known() == [1, 2])
    ring.removed(0, .removed, at: 0)
    #expect(known() == [1, 2])
    ring.logLayer(.unlayered, 1, of: 2, at: 0)
    #expect(known() == [1, 0])
    ring.removed(1, .removed, at: 0)
    #expect(known() == [0, 0])
  }
}
