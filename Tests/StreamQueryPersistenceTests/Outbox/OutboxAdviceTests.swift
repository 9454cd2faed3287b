import StreamQueryTesting
import Testing

@testable import StreamQuery
@testable import StreamQueryPersistence

/// What a client says about a set-up of its outbox, and the nearest set-up about which it says nothing.
struct OutboxAdviceTests: OutboxSuite {
  let simulation = Simulation(seed: 4)
  let store: SlowStore
  let online = ManualSignal(true)
  let server: NoteServer

  init() {
    store = SlowStore(clock: simulation.clock)
    server = NoteServer(simulation)
  }

  private func rules(_ client: QueryClient) -> [String] { client.advice().map(\.rule) }

  private var unordered: Mutation<Note, String> {
    Mutation("create") { (_: Note) in "" }.durable().replacingIDs { _, _ in [:] }
  }

  @Test("a durable mutation that runs without an outbox is named")
  func missingOutbox() {
    let client = QueryClient(simulation: simulation)
    simulation.start(Mutation("plain") { (input: Int) in input }, with: 1, on: client)
    expectEqual(rules(client), [])
    simulation.start(note(), with: Note(number: 1), on: client)
    expectEqual(client.advice().map(\.problem), [#"Durable mutations without an outbox: "note""#])
    let other = self.client(knowing: [note()])
    simulation.start(note(), with: Note(number: 1), on: other)
    expectEqual(rules(other), [])
    other.shutDown()
  }

  @Test("a mutation that replaces identifiers needs a scope of any kind, from any layer")
  func scopes() {
    expectEqual(rules(client(knowing: [unordered])), ["replacedIDsWithoutScope"])
    let ordered: [any DurableMutation] = [
      unordered.scope("notes"), unordered.scope { _ in nil }, unordered.pacing(.newest),
      Mutation("plain") { (_: Note) in "" }.durable(),
    ]
    for mutation in ordered { expectEqual(rules(client(knowing: [mutation])), []) }
    let client = client(knowing: [unordered])
    client.setMutationDefaults(MutationOptions(scope: "notes"), for: "create")
    expectEqual(rules(client), [])
  }

  @Test("durable mutations of one key with different types are named")
  func sameKey() {
    let other = Mutation<Int, String>(key: "note") { _ in "" }.durable()
    expectEqual(rules(client(knowing: [note(), other])), ["sameMutationKey"])
    expectEqual(rules(client(knowing: [note(), note()])), [])
    expectEqual(rules(client(knowing: [note("another"), other])), [])
  }

  @Test("a directory for caches is no place for an outbox")
  func purgeable() {
    expectEqual(OutboxFacts(isPurgeable: true).advice.map(\.rule), ["purgeableOutbox"])
    expectEqual(OutboxFacts().advice, [])
    let places = [
      "/var/mobile/Containers/Data/Application/1/Library/Caches/Outbox": true,
      "/Users/ada/Library/Caches": true,
      "/home/ada/.cache/app/outbox": true,
      "/Users/ada/Library/Application Support/Caches": false,
      "/srv/Caches/outbox": false,
      "/var/lib/app/outbox": false,
    ]
    for (directory, isInCaches) in places {
      let store = FileStore(directory: directory, system: PosixFileSystem(protection: .none))
      expectEqual(store.isInCaches, isInCaches, "\(directory)")
    }
  }
}
