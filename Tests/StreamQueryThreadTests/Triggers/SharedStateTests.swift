import Synchronization
import Testing

@testable import StreamQuery

/// N01, N03, T80, T81: one source, its listeners and their waits.
struct SharedStateTests {
  @Test func manyListenersShareOneSource() async {
    let system = ScriptedSystem(present: true)
    let source = StateSource(shared: SharedState(start: system.start))
    var ada = source.states.makeAsyncIterator()
    var grace = source.states.makeAsyncIterator()
    expectEqual(system.counts, .init(starts: 1, stops: 0))
    await expectEqual(ada.next(isolation: nil), true)
    await expectEqual(grace.next(isolation: nil), true)
    system.report(false)
    await expectEqual(ada.next(isolation: nil), false)
    await expectEqual(grace.next(isolation: nil), false)
  }

  @Test func theSourceStopsWithTheLastListenerAndStartsAgain() async {
    let system = ScriptedSystem(present: true)
    let shared = SharedState(start: system.start)
    do {
      let ada = shared.subscribe()
      let grace = shared.subscribe()
      await expectEqual(ada.next(isolation: nil), true)
      _ = consume grace
      expectEqual(system.counts, .init(starts: 1, stops: 0))
    }
    expectEqual(system.counts, .init(starts: 1, stops: 1))
    let late = shared.subscribe()
    expectEqual(system.counts, .init(starts: 2, stops: 1))
    await expectEqual(late.next(isolation: nil), true)
  }

  @Test func aWaitingListenerHearsTheNextState() async {
    let system = ScriptedSystem(present: nil)
    let source = StateSource(shared: SharedState(start: system.start))
    async let first = source.states.first { _ in true }
    await system.started()
    system.report(false)
    await expectEqual(first, false)
    expectEqual(system.counts, .init(starts: 1, stops: 1))
  }

  @Test func aCancelledListenerLeavesAtOnceThoughItsIteratorIsKept() async {
    let system = ScriptedSystem(present: nil)
    let shared = SharedState(start: system.start)
    let kept = shared.subscribe()
    let listening = Task { await kept.next(isolation: nil) }
    listening.cancel()
    await expectNil(listening.value)
    expectEqual(shared.subscriberCount, 0)
    expectEqual(system.counts, .init(starts: 1, stops: 1))
    await expectNil(kept.next(isolation: nil))
  }

  @Test func cancellationReachesAListenerWhereverItIs() async {
    // Many rounds, so that the cancellation meets the question, the wait and the space between.
    for _ in 0..<500 {
      let system = ScriptedSystem(present: nil)
      let source = StateSource(shared: SharedState(start: system.start))
      let listening = Task {
        var states: [Bool] = []
        for await state in source.states { states.append(state) }
        return states
      }
      await system.started()
      system.report(true)
      listening.cancel()
      #expect(await listening.value.count <= 1)
      expectEqual(system.counts, .init(starts: 1, stops: 1))
    }
  }

  @Test func everyListenerOnManyThreadsHearsTheLastState() async {
    let system = ScriptedSystem(present: true)
    let shared = SharedState(start: system.start)
    let source = StateSource(shared: shared)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          var falls = 0
          for await state in source.states where !state {
            falls += 1
            return falls > 0
          }
          return false
        }
      }
      for _ in 0..<100 {
        system.report(true)
        system.report(false)
      }
      for await hasHeard in group { expect(hasHeard) }
    }
    expectEqual(shared.subscriberCount, 0)
    let counts = system.counts
    expectEqual(counts.starts, counts.stops)
  }

  @Test func nothingIsHeldAfterTheLastListener() {
    let system = ScriptedSystem(present: true)
    weak var source: SharedState?
    do {
      let shared = SharedState(start: system.start)
      source = shared
      _ = shared.subscribe()
    }
    expectNil(source)
  }
}
