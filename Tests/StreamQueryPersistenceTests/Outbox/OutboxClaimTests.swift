import Foundation
import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// No two clients of one store object send the same run, whatever comes between the steps of one.
struct OutboxClaimTests: OutboxSuite {
  let simulation = Simulation(seed: 26)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  /// The run is in the ledger of the first client, whose thread is interrupted there: another one
  /// writes the record, and a second client reads it.
  @Test("a run belongs to its client from the step on in which it is taken into the ledger")
  func claimedAtOnce() throws {
    let first = client()
    let engine = try #require(first.durableRuns as? OutboxEngine)
    let mutation = note().onMutate { _, _ in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
    }
    simulation.start(mutation, with: Note(number: 1), on: first)
    let job = try #require(
      first.cache.read { state in
        state.mutations.all.first.flatMap { state.mutations.find($0) }
          .flatMap { state.mutations.slots[$0].job }
      }
    )
    let header = OutboxRecord.Header(
      id: job.identity.uuid,
      revision: 0,
      mutation: #"["note"]"#,
      scope: job.scope,
      date: job.submittedAt.date,
      version: ""
    )
    let record = try OutboxRecord(header, input: ArchiveCoding.json.encode(Note(number: 1)))
    engine.update { _ = $0.accept(job, record, for: engine) }
    engine.start { $0.writer.changed() }
    simulation.settle()
    expectEqual(kept(), ["{number:1,text:}"])
    let second = client(knowing: [note()])
    expectEmpty(second.outbox.currentItems)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["1000 1", "1010 1 done"])
    expectEmpty(kept())
    first.shutDown()
    second.shutDown()
  }

  /// Who still reads may have read the record before it was removed.
  @Test("a run whose record was removed is refused while anybody reads, and free when nobody does")
  func removedWhileRead() throws {
    let (client, other) = (client(), client())
    let engine = try #require(client.durableRuns as? OutboxEngine)
    let next = try #require(other.durableRuns as? OutboxEngine)
    let (claims, key) = (OutboxClaims(), engine.claimsKey)
    let run = RunIdentity(high: 1, low: 1)
    expectEqual(claims.claim([run], key, engine), [run])
    expectEqual(claims.claim([run], key, next), [])
    for _ in 0..<2 { _ = claims.readingBegan(key) }
    claims.release([run], key, engine)
    expectEqual(claims.claim([run], key, engine), [])
    claims.readingEnded(key)
    expectEqual(claims.claim([run], key, engine), [])
    claims.readingEnded(key)
    expectEqual(claims.claim([run], key, next), [run])
    client.shutDown()
    other.shutDown()
  }

  @Test("a new number is above those that were read, and who has left is none of those who go on")
  func numbersAndOwners() throws {
    let (client, other) = (client(), client())
    let engine = try #require(client.durableRuns as? OutboxEngine)
    let next = try #require(other.durableRuns as? OutboxEngine)
    let (claims, key) = (OutboxClaims(), engine.claimsKey)
    for engine in [engine, next] { claims.join(key, engine) }
    let header = OutboxRecord.Header(
      id: UUID(),
      revision: 0,
      mutation: #"["note"]"#,
      date: 0,
      version: ""
    )
    let record = try OutboxRecord(header, input: Data())
    _ = claims.claim([(serial: 7, record: record)], except: [], key, engine)
    expectEqual(claims.number(key, atLeast: 0), 8)
    let rest = claims.leave(key, ObjectIdentifier(engine), holding: [], in: [])
    expectEqual(rest.map(ObjectIdentifier.init), [ObjectIdentifier(next)])
    client.shutDown()
    other.shutDown()
  }

  /// It knows nothing of the run when the archive comes: it has read the store before.
  @Test("a run that an archive brings while another client has it is not sent by both")
  func imported() {
    online.send(false)
    let (first, second) = (client(), client(knowing: [note()]))
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    expectEqual(second.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.settle()
    expectEqual(second.mutatingCount(), 0)
    expectEmpty(second.outbox.currentItems)
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEmpty(kept())
    first.shutDown()
    second.shutDown()
  }

  @Test("a run that an archive brought while another client had it is sent when that one has ended")
  func importedAndLeft() {
    online.send(false)
    let (first, second) = (client(), client(knowing: [note()]))
    simulation.start(note(), with: Note(number: 1), on: first)
    second.import(first.export().archive, for: [.mutation(note())])
    simulation.settle()
    expectEmpty(second.outbox.currentItems)
    first.shutDown()
    simulation.settle()
    expectEqual(shown(second.outbox.currentItems), ["1 waiting"])
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEmpty(kept())
    second.shutDown()
  }

  /// As the first, but the archive comes while the store is read.
  @Test("nor is one that waits for the store to be read")
  func importedWhileReading() {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [note()])
    expectEqual(second.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.advance(by: .seconds(2))
    expectEqual(second.mutatingCount(), 0)
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["2000 1", "2010 1 done"])
    first.shutDown()
    second.shutDown()
  }

  /// Makes a client that imports the run of one before it, offline and while it reads the record of that run.
  private func importingClient() -> QueryClient {
    online.send(false)
    let first = client()
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    first.shutDown()
    simulation.settle()
    expectEqual(kept(), ["{number:1,text:}"])
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [note()])
    expectEqual(second.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.settle()
    return second
  }

  /// An app exports at its end, and imports at its next launch.
  @Test("a run of an archive that is cancelled while the store is read leaves no record there")
  func cancelledWhileReading() {
    let second = importingClient()
    second.cancelMutations()
    simulation.advance(by: .seconds(2))
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
    simulation.settle()
    online.send(true)
    let third = client(knowing: [note()])
    simulation.advance(by: .seconds(2))
    expectEmpty(server.log.all)
    third.shutDown()
  }

  /// The client ends before it knows whether there is a record to remove.
  @Test("nor if the client that cancelled it ends before the store is read")
  func cancelledBeforeTheEnd() {
    let second = importingClient()
    second.cancelMutations()
    simulation.settle()
    second.shutDown()
    simulation.advance(by: .seconds(2))
    expectEmpty(kept())
    online.send(true)
    let third = client(knowing: [note()])
    simulation.advance(by: .seconds(5))
    expectEmpty(server.log.all)
    third.shutDown()
  }

  /// A mutation whose first request takes two seconds, and cannot be called back.
  private var stubborn: Mutation<Note, String> {
    Mutation<Note, String>(key: "note") { [server] input, context in
      guard server.log.all.isEmpty else { return try await server.send(input, context) }
      server.log.add("begins")
      // The simulation is not captured: it would retain itself through the client.
      let scheduling = Scheduling.current
      await Task.detached(executorPreference: scheduling.executor) {
        try? await scheduling.clock.sleep(for: .seconds(2))
      }.value
      return ""
    }
    .scope("notes")
    .durable()
  }

  /// The first reading must leave the record alone, because another client still sends in its scope.
  @Test("nor if its record can only be taken over later")
  func cancelledInABarredScope() {
    let first = client(knowing: [stubborn])
    for number in 1...2 { simulation.start(stubborn, with: Note(number: number), on: first) }
    let archive = first.export().archive
    first.shutDown()
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [stubborn])
    // The first run is being sent, so it is in no archive.
    expectEqual(second.import(archive, for: [.mutation(stubborn)]).mutationCount, 1)
    simulation.settle()
    second.cancelMutations()
    simulation.advance(by: .seconds(5))
    #expect(server.log.all.contains { $0.hasSuffix(" 1 done") })
    #expect(!server.log.all.contains { $0.hasSuffix(" 2") })
    expectEmpty(kept())
    second.shutDown()
  }

  /// The client ends before it knows that the store has the run.
  @Test("a run of an archive is in the store once, also if its client ends while that is read")
  func endedWhileReading() {
    let second = importingClient()
    second.shutDown()
    simulation.advance(by: .seconds(2))
    expectEqual(kept(), ["{number:1,text:}"])
    online.send(true)
    let third = client(knowing: [note()])
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["3000 1", "3010 1 done"])
    expectEmpty(kept())
    third.shutDown()
  }

  @Test("nor is it there twice if another client still sends in its scope when the store is read")
  func importedIntoABarredScope() {
    let first = client(knowing: [stubborn])
    for number in 1...2 { simulation.start(stubborn, with: Note(number: number), on: first) }
    let archive = first.export().archive
    first.shutDown()
    store.change { $0.loading = .seconds(1) }
    let second = client(knowing: [stubborn])
    expectEqual(second.import(archive, for: [.mutation(stubborn)]).mutationCount, 1)
    simulation.advance(by: .milliseconds(1_500))
    expectEqual(kept(), ["{number:1,text:}", "{number:2,text:}"])
    expectEqual(server.log.all, ["begins"])
    simulation.advance(by: .minutes(1))
    #expect(server.log.all.count { $0.hasSuffix(" 2") } == 1)
    expectEmpty(second.outbox.currentItems)
    expectEmpty(kept())
    second.shutDown()
  }

  /// The first reading found nothing, so the run is not known when the archive comes.
  @Test("nor is it there twice if the archive comes while the store is read again")
  func importedWhileReadingAgain() {
    online.send(false)
    let (first, second) = (client(), client())
    simulation.start(note(), with: Note(number: 1), on: first)
    let archive = first.export().archive
    store.change { $0.loading = .seconds(1) }
    first.shutDown()
    simulation.settle()
    expectEqual(second.import(archive, for: [.mutation(note())]).mutationCount, 1)
    simulation.advance(by: .seconds(5))
    expectEqual(kept(), ["{number:1,text:}"])
    expectEqual(shown(second.outbox.currentItems), ["1 waiting"])
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["5000 1", "5010 1 done"])
    expectEmpty(kept())
    second.shutDown()
  }

  @Test("an outbox that is erased between its end and its last round leaves its scopes to others")
  func erasedBeforeTheLastRound() throws {
    store.change { $0.writeErrors = [.denied] }
    let first = client()
    let engine = try #require(first.durableRuns as? OutboxEngine)
    simulation.start(note(), with: Note(number: 1), on: first)
    simulation.settle()
    engine.end(writing: true)
    engine.end(writing: false)
    simulation.settle()
    let second = client(knowing: [note()])
    simulation.start(note(), with: Note(number: 2), on: second)
    simulation.advance(by: .seconds(5))
    expectEqual(server.log.all, ["0 2", "10 2 done"])
    second.shutDown()
    first.shutDown()
  }

  /// The thread that left first is interrupted before it tells the others, until the last round is over.
  @Test("a scope that is barred too late is free again after the next reading")
  func barredTooLate() throws {
    let first = client()
    let second = client(knowing: [note()])
    let engine = try #require(second.durableRuns as? OutboxEngine)
    first.shutDown()
    simulation.settle()
    engine.retryLoad(barring: ["notes"])
    expectEqual(engine.update { $0.ledger.barred }, ["notes"])
    simulation.start(note(), with: Note(number: 1), on: second)
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEqual(engine.update { $0.ledger.barred }, [])
    second.shutDown()
  }

  /// Another process had the store when the first client came.
  @Test("an outbox whose store is closed leaves to others what an ended one has left")
  func closedOutbox() throws {
    store.change { $0.loadError = .inUse }
    let first = client(knowing: [note()])
    store.change { $0.loadError = nil }
    online.send(false)
    let second = client()
    simulation.start(note(), with: Note(number: 1), on: second)
    second.shutDown()
    simulation.settle()
    expectEmpty(first.outbox.currentItems)
    // Nor does the first one wait for ever in the scopes of others.
    let engine = try #require(first.durableRuns as? OutboxEngine)
    engine.retryLoad(barring: ["notes"])
    simulation.settle()
    expectEqual(engine.update { $0.ledger.barred }, [])
    let loads = store.loads
    let third = client(knowing: [note()])
    expectEqual(store.loads, loads + 1)
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["0 1", "10 1 done"])
    expectEmpty(kept())
    third.shutDown()
    first.shutDown()
  }

  @Test("what is left while the last batch is written is held until the store has it")
  func leavingDuringTheLastWrite() throws {
    store.change { $0.writing = .seconds(1) }
    let first = client()
    let second = client()
    let engine = try #require(first.durableRuns as? OutboxEngine)
    simulation.start(note(), with: Note(number: 1), on: first)
    simulation.settle()
    let runs = engine.update { Set($0.ledger.underWay.keys) }
    expectEqual(runs.count, 1)
    first.shutDown()
    expectEqual(engine.update { $0.held.runs }, runs)
    let barred = try #require(second.durableRuns as? OutboxEngine)
    expectEqual(barred.update { $0.ledger.barred }, ["notes"])
    simulation.advance(by: .seconds(1))
    expectEqual(engine.update { $0.held.runs }, [])
    simulation.advance(by: .seconds(1))
    expectEqual(barred.update { $0.ledger.barred }, [])
    second.outbox.register(note())
    simulation.advance(by: .seconds(1))
    expectEqual(server.log.all, ["2000 1", "2010 1 done"])
    second.shutDown()
  }
}
