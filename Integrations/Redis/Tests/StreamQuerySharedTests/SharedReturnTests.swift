import StreamQuery
import StreamQueryTesting
import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// What the return of a store costs: as much as there are keys, however many machines and callers ask.
struct SharedReturnTests {
  private let keys = 6

  private struct Cost: Equatable {
    /// The requests of upstream.
    var requests = 0
    /// The calls of the store, other than for the log.
    var begins = 0
    var others: [String: Int] = [:]
  }

  /// What the second after a return costs, in which all callers ask for all keys again and again.
  private func cost(machines: Int, callers: Int, forgetting: Bool) -> Cost {
    let world = World()
    world.duration.value = .milliseconds(50)
    let machines = (0..<machines).map { _ in
      world.machine { $0.pauses = (first: .milliseconds(100), longest: .milliseconds(400)) }
    }
    func ask() {
      for machine in machines {
        for key in 0..<keys {
          for _ in 0..<callers { _ = world.start(machine, world.query(machine, "\(key)")) }
        }
      }
    }
    world.store.crash()
    ask()
    world.advance(2)
    // Each has fetched for itself.
    #expect(world.requests.value == machines.count * keys)
    world.requests.value = 0
    for machine in machines { machine.link.calls.value = [] }
    world.store.restart(forgetting: forgetting)
    for _ in 0..<5 {
      ask()
      world.advance(0.2)
    }
    let calls = machines.flatMap { $0.link.calls.value }
      .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    #expect(machines.allSatisfy { $0.story.last != "store away" })
    return Cost(
      requests: world.requests.value,
      begins: calls["begin", default: 0],
      others: calls.filter { !["begin", "changes"].contains($0.key) }
    )
  }

  @Test(arguments: [2, 12], [1, 10])
  func aStoreThatForgotIsFilledWithARequestForEachKey(machines: Int, callers: Int) {
    let cost = cost(machines: machines, callers: callers, forgetting: true)
    #expect(cost.requests == keys)
    #expect(cost.others == ["commit": keys])
    // A machine asks once for a key, and again when it has waited for the one that fetches.
    #expect((machines * keys...machines * keys * 2 - keys).contains(cost.begins), "\(cost)")
  }

  @Test func callersAddNothing() {
    let costs = [1, 10].map { cost(machines: 12, callers: $0, forgetting: true) }
    #expect(costs[0] == costs[1])
  }

  @Test(arguments: [2, 12])
  func aStoreThatRemembersIsAskedForNothing(machines: Int) {
    #expect(cost(machines: machines, callers: 10, forgetting: false) == Cost())
  }

  @Test func whatCameBeforeTheLogToldThatTheStoreForgotIsTakenAgain() throws {
    let world = World()
    world.duration.value = .milliseconds(100)
    let machines = (0..<2).map { _ in
      world.machine { $0.pauses = (first: .seconds(4), longest: .seconds(4)) }
    }
    for machine in machines { machine.link.delay.value = .milliseconds(5) }
    world.store.crash()
    world.advance(0.5)
    world.store.restart(forgetting: true)
    // By a change that the store takes it is known to be back, while the log is read after a pause.
    for machine in machines {
      try world.simulation.run { try await machine.cache.invalidate(tags: "other") }
    }
    #expect(machines.map { world.value($0) } == [1, 1])
    #expect(machines.map { $0.story.last } == ["committed", "hit"])
    world.advance(5)
    #expect(machines.map { $0.story.last } == ["gap 1", "gap 1"])
    #expect(machines.map { world.value($0) } == [1, 1])
    #expect(machines.map { $0.story.last } == ["hit", "hit"])
    #expect(world.requests.value == 1)
  }

  @Test func whoCannotUseAnEntryTakesTheOneThatWasStoredMeanwhile() {
    let world = World()
    world.duration.value = .milliseconds(100)
    let machines = (0..<3).map { _ in
      world.machine { $0.pauses = (first: .milliseconds(100), longest: .milliseconds(200)) }
    }
    #expect(world.value(machines[0]) == 1)
    // The others ask alone after that, and trust what they got for as long as they may.
    for machine in machines[1...] { machine.link.fault.value = .away }
    #expect(machines[1...].map { world.value($0) } == [1, 1])
    world.advance(12)
    for machine in machines[1...] { machine.link.fault.value = .none }
    world.advance(3)
    #expect(machines[1...].map { $0.story.last } == ["store back", "store back"])
    world.requests.value = 0
    machines[2].link.delay.value = .milliseconds(20)
    let leading = world.start(machines[1])
    // It is told of the old entry before the new one is there, and asks again after that.
    world.advance(0.07)
    let late = world.start(machines[2])
    world.advance(1)
    #expect([leading.value, late.value] == [1, 1])
    #expect(machines[2].story.last == "hit")
    #expect(world.requests.value == 1)
  }
}
