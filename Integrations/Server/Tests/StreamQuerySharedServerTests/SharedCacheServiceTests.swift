import ServiceLifecycle
import ServiceLifecycleTestKit
import StreamQuery
import StreamQueryServer
import StreamQueryShared
import StreamQuerySharedServer
import StreamQuerySharedTesting
import StreamQueryTesting
import Synchronization
import Testing

/// The log is read until all that need it have ended, and then the store is closed.
struct SharedCacheServiceTests {
  let machines = Machines()
  var simulation: Simulation { machines.simulation }

  @Test func theStoreIsClosedWhenTheLogIsNotReadAnyMore() throws {
    let (machine, other) = try (machines.machine(reads: false), machines.machine())
    let order = Order()
    let isRead = { @Sendable [machines] in
      machines.lines().contains("notice: log of changes is read")
    }
    let service = SharedCacheService(machine.cache) { order.note("closed") }
    _ = isRead()
    simulation.run { [simulation] in
      await testGracefulShutdown { trigger in
        async let end: Void = service.run()
        try? await simulation.settled(after: .seconds(1))
        order.note("is read: \(isRead())")
        try? await other.cache.invalidate(tags: "numbers")
        try? await simulation.settled(after: .seconds(1))
        order.note("ends")
        trigger.triggerGracefulShutdown()
        await end
      }
    }
    #expect(order.notes == ["is read: true", "ends", "closed"])
    // Nobody reads any more: who comes next reads at once.
    let next = simulation.task { await machine.cache.run() }
    simulation.settle()
    #expect(isRead())
    next.cancel()
    #expect(service.description == "SharedCacheService")
  }

  @Test func aCancelledServiceClosesTheStoreAsWell() throws {
    let machine = try machines.machine(reads: false)
    let order = Order()
    let service = SharedCacheService(machine.cache) { order.note("closed") }
    let task = simulation.task { await service.run() }
    simulation.advance(by: .seconds(1))
    #expect(order.notes == [])
    task.cancel()
    simulation.settle()
    #expect(order.notes == ["closed"])
  }

  /// The last service ends first: what a fetch leads lands and is stored, what it follows is heard of.
  @Test func fetchesInFlightLandForAllMachinesBeforeTheLogEnds() throws {
    let (machine, other) = try (machines.machine(reads: false), machines.machine())
    let order = Order()
    let shared = SharedCacheService(machine.cache) { order.note("closed") }
    let cache = QueryClientService(machine.client, finishTimeout: .seconds(30))
    let values = try simulation.run { [simulation] in
      try await testGracefulShutdown { ending in
        async let sharing: Void = shared.run()
        async let value = other.client.fetch(other.query(2, taking: .seconds(4)))
        try await simulation.settled(after: .seconds(1))
        async let led = machine.client.fetch(machine.query(1, taking: .seconds(2)))
        async let followed = machine.client.fetch(machine.query(2, taking: .seconds(9)))
        try await simulation.settled(after: .milliseconds(500))
        try await testGracefulShutdown { trigger in
          async let landing: Void = cache.run()
          try await simulation.settled()
          trigger.triggerGracefulShutdown()
          await landing
        }
        order.note("landed at \(simulation.now)")
        ending.triggerGracefulShutdown()
        await sharing
        return try await [led, followed, value]
      }
    }
    #expect(values == [1, 2, 2])
    #expect(order.notes == ["landed at 4.0 seconds", "closed"])
    #expect(machines.counted()["test.fetches result=led"] == 2)
    // What it led is there for others.
    let late = try machines.machine()
    late.ask(late.query(1))
    #expect(late.client.data(for: QueryKey<Int>("n", 1)) == 1)
  }
}

/// What happened, in order.
private final class Order: Sendable {
  private let state = Mutex<[String]>([])
  var notes: [String] { state.withLock { $0 } }
  func note(_ note: String) { state.withLock { $0.append(note) } }
}
