import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

/// Runs that an archive brings for a mutation that is not durable, while the outbox has records of them.
struct ArchivedRunTests: OutboxSuite {
  let simulation = Simulation(seed: 45)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private struct Refused: Error {}

  /// The mutation of the archive; the outbox knows it as a durable one.
  private var plain: Mutation<Note, String> {
    Mutation(key: "note") { [server] input, context in try await server.send(input, context) }
  }

  /// Without a scope the run does not wait for the store, so it is over before the store is read.
  @Test(
    "a run that succeeds leaves no record, and a run that fails begins again as a durable one",
    arguments: [false, true],
    [false, true]
  )
  func over(hasScope: Bool, fails: Bool) {
    online.send(false)
    let durable = hasScope ? note() : plain.durable()
    let first = client()
    simulation.start(durable, with: Note(number: 1), on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    expectEqual(kept(), ["{number:1,text:}"])
    online.send(true)
    if fails { server.fail(1, Refused()) }
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [durable])
    expectEqual(second.import(archive, for: [.mutation(plain)]).mutationCount, 1)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 failed") }, fails ? 1 : 0)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
    simulation.settle()
    let third = client(knowing: [durable])
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    third.shutDown()
  }

  @Test("a run that `clear()` ends begins again as a durable one", arguments: [false, true])
  func cleared(hasScope: Bool) {
    online.send(false)
    let durable = hasScope ? note() : plain.durable()
    let first = client()
    simulation.start(durable, with: Note(number: 1), on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [durable])
    expectEqual(second.import(archive, for: [.mutation(plain)]).mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(second.outbox.currentItems.count, 1)
    second.clear()
    simulation.settle()
    expectEqual(kept(), ["{number:1,text:}"])
    online.send(true)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
  }

  /// The run was given another input in the outbox of the first client.
  @Test("a run with a changed input goes on when the outbox has been read, as any other")
  func changed() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let id = first.outbox.currentItems[0].id
    simulation.run { try? await first.outbox.rebase(id, with: Note(number: 2)) }
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    online.send(true)
    let second = client(in: SlowStore(clock: simulation.clock) { $0.loading = .seconds(1) })
    expectEqual(second.import(archive, for: [.mutation(plain)]).mutationCount, 1)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all.count { $0.hasSuffix(" 2 done") }, 1)
    second.shutDown()
  }

  /// An archive of a run that waits for the network, which is back now; the store, which has a record of the
  /// run, is read in a second.
  private func archive(of durable: Mutation<Note, String>) -> CacheArchive {
    online.send(false)
    let first = client()
    simulation.start(durable, with: Note(number: 1), on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    online.send(true)
    store.change { $0.loading = .seconds(1) }
    return archive
  }

  /// The server has made the change, so the record must not begin a durable run.
  @Test("a run that `clear()` ends while its last callback runs is not sent again")
  func clearedAfterItsSuccess() {
    let durable = plain.durable()
    let archive = archive(of: durable)
    let slow = plain.onSuccess { _, _ in
      try await Scheduling.current.clock.sleep(for: .seconds(5))
    }
    let second = client(knowing: [durable])
    expectEqual(second.import(archive, for: [.mutation(slow)]).mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(second.outbox.currentItems.count, 1)
    second.clear()
    simulation.advance(by: .seconds(10))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
  }

  /// Such a run was not given to the outbox of its client.
  @Test("a durable run whose preparation fails leaves its record, and begins again from it")
  func unprepared() {
    let archive = archive(of: note())
    let fails = TestLock(true)
    let mutation = note().onMutate { _, _ -> Void in
      if fails.withLock({ $0 }) { throw Refused() }
    }
    let second = client(knowing: [mutation])
    let imported = second.import(archive, for: [.mutation(mutation)], resuming: false)
    expectEqual(imported.mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(shown(second.outbox.currentItems), ["1 waiting"])
    simulation.task { [second] in await second.resumeMutations() }
    simulation.advance(by: .seconds(1))
    expectEqual(kept(), ["{number:1,text:}"])
    fails.withLock { $0 = false }
    for item in second.outbox.currentItems { expect(second.outbox.retry(item.id)) }
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all.count { $0.hasSuffix(" 1 done") }, 1)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
  }

  /// Its record would otherwise begin another run when the callbacks have returned.
  @Test("an item that is dropped while such a run reports its failure is not sent")
  func droppedWhileItFails() {
    let archive = archive(of: note())
    let fails = TestLock(true)
    let mutation = note()
      .onMutate { _, _ -> Void in
        if fails.withLock({ $0 }) { throw Refused() }
      }
      .onError { _, _ in try await Scheduling.current.clock.sleep(for: .seconds(5)) }
    let second = client(knowing: [mutation])
    let imported = second.import(archive, for: [.mutation(mutation)], resuming: false)
    expectEqual(imported.mutationCount, 1)
    simulation.advance(by: .seconds(2))
    simulation.task { [second] in await second.resumeMutations() }
    simulation.advance(by: .seconds(1))
    fails.withLock { $0 = false }
    expectEqual(kept(), ["{number:1,text:}"])
    let ends = Notes<Int>()
    for item in second.outbox.currentItems {
      simulation.task { [second] in
        try? await second.outbox.drop(item.id)
        ends.add(1)
      }
    }
    simulation.advance(by: .seconds(10))
    expectEqual(ends.count, 1)
    expectEmpty(server.log.all)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
  }
}
