import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// Durable runs whose attempts take too long.
struct OutboxTimeoutTests: OutboxSuite {
  let simulation = Simulation(seed: 29)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  /// Hangs in the first attempts of each process.
  private func hanging(_ count: Int = 1) -> Mutation<Note, String> {
    Mutation(key: "note") { [server] input, context in
      if context.attempt < count {
        server.log.add("\(server.clock.now.offset.milliseconds) \(input) hangs")
        try await Scheduling.current.clock.sleep(for: .seconds(36_000))
      }
      return try await server.send(input, context)
    }
    .scope("notes")
    .timeout(.seconds(2))
    .durable()
  }

  @Test("a durable run that hung is tried again, and those behind it wait")
  func triedAgain() {
    let client = client()
    simulation.start(hanging(2), with: Note(number: 1), on: client)
    simulation.start(note(), with: Note(number: 2), on: client)
    simulation.advance(by: .minutes(1))
    expectEqual(
      server.log.all,
      [
        "0 1 hangs", "3000 1 hangs", "7000 1", "7010 1 done", "7010 2", "7020 2 done",
      ]
    )
    expectEmpty(kept())
    client.shutDown()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test("its mutation answers what becomes of it, with the task-locals of its caller")
  func answered() {
    let errors = Notes<String>()
    let mutation = hanging(.max).onConflict { error, _, context in
      errors.add("\(context.attempt) \(error) \(Request.name)")
      return context.attempt < 1 ? .retry : .drop
    }
    let client = client()
    Request.$name.withValue("ada") {
      simulation.start(mutation, with: Note(number: 1), on: client)
    }
    simulation.advance(by: .minutes(1))
    let limit = #"an attempt of the mutation ["note"] took longer than 2.0 seconds"#
    expectEqual(errors.all, ["0 \(limit) ada", "1 \(limit) ada"])
    expectEmpty(kept())
    client.shutDown()
  }

  private enum Request {
    @TaskLocal static var name = "nobody"
  }

  @Test("a run is held until each of its attempts has ended, whichever ends first")
  func overlappingAttempts() throws {
    online.send(false)
    let client = client()
    let engine = try #require(client.durableRuns as? OutboxEngine)
    simulation.start(note(), with: Note(number: 1), on: client)
    simulation.settle()
    let job = try #require(
      client.cache.read { state in
        state.mutations.all.first.flatMap { state.mutations.find($0) }
          .flatMap { state.mutations.slots[$0].job }
      }
    )
    func held() -> [RunIdentity] { engine.update { Array($0.held.runs) } }
    expectEqual(held(), [])
    for _ in 1...2 { expect(engine.attemptBegan(job)) }
    engine.attemptEnded(job)
    expectEqual(held(), [job.identity])
    engine.attemptEnded(job)
    expectEqual(held(), [])
    client.shutDown()
  }
}
