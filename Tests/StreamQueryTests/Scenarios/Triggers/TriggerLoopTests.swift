import StreamQuery
import StreamQueryTesting
import Testing

/// What the loop of merged triggers runs where, and how much may wait for it.
struct TriggerLoopTests {
  /// Says one trigger, time and again.
  struct Flood: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
      var left: Int
      let trigger: QueryTrigger
      let onNext: @Sendable () -> Void

      mutating func next() async -> QueryTrigger? {
        guard left > 0 else { return nil }
        left -= 1
        onNext()
        return trigger
      }
    }

    var count = 1
    let trigger: QueryTrigger
    var onNext: @Sendable () -> Void = {}

    func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(left: count, trigger: trigger, onNext: onNext)
    }
  }

  // Law 8: a check that holds only on the client ends the process anywhere else.
  @Test func predicatesOfTriggersRunOffTheClient() async throws {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let simulation = Simulation(seed: 1)
      let client = QueryClient(simulation: simulation)
      client.setData(1, for: QueryKey<Int>("n"))
      let filter = QueryFilter.where { _ in
        client.preconditionIsolated()
        return true
      }
      let connection = client.connect(triggers: Flood(trigger: .refetch(filter)))
      simulation.settle()
      connection.cancel()
    }
    let text = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Incorrect actor executor"))
  }

  // Law 8
  @Test func optionsThatATickAsksRunOffTheClient() async throws {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let simulation = Simulation(seed: 1)
      let client = QueryClient(simulation: simulation)
      let isTick = Dial(false)
      let query = Query("n") { 1 }.refetchInterval(.seconds(1)).enabled { _ in
        // The first asking after the tick: later ones are due to the fetch.
        let isAsked = isTick.with { isTick in
          defer { isTick = false }
          return isTick
        }
        if isAsked { client.preconditionIsolated() }
        return true
      }
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      isTick.value = true
      simulation.advance(by: .seconds(1))
      recording.cancel()
    }
    let text = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Incorrect actor executor"))
  }

  // Law 3: what waits for a slow loop stays small.
  @Test func aConnectedStreamIsOneElementAheadAtMost() {
    let simulation = Simulation(seed: 2)
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    let waiting = Dial(0)
    let most = Dial(0)
    let handled = Dial(0)
    let filter = QueryFilter.where { _ in
      waiting.with { $0 -= 1 }
      handled.with { $0 += 1 }
      return false
    }
    let flood = Flood(count: 1_000, trigger: .refetch(filter)) {
      let present = waiting.with { waiting in
        waiting += 1
        return waiting
      }
      most.with { $0 = max($0, present) }
    }
    let connection = client.connect(triggers: flood)
    simulation.settle()
    expectEqual(handled.value, 1_000)
    expectEqual(most.value, 1)
    connection.cancel()
    client.shutDown()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O07
  @Test func anUnansweredConditionIsAskedOnceHoweverOftenTheNetworkFlaps() {
    let simulation = Simulation(seed: 3)
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let gate = ManualSignal(false)
    let asked = Dial(0)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).refetchOnReconnect(
          .when {
            let number = asked.with { asked in
              asked += 1
              return asked
            }
            for await isOpen in gate where isOpen { return number > 1 }
            return false
          }
        )
      )
    )
    simulation.settle()
    for _ in 1...100 {
      online.send(false)
      simulation.settle()
      online.send(true)
      simulation.settle()
    }
    expectEqual(asked.value, 1)
    expectEqual(gate.consumerCount, 1)
    // A refusal from before the last edge is no answer to it.
    gate.send(true)
    simulation.settle()
    expectEqual(asked.value, 2)
    expectEqual(fetch.callCount, 2)
    // Answered, it is asked again at the next edge.
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(asked.value, 3)
    expectEqual(fetch.callCount, 3)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O07
  @Test func anAnswerIsForTheQueryThatWasAskedAbout() {
    let simulation = Simulation(seed: 4)
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let gate = ManualSignal(false)
    let asked = Query("a") { 1 }.refetchOnReconnect(
      .when {
        for await isOpen in gate where isOpen { return true }
        return false
      }
    )
    let fetch = ScriptedFetch<Int>(.value(1))
    let other = Query.scripted("b", fetch).refetchOnReconnect(.never)
    let observer = client.observer(of: asked)
    let recording = simulation.record(observer.stream)
    simulation.settle()
    online.send(false)
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(gate.consumerCount, 1)
    observer.update(query: other)
    simulation.settle()
    gate.send(true)
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  // O07
  @Test func aConditionOfAConsumerThatLeftIsNotAskedAgain() {
    let simulation = Simulation(seed: 4)
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let gate = ManualSignal(false)
    let asked = Dial(0)
    let query = Query("n") { 1 }.refetchOnReconnect(
      .when {
        asked.with { $0 += 1 }
        for await isOpen in gate where isOpen { return false }
        return false
      }
    )
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    for _ in 1...3 {
      online.send(false)
      simulation.settle()
      online.send(true)
      simulation.settle()
    }
    recording.cancel()
    gate.send(true)
    simulation.settle()
    expectEqual(asked.value, 1)
    expect(simulation.isIdle)
  }
}
