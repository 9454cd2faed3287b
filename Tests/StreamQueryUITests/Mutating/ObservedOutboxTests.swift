import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import StreamQueryUI
import Testing

@MainActor
struct ObservedOutboxTests {
  private struct Broken: Error {}

  private func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<5 {
      Simulation.onMainActor(seed: seed) { simulation in
        let client = QueryClient(simulation: simulation) {
          $0.outbox = OutboxConfiguration(in: MemoryStore())
        }
        body(simulation, client)
      }
    }
  }

  /// Takes 10 ms, and fails for negative inputs, which waits for an answer.
  private var send: Mutation<Int, Int> {
    let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
    return Mutation("send") { (input: Int, _: MutationContext) in
      try await pause()
      if input < 0 { throw Broken() }
      return input
    }
    .scope("numbers")
    .durable()
    .onConflict { _, _, _ in .ask }
  }

  private func text(_ item: OutboxItem) -> String {
    let input = (try? item.input(as: Int.self)).map(String.init) ?? "?"
    return switch item.state {
    case .saving: "\(input) saving"
    case .waiting: "\(input) waiting"
    case .sending: "\(input) sending"
    case .stopped: "\(input) stopped"
    case .unregistered: "\(input) unregistered"
    }
  }

  @Test("what waits shows in the first frame, and each property is tracked by itself")
  func itemsShow() {
    run { simulation, client in
      let runner = ObservedMutation(send, client: client)
      runner.run(-1)
      runner.run(2)
      simulation.advance(by: .milliseconds(50))
      let outbox = ObservedOutbox(client: client)
      let items = Screen { outbox.items.map(text) }
      let counts = Screen { outbox.count }
      expectEqual(items.frames, [["-1 stopped", "2 waiting"]])
      expectEqual(outbox.stopped.map(\.attempts), [1])
      if let id = outbox.stopped.first?.id { outbox.drop(id) }
      simulation.advance(by: .seconds(1))
      expectEqual(items.frames.last, [])
      #expect(items.frames.contains(["2 sending"]))
      expectEqual(counts.frames, [2, 1, 0])
      expect(outbox.isEmpty && outbox.stopped.isEmpty)
      client.shutDown()
    }
  }

  @Test("an item is answered by a retry or another input, inside the change context")
  func answers() {
    run { simulation, client in
      let runner = ObservedMutation(send, client: client)
      runner.run(-1)
      simulation.advance(by: .milliseconds(50))
      let outbox = ObservedOutbox(client: client)
      var changes = 0
      outbox.changeContext = { change in
        changes += 1
        change()
      }
      guard let id = outbox.items.first?.id else {
        Issue.record("nothing waits")
        return
      }
      outbox.retry(id)
      simulation.advance(by: .milliseconds(50))
      expectEqual(outbox.stopped.first?.attempts, 2)
      let rebased = Task { try await outbox.rebase(id, with: 7) }
      simulation.advance(by: .seconds(1))
      #expect(outbox.isEmpty && changes > 0)
      expectEqual(runner.output, 7)
      rebased.cancel()
      client.shutDown()
    }
  }

  @Test("what waits when the client ends is shown, however late it came")
  func leftToTheNextClient() {
    run { simulation, client in
      let runner = ObservedMutation(send, client: client)
      let outbox = ObservedOutbox(client: client)
      runner.run(1)
      simulation.settle()
      expectEqual(outbox.count, 1)
      runner.run(2)
      client.shutDown()
      simulation.settle()
      expectEqual(outbox.count, 2)
    }
  }

  @Test("an object that is released follows nothing any more")
  func released() {
    run { simulation, client in
      var outbox: ObservedOutbox? = ObservedOutbox(client: client)
      weak let gone = outbox
      simulation.settle()
      outbox = nil
      simulation.settle()
      expect(gone == nil && outbox == nil)
      client.shutDown()
    }
  }
}
