import StreamQuery
import StreamQueryTesting
import Testing

/// What a run of the fuzz was, and what became of it.
private struct Change: Sendable {
  var key: Int
  var number: Int
  var start: Duration
  /// When it failed or was cancelled.
  var failure: Duration?
}

/// A server of three sets of numbers, and a client that changes and watches them.
private final class FuzzWorld: Sendable {
  let simulation: Simulation
  let online = ManualSignal(true)
  let client: QueryClient
  let server = Dial<[Set<Int>]>([[], [], []])
  let changes = Dial<[Change]>([])

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    client = QueryClient(simulation: simulation) { [online] in
      $0.connectivity = Connectivity { online }
    }
  }

  func random(_ bound: Int) -> Int { Int(simulation.nextRandom() % UInt64(bound)) }

  /// Reads the server when it is asked, and answers later: an answer may be old.
  func query(_ key: Int, after milliseconds: Int = 7) -> Query<Set<Int>> {
    Query("set", key) { [server] in
      let answer = server.value[key]
      try await Scheduling.current.clock.sleep(for: .milliseconds(milliseconds))
      return answer
    }
  }

  /// Adds a number to a set on the server, and over the cached one meanwhile.
  func mutation(_ key: Int) -> Mutation<Int, Int> {
    let milliseconds = random(20)
    let fails = random(3) == 0
    let retries = random(2)
    let isWriting = random(2) == 0
    let waits = random(10)
    let query = query(key)
    var mutation = Mutation("add", key) { [server] (input: Int) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(milliseconds))
      if fails { throw Boom(input) }
      server.with { $0[key].formUnion([input]) }
      return input
    }
    .retry(.times(retries).backoff(.constant(.milliseconds(5))))
    .optimistic { input, changes in changes.update(query) { $0?.insert(input) } }
    .onError { [changes, simulation] _, context in
      changes.with { all in
        for index in all.indices where all[index].number == context.input {
          all[index].failure = simulation.now
        }
      }
    }
    if random(2) == 0 {
      mutation = mutation.onMutate { _, _ in
        try await Scheduling.current.clock.sleep(for: .milliseconds(waits))
      }
    }
    mutation = mutation.onSuccess { output, context in
      if isWriting {
        context.client.updateData(for: query) { $0?.insert(output) }
      } else {
        await context.client.invalidate(query)
      }
      try await Scheduling.current.clock.sleep(for: .milliseconds(waits))
    }
    return random(2) == 0 ? mutation.scope("lane \(random(2))") : mutation
  }

  func step(_ number: Int) {
    let key = random(3)
    let query = query(key)
    let slow = self.query(key, after: 20)
    switch random(10) {
    case 0...3:
      changes.with { $0.append(Change(key: key, number: number, start: simulation.now)) }
      let caller = simulation.start(mutation(key), with: number, on: client)
      if random(4) == 0 {
        simulation.advance(by: .milliseconds(random(12)))
        caller.cancel()
      }
    case 4:
      _ = simulation.task { [client] in await client.invalidate(.prefix("set", key)) }
    case 5:
      _ = simulation.task { [client] in await client.refetch(query) }
    case 6:
      _ = simulation.task { [client] in try await client.fetch(slow) }
    case 7:
      _ = simulation.task { [client] in await client.reset(query) }
    case 8: online.send(!online.value)
    default: break
    }
    simulation.advance(by: .milliseconds(random(15)))
  }
}

struct OptimisticFuzzTests {
  // T72 law 7: no lost update, no flicker, no layer that outlives its run and its refetch
  @Test(arguments: Seeds.few(4))
  func whatWasChangedIsShownFromItsStartAndWhatFailedIsNot(seed: UInt64) {
    let environment = FuzzWorld(seed: seed)
    let recordings = (0..<3).map {
      environment.simulation.record(environment.client.stream(environment.query($0)))
    }
    environment.simulation.advance(by: .milliseconds(10))
    for number in 0..<40 { environment.step(number) }
    environment.online.send(true)
    environment.simulation.advance(by: .seconds(10))

    expectEqual(environment.client.mutatingCount(), 0)
    for key in 0..<3 {
      let result = environment.client.result(for: environment.query(key))
      expect(!result.isOptimistic, "a layer outlived its run")
      expectEqual(result.data, environment.server.value[key])
      for element in recordings[key].elements {
        guard let shown = element.element.data else { continue }
        for change in environment.changes.value where change.key == key {
          let isShown = shown.contains(change.number)
          if let failure = change.failure {
            guard !environment.server.value[key].contains(change.number) else { continue }
            if element.time > change.start, element.time < failure { expect(isShown) }
            if element.time > failure { expect(!isShown) }
          } else if element.time > change.start {
            expect(isShown, "\(change) is missing at \(element.time)")
          }
        }
      }
    }
    expectEmpty(environment.simulation.failures)
    for recording in recordings { recording.cancel() }
    environment.simulation.settle()
    expect(environment.simulation.isIdle, "\(environment.simulation.leakReport())")
  }
}
