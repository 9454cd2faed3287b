import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// What of a lane of newest versions nobody can send, or somebody takes back.
struct OutboxLaneTests: OutboxSuite {
  /// The input of the next version of the app.
  private struct Letter: Codable, Sendable { var title: String }

  let simulation = Simulation(seed: 10)
  let store: SlowStore
  let online = ManualSignal(false)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private func draft() -> Mutation<Note, String> {
    Mutation(key: "draft") { [server] input, context in try await server.send(input, context) }
      .pacing(.newest)
  }

  private func letter(
    _ change: (inout MutationOptions) -> Void = { _ in }
  ) -> Mutation<Letter, String> {
    Mutation(key: "draft") { [server] input, _ in
      server.log.add(input.title)
      return input.title
    }
    .pacing(.newest)
    .options(change)
  }

  private func dropLast(_ client: QueryClient) {
    guard let id = client.outbox.currentItems.last?.id else { return }
    simulation.run { try? await client.outbox.drop(id) }
  }

  /// The store of a process that has left a draft.
  private func left() -> SlowStore {
    let former = client()
    simulation.start(draft().durable(), with: Note(number: 1), on: former)
    return kill(former)
  }

  @Test("a newer version takes the place of one that cannot be read, when it is written")
  func unreadable() {
    let place = left()
    let next = client(in: place, knowing: [letter().durable()])
    let events = simulation.record(next.events)
    expectEqual(shown(next.outbox.currentItems).count, 1)
    for number in 1...3 {
      simulation.start(letter().durable(), with: Letter(title: "t\(number)"), on: next)
    }
    expectEqual(kept(in: place), ["{title:t3}"])
    let replaced = OutboxError.replacedUnread(mutation: #"["draft"]"#, version: "")
    expectEqual(failures(events), ["\(replaced)"])
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["t3"])
    expectEmpty(kept(in: place))
    next.shutDown()
  }

