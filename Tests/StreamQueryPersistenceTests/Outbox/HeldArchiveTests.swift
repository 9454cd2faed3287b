import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Items of an outbox whose runs an archive brought before the store was read, to be resumed later.
struct HeldArchiveTests: OutboxSuite {
  let simulation = Simulation(seed: 71)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  /// A client with an item of which an archive has brought a former input.
  private func restored() -> QueryClient {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    let id = first.outbox.currentItems[0].id
    simulation.run { try? await first.outbox.rebase(id, with: Note(number: 2)) }
    first.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [note()])
    let imported = second.import(archive, for: [.mutation(note())], resuming: false)
    expectEqual(imported.mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(second.outbox.currentItems), ["2 waiting"])
    return second
  }

  @Test("an item that is dropped is not sent when its run would be resumed")
  func dropped() {
    let client = restored()
    let id = client.outbox.currentItems[0].id
    simulation.run { [client] in try? await client.outbox.drop(id) }
    expectEmpty(kept())
    online.send(true)
    simulation.task { [client] in await client.resumeMutations() }
    simulation.advance(by: .seconds(5))
    expectEmpty(server.log.all)
    expectEmpty(client.outbox.currentItems)
    client.shutDown()
  }

  /// The outbox does not know the mutation of the item, or the mutation of the archive is not durable.
  @Test("nor is an item sent whose run the outbox does not know", arguments: [false, true])
  func droppedWithAnUnknownRun(isDurable: Bool) {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(1) }
    let plain = Mutation<Note, String>(key: "note") { [server] in try await server.send($0, $1) }
    let second = client(knowing: isDurable ? [] : [note()])
    let archived = isDurable ? note() : plain
    let imported = second.import(archive, for: [.mutation(archived)], resuming: false)
    expectEqual(imported.mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(second.outbox.currentItems), [isDurable ? "1 unregistered" : "1 waiting"])
    for item in second.outbox.currentItems {
      simulation.run { [second] in try? await second.outbox.drop(item.id) }
    }
    expectEmpty(kept())
    online.send(true)
    simulation.task { [second] in await second.resumeMutations() }
    simulation.advance(by: .seconds(5))
    expectEmpty(server.log.all)
    expectEmpty(second.outbox.currentItems)
    second.shutDown()
  }

  @Test("an item that gets another input is sent with that input")
  func rebased() {
    let client = restored()
    let id = client.outbox.currentItems[0].id
    let answer = simulation.run { [client] () async -> String in
      do {
        try await client.outbox.rebase(id, with: Note(number: 3))
        return "rebased"
      } catch {
        return "\(error)"
      }
    }
    expectEqual(answer, "rebased")
    expectEqual(kept(), ["{number:3,text:}"])
    online.send(true)
    simulation.task { [client] in await client.resumeMutations() }
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.count { $0.hasSuffix(" 3 done") }, 1)
    expectEqual(server.log.all.count, 2)
    expectEmpty(kept())
    client.shutDown()
  }
}
