import StreamQuery
import StreamQueryTesting
import Testing

@Suite struct MovedTriggerTests {
  @Test func anObserverThatMovesTakesTheTriggersOfItsNewQuery() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let first = ManualSignal(0)
    let second = ManualSignal(0)
    let a = ScriptedFetch(.value("a"))
    let b = ScriptedFetch(.value("b"))
    let fresh = Duration.hours(1)
    let observer = client.observer(
      of: Query("a", fetch: a).staleTime(fresh).refetch(on: first)
    )
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    // The signal's present value is an element, so each subscription refetches once.
    let before = a.callCount

    observer.update(query: Query("b", fetch: b).staleTime(fresh).refetch(on: second))
    simulation.advance(by: .seconds(1))
    let moved = b.callCount
    first.send(1)
    simulation.advance(by: .seconds(1))
    #expect(a.callCount == before)
    #expect(b.callCount == moved)
    #expect(first.consumerCount == 0)

    second.send(1)
    simulation.advance(by: .seconds(1))
    #expect(b.callCount == moved + 1)
    recording.cancel()
  }
}