  @Test("a newer version that may be taken back does so when it is sent", arguments: [true, false])
  func unreadableAndDelayed(isTakenBack: Bool) {
    let place = left()
    online.send(true)
    let mutation = letter { $0.delay = .seconds(5) }.durable()
    let next = client(in: place, knowing: [mutation])
    simulation.start(mutation, with: Letter(title: "t"), on: next)
    simulation.advance(by: .seconds(4))
    expectEqual(kept(in: place), ["{number:1,text:}", "{title:t}"])
    if isTakenBack { dropLast(next) }
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, isTakenBack ? [] : ["t"])
    expectEqual(kept(in: place), isTakenBack ? ["{number:1,text:}"] : [])
    next.shutDown()
  }

  @Test("a newer version that was left behind one that cannot be read takes its place")
  func bothLeft() {
    let place = left()
    let second = client(in: place)
    simulation.start(letter().durable(), with: Letter(title: "t"), on: second)
    let batch = StoreBatch(generation: .first, puts: place.memory.load(.main).records)
    let memory = MemoryStore()
    try? memory.write(batch, to: .main)
    second.shutDown()
    simulation.settle()
    let copy = SlowStore(memory, clock: simulation.clock)
    online.send(true)
    let third = client(in: copy, knowing: [letter().durable()])
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["t"])
    expectEmpty(kept(in: copy))
    third.shutDown()
  }

  @Test("what is no version of it still holds up the newest of a scope")
  func otherMutation() {
    let former = client()
    simulation.start(note("other"), with: Note(number: 1), on: former)
    let place = kill(former)
    online.send(true)
    let next = client(in: place)
    simulation.start(note().pacing(.newest), with: Note(number: 2), on: next)
    simulation.advance(by: .minutes(1))
    expectEmpty(server.log.all)
    next.outbox.register(note("other"))
    simulation.advance(by: .minutes(1))
    let done = server.log.all.filter { $0.hasSuffix("done") }.map { String($0.suffix(6)) }
    expectEqual(done, ["1 done", "2 done"])
    next.shutDown()
  }

  @Test(
    "a newer version that is taken back leaves the older one that was sent in vain",
    arguments: [true, false]
  )
  func takenBack(isDurable: Bool) {
    online.send(true)
    let plain = draft().retry(.forever)
    let mutation = isDurable ? plain.durable() : plain
    server.fail(1, Boom(1))
    let client = client()
    simulation.start(mutation, with: Note(number: 1), on: client)
    simulation.advance(by: .milliseconds(100))
    let delayed = mutation.delayed(by: .seconds(10))
    let second = simulation.start(delayed, with: Note(number: 2), on: client)
    simulation.advance(by: .milliseconds(100))
    if isDurable { dropLast(client) } else { second.cancel() }
    simulation.advance(by: .minutes(5))
    expectEqual(server.log.all.count, 4)
    expectEqual(server.log.all.last?.hasSuffix(" 1 done"), true)
    expectEmpty(kept())
    client.shutDown()
  }

  @Test(
    "a newer version takes the place of an older one as soon as it cannot be taken back",
    arguments: [true, false]
  )
  func notTakenBack(isDurable: Bool) {
    let mutation = isDurable ? draft().durable() : draft()
    let client = client()
    let first = simulation.start(mutation, with: Note(number: 1), on: client)
    let delayed = mutation.delayed(by: .seconds(10))
    // The later of two that may be taken back takes the place of the other one at once.
    for number in 2...3 { simulation.start(delayed, with: Note(number: number), on: client) }
    expectEqual(client.mutatingCount(), 2)
    simulation.advance(by: .milliseconds(9_999))
    expectEqual(client.mutatingCount(), 2)
    simulation.advance(by: .milliseconds(1))
    expectEqual(client.mutatingCount(), 1)
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await first.value } }
    online.send(true)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["10000 3", "10010 3 done"])
    client.shutDown()
  }

  @Test("what waits for others is sent although the store cannot be read again")
  func neverRead() {
    online.send(true)
    let slow = Mutation<Note, String>(key: "note") { [server] input, context in
      if input.text == "slow" {
        // Deaf to cancellation.
        await Task.detached(executorPreference: Scheduling.current.executor) {
          try? await server.clock.sleep(for: .seconds(5))
        }.value
      }
      return try await server.send(input, context)
    }
    .scope("notes")
    .durable()
    let first = client(knowing: [slow])
    let second = client(knowing: [note("other")])
    simulation.start(slow, with: Note(number: 1, text: "slow"), on: first)
    simulation.advance(by: .milliseconds(100))
    first.shutDown()
    simulation.settle()
    simulation.start(note("other"), with: Note(number: 2), on: second)
    simulation.advance(by: .milliseconds(100))
    expectEqual(shown(second.outbox.currentItems), ["2 saving"])
    store.change { $0.loadError = .closed }
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all.last?.hasSuffix(" 2 done"), true)
    expectEqual(second.mutatingCount(), 0)
    second.shutDown()
  }

  @Test("a newer version takes the place of an unreadable one of its own item only")
  func otherItem() {
    let former = client()
    let old = draft().scope("s").pacing(.newest, of: \.number).durable()
    simulation.start(old, with: Note(number: 1), on: former)
    let place = kill(former)
    online.send(true)
    let mutation = letter().scope("s").pacing(.newest) { Int($0.title) }.durable()
    let next = client(in: place, knowing: [mutation])
    let events = simulation.record(next.events)
    simulation.start(mutation, with: Letter(title: "2"), on: next)
    simulation.advance(by: .minutes(1))
    expectEqual(kept(in: place), ["{number:1,text:}", "{title:2}"])
    expectEmpty(server.log.all)
    simulation.start(mutation, with: Letter(title: "1"), on: next)
    simulation.advance(by: .minutes(1))
    expectEqual(server.log.all, ["2", "1"])
    expectEmpty(kept(in: place))
    expectEqual(failures(events), [])
    next.shutDown()
  }
}
