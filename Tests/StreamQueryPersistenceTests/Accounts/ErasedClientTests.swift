import StreamQueryTesting
import Synchronization
import Testing

@_spi(Adapters) @testable import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What can be read of an account after its end: nothing.
struct ErasedClientTests {
  let simulation = Simulation(seed: 42)
  let store: SlowStore
  let key: QueryKey<String> = ["secret"]

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  private func account() throws -> QueryAccount {
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      configuration.persistence = Persistence(in: store)
    }
    return try simulation.run { try await accounts.open("ada") }
  }

  private func end(_ account: QueryAccount) throws {
    try simulation.run { try await account.end() }
  }

  @Test("no call of the client shows or keeps anything")
  func calls() throws {
    let account = try account()
    let client = account.client
    client.setData("x", for: key)
    try simulation.run { try await client.save() }
    try end(account)
    expectNil(client.data(for: key))
    expectNil(client.result(for: Query(key: key)).data)
    expectEmpty(client.diagnostics())
    expectEmpty(client.export().archive.entries)
    client.setData("y", for: key)
    expectNil(client.data(for: key))
    client.updateData(for: key) { $0 = "z" }
    expectNil(client.data(for: key))
    simulation.run {
      let query = Query(key: key) { "fetched" }
      _ = await #expect(throws: QueryError.self) { try await client.fetch(query) }
      for await _ in client.stream(query) { Issue.record("an element") }
      for await _ in client.events { Issue.record("an event") }
    }
    simulation.advance(by: .minutes(2))
    expectEmpty(store.memory.load("account/ada").records)
  }

  @Test("a store that is first used after the end is not read")
  func firstUse() throws {
    let accounts = QueryAccounts(in: store, simulation: simulation)
    let account = try simulation.run { try await accounts.open("ada") }
    try end(account)
    let loads = store.loads
    let query = Query(key: key) { "fetched" }.persisted(in: store)
    expectNil(account.client.result(for: query).data)
    expectNil(account.client.data(for: query))
    simulation.settle()
    expectEqual(store.loads, loads)
  }

  @Test("events that nobody has read yet are gone")
  func events() throws {
    let account = try account()
    let events = account.client.events
    account.client.setData("x", for: key)
    try end(account)
    let count = simulation.run {
      var count = 0
      for await _ in events { count += 1 }
      return count
    }
    expectEqual(count, 0)
  }

  @Test("a fetch is cancelled, its caller leaves, and its late answer is dropped")
  func lateAnswer() throws {
    let account = try account()
    let client = account.client
    try simulation.run { try await client.restore() }
    let answers = Recorded<String>()
    let query = Query(key: key) { [clock = simulation.clock, executor = simulation.executor] in
      // Work that does not stop when it is cancelled.
      await Task(executorPreference: executor) { try? await clock.sleep(for: .seconds(1)) }.value
      answers.append(Task.isCancelled ? "cancelled" : "answered")
      return "late"
    }
    let caller = simulation.task { try await client.fetch(query) }
    simulation.settle()
    try end(account)
    simulation.run { _ = await #expect(throws: CancellationError.self) { try await caller.value } }
    simulation.advance(by: .seconds(2))
    expectNil(client.data(for: key))
  }

  @Test("the handle of a mutation shows no run, and a paused run is gone")
  func mutations() throws {
    let account = try account()
    let client = account.client
    let rename = Mutation("rename") { (name: String, _: MutationContext) in "renamed to \(name)" }
    let handle = client.observer(of: rename)
    _ = try simulation.run { try await handle.mutate("secret") }
    expectEqual(handle.run.output, "renamed to secret")
    try end(account)
    expectNil(handle.run.output)
    expectNil(handle.run.input)
    expectEmpty(client.export().archive.mutations)
  }

  @Test("defaults that were registered are gone, with what their closures hold")
  func defaults() throws {
    final class Held: Sendable {}
    let accounts = QueryAccounts(in: store, simulation: simulation) { _, configuration in
      configuration.defaults = QueryDefaults(gcTime: .seconds(7))
    }
    let account = try simulation.run { try await accounts.open("ada") }
    let client = account.client
    weak var held: Held?
    do {
      let object = Held()
      held = object
      client.setDefaults(QueryDefaults(staleTime: .hours(1), fetch: { _ in "\(object)" }))
      client.setDefaults(QueryOptions(staleTime: .after(.hours(2))), for: "secret") { _ in
        "\(object)"
      }
      client.setMutationDefaults(MutationOptions(retry: 1), for: "secret") { _, _ in "\(object)" }
    }
    // What is made under them holds them as well.
    let stream = client.stream(Query<String>(key: "secret"))
    simulation.settle()
    expect(held != nil)
    expect(client.data(for: "secret" as QueryKey<String>) != nil)
    expect(client.defaultOptions(for: "secret").staleTime != nil)
    expect(client.mutationDefaults(for: "secret").retry != nil)
    try end(account)
    expectNil(held)
    client.setDefaults(QueryOptions(staleTime: .after(.hours(2))), for: "secret")
    client.setMutationDefaults(MutationOptions(retry: 1), for: "secret")
    expectNil(client.defaultOptions(for: "secret").staleTime)
    expectEqual(client.defaultOptions(for: "secret").gcTime, .seconds(7))
    expectNil(client.mutationDefaults(for: "secret").retry)
    withExtendedLifetime(stream) {}
  }

  @Test("a client that was shut down before shows an empty outbox once its account has ended")
  func outboxAfterShutDown() throws {
    struct Refused: Error {}
    // It waits to be sent again and again.
    let promise = Mutation("promise") { (_: String, _: MutationContext) in throw Refused() }
      .durable()
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      configuration.outbox = OutboxConfiguration(in: store, mutations: [promise])
    }
    let account = try simulation.run { try await accounts.open("ada") }
    let client = account.client
    client.observer(of: promise).start(with: "secret")
    simulation.settle()
    expectEqual(client.outbox.currentItems.count, 1)
    client.shutDown()
    try end(account)
    expectEmpty(client.outbox.currentItems)
  }

  @Test("an archive that is being encoded at the end is empty")
  func archive() throws {
    let account = try account()
    let client = account.client
    client.setData("x", for: key)
    let coding = ArchiveCoding(
      encode: { value in
        client.erase()
        return try ArchiveCoding.json.encode(value)
      },
      decode: { _, _ in throw CancellationError() }
    )
    let export = client.export(coding: coding)
    expectEmpty(export.archive.entries)
    simulation.settle()
  }

  @Test("a value that is being encoded for the store at the end is not written")
  func savedValue() throws {
    let account = Recorded<QueryAccount>()
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      var persistence = Persistence(in: store)
      persistence.redact = { value, _ in
        for account in account.values { account.client.erase() }
        return value
      }
      configuration.persistence = persistence
    }
    let opened = try simulation.run { try await accounts.open("ada") }
    account.append(opened)
    opened.client.setData("x", for: key)
    simulation.advance(by: .minutes(2))
    #expect(store.batches.allSatisfy { $0.puts.allSatisfy { !$0.key.hasPrefix("query/") } })
    expectEmpty(store.memory.load("account/ada").records)
    // The configuration holds it, and it holds the configuration.
    account.removeAll()
  }

  @Test("the end waits for those who show the account's data, one after the other")
  func handlers() throws {
    let account = try account()
    let order = Recorded<String>()
    let first = account.client.whenErased { [clock = simulation.clock] in
      order.append("first begins")
      try? await clock.sleep(for: .seconds(1))
      order.append("first ends")
    }
    let second = account.client.whenErased { order.append("second") }
    do { _ = account.client.whenErased { order.append("released") } }
    expect(!account.client.isErased)
    try end(account)
    order.append("ended")
    expectEqual(order.values, ["first begins", "first ends", "second", "ended"])
    expect(account.client.isErased)
    expectNil(account.client.whenErased {})
    withExtendedLifetime((first, second)) {}
  }

  @Test("a value that is being decoded at the end is not shown")
  func decodedValue() throws {
    let hook = Recorded<QueryClient>()
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      var persistence = Persistence(in: store)
      persistence.coding = ArchiveCoding {
        try JSONEncoder().encode($0)
      } decode: { type, data in
        for client in hook.values { client.erase() }
        return try JSONDecoder().decode(type, from: data)
      }
      configuration.persistence = persistence
    }
    let account = try simulation.run { [key] in
      let first = try await accounts.open("ada")
      first.client.setData("x", for: key)
      try await first.close()
      let again = try await accounts.open("ada")
      try await again.client.restore()
      return again
    }
    hook.append(account.client)
    expectNil(account.client.data(for: key))
    hook.removeAll()
  }

  @Test("an answer after the end leaves nothing in the outbox", arguments: [false, true])
  func lateAnswer(isErased: Bool) throws {
    let answer = SharedOneShot<Void>()
    let asked = TestLock(0)
    let create = Mutation<String, String>(key: "create") { input, _ in
      // A request that cannot be called back.
      _ = await answer.wait()
      return "real " + input
    }
    .durable()
    .replacingIDs { input, output in
      asked.withLock { $0 += 1 }
      return [input: output]
    }
    let accounts = QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      configuration.outbox = OutboxConfiguration(in: store, mutations: [create])
    }
    let account = try simulation.run { try await accounts.open("ada") }
    simulation.settle()
    account.client.observer(of: create).start(with: "secret")
    simulation.settle()
    let isSending = account.client.outbox.currentItems.map(\.state).contains {
      if case .sending = $0 { true } else { false }
    }
    expect(isSending)
    if isErased {
      try simulation.run { try await account.end() }
    } else {
      account.client.shutDown()
    }
    answer.give(())
    simulation.settle()
    expectEqual(asked.withLock { $0 }, isErased ? 0 : 1)
    let engine = try #require(account.client.durableRuns as? OutboxEngine)
    expect(engine.update { $0.replacing.isEmpty && $0.replacements.isEmpty })
  }

  @Test("a client that was shut down is erased all the same")
  func afterShutDown() throws {
    let account = try account()
    try simulation.run { try await account.client.restore() }
    account.client.setData("x", for: key)
    store.change { $0.writing = .seconds(1) }
    account.client.shutDown()
    simulation.settle()
    store.change { $0.writing = .zero }
    try end(account)
    simulation.advance(by: .minutes(2))
    expectEmpty(store.memory.load("account/ada").records)
  }
}
