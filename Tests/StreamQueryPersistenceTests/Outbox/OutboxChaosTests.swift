import StreamQueryTesting
import Synchronization
import Testing

import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything at once: processes that end, stores that fail, servers that refuse, users who change
/// their minds.
struct OutboxChaosTests {
  final class Server: Sendable {
    struct State {
      /// The inputs of each scope in the order in which they were done.
      var done: [String: [Int]] = [:]
      var atWork: [String: Int] = [:]
      var keysAtWork: Set<UUID> = []
      var trouble: [String] = []
      var random: UInt64

      /// A number below a bound.
      mutating func roll(_ bound: UInt64) -> UInt64 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (random >> 33) % bound
      }
    }

    let state: TestLock<State>

    init(seed: UInt64) { state = TestLock(State(random: seed)) }

    func roll(_ bound: UInt64) -> UInt64 { state.withLock { $0.roll(bound) } }

    func begin(_ scope: String, _ key: UUID) -> Bool {
      state.withLock { state in
        state.atWork[scope, default: 0] += 1
        if state.atWork[scope] != 1 { state.trouble.append("two runs of \(scope) at a time") }
        if !state.keysAtWork.insert(key).inserted { state.trouble.append("\(key) twice at a time") }
        return state.roll(5) == 0
      }
    }

    func end(_ scope: String, _ key: UUID, done number: Int?) {
      state.withLock { state in
        state.atWork[scope, default: 0] -= 1
        state.keysAtWork.remove(key)
        if let number { state.done[scope, default: []].append(number) }
      }
    }
  }

  private func mutation(_ scope: String, _ name: String, _ server: Server) -> Mutation<Int, Int> {
    Mutation<Int, Int>(name, scope) { input, context in
      let fails = server.begin(scope, context.idempotencyKey)
      do {
        try await Scheduling.current.clock.sleep(for: .milliseconds(5))
        if fails { throw Boom(input) }
      } catch {
        server.end(scope, context.idempotencyKey, done: nil)
        throw error
      }
      server.end(scope, context.idempotencyKey, done: input)
      return input
    }
    .scope(scope)
    .durable()
  }

  private struct World {
    var store: MemoryStore
    let server: Server
    var next = 0
    var dropped: Set<Int> = []
    var acknowledged: Set<Int> = []

    mutating func note(_ contents: StoreContents) {
      for record in contents.records {
        guard let record = OutboxRecord(record.value),
          let number = try? ArchiveCoding.json.decode(Int.self, from: record.input)
        else { continue }
        acknowledged.insert(number)
      }
    }
  }

  /// One process, with some twenty events.
  private func process(_ world: inout World, seed: UInt64, isLast: Bool) {
    let (server, memory) = (world.server, world.store)
    let simulation = Simulation(seed: seed)
    let store = SlowStore(memory, clock: simulation.clock) {
      $0.writing = .milliseconds(Int(server.roll(4)))
      $0.loading = .milliseconds(Int(server.roll(30)))
    }
    let online = ManualSignal(true)
    let mutations = ["send", "post"].flatMap { name in
      ["a", "b"].map { mutation($0, name, server) }
    }
    let knows = server.roll(2) == 0
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.outbox = OutboxConfiguration(in: store, mutations: knows ? mutations : [mutations[0]])
    }
    for _ in 0..<20 where !isLast {
      switch server.roll(9) {
      case 0, 1, 2:
        world.next += 1
        client.observer(of: mutations[Int(server.roll(4))]).start(with: world.next)
      case 3: online.send(server.roll(2) == 0)
      case 4:
        let writes = server.roll(2) == 0
        store.change { ($0.writeErrors, $0.writesBeforeErrors) = ([.denied, .full], writes) }
      case 5:
        // What is being sent has the last word.
        let waiting = client.outbox.currentItems.filter {
          if case .waiting = $0.state { $0.attempts == 0 } else { false }
        }
        guard let item = waiting.last,
          let number = try? item.input(as: Int.self)
        else { continue }
        world.dropped.insert(number)
        simulation.task { try? await client.outbox.drop(item.id) }
      case 6: client.outbox.currentItems.first.map { _ = client.outbox.retry($0.id) }
      case 7: client.outbox.register(mutations[Int(server.roll(4))])
      default: simulation.advance(by: .milliseconds(Int(server.roll(40))))
      }
      world.note(memory.load(.main))
    }
    simulation.advance(by: isLast ? .minutes(30) : .milliseconds(Int(server.roll(20))))
    if isLast {
      for mutation in mutations { client.outbox.register(mutation) }
      simulation.advance(by: .minutes(30))
      expectEmpty(client.outbox.currentItems)
    }
    world.note(memory.load(.main))
    // The next process finds what was there when this one was killed.
    let copy = MemoryStore()
    try? copy.write(StoreBatch(generation: .first, puts: memory.load(.main).records), to: .main)
    world.store = copy
    client.shutDown()
    simulation.settle()
  }

  @Test(arguments: Seeds.few(6))
  func everyPromiseIsKeptInOrder(seed: UInt64) {
    var world = World(store: MemoryStore(), server: Server(seed: seed &* 977 &+ 5))
    for number in 0..<4 {
      process(&world, seed: seed &* 10 &+ UInt64(number), isLast: number == 3)
    }
    expectEmpty(world.store.load(.main).records)
    let state = world.server.state.withLock { $0 }
    expectEmpty(state.trouble)
    let done = Set(state.done.values.joined())
    #expect(world.acknowledged.subtracting(world.dropped).isSubset(of: done))
    for (scope, numbers) in state.done {
      // What was dropped may come again if the process ended before that was written. Repeated ones
      // come again together with those that followed them.
      var last: [Int] = []
      let kept = numbers.filter { !world.dropped.contains($0) }
      for number in kept.reversed() where !last.contains(number) { last.append(number) }
      expectEqual(last, last.sorted().reversed(), "\(scope): \(numbers)")
      var first: [Int] = []
      for number in kept where !first.contains(number) { first.append(number) }
      expectEqual(first, first.sorted(), "\(scope): \(numbers)")
    }
  }
}
