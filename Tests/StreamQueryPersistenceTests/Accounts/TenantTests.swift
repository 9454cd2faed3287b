import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Tenants of a server: whatever one of them does, it sees and changes nothing of another.
struct TenantTests {
  @TaskLocal static var caller = "nobody"

  let simulation = Simulation(seed: 61)
  let store = MemoryStore()

  /// The same definition for all tenants: no key names one.
  private static let secret = Query("secret") { "of \(caller)" }.staleTime(.infinite)

  private func tenants() -> QueryAccounts {
    QueryAccounts(in: store, simulation: simulation) { [store] _, configuration in
      configuration.persistence = Persistence(in: store)
    }
  }

  /// Two tenants, of which one has data.
  private func pair() throws -> (mallory: QueryClient, bob: QueryClient) {
    let tenants = tenants()
    return try simulation.run {
      let bob = try await tenants.open("bob").client
      bob.setData("of Bob", for: Self.secret)
      bob.setData(["of Bob"], for: QueryKey<[String]>("list", 1))
      return (try await tenants.open("mallory").client, bob)
    }
  }

  @Test func tenantsInASimulationHaveTheConfigurationOfAServer() throws {
    struct Down: Error {}
    let tenants = QueryAccounts(
      simulation: simulation,
      configuration: .server(staleIfError: .minutes(1))
    ) { name, configuration in
      configuration.limit = CacheLimit(maxEntries: name == "bob" ? 1 : 2)
    }
    let fetch = ScriptedFetch<Int>(.value(1), .failure(Down()))
    let rate = Query("rate", fetch: fetch).staleTime(.seconds(5))
    let (bob, ann) = try simulation.run {
      (try await tenants.open("bob").client, try await tenants.open("ann").client)
    }
    let answers = [0, 60, 10].map { wait in
      simulation.advance(by: .seconds(wait))
      return try? simulation.run { try await bob.fetch(rate) }
    }
    expectEqual(answers, [1, 1, nil])
    for client in [bob, ann] {
      for number in 1...3 { client.setData(number, for: ["number", number] as QueryKey<Int>) }
    }
    simulation.settle()
    expectEqual([bob, ann].map { $0.diagnostics().count }, [1, 2])
    for client in [bob, ann] { client.shutDown() }
  }

  @Test func nothingThatReadsFindsDataOfAnother() throws {
    let (mallory, bob) = try pair()
    let events = simulation.record(mallory.events)
    let seen = simulation.record(mallory.stream(Self.secret.enabled(false)))
    simulation.settle()
    expectNil(mallory.data(for: Self.secret))
    expectNil(mallory.result(for: Self.secret).data)
    expectEmpty(mallory.entries(of: String.self))
    expectEqual(mallory.diagnostics(.all).map(\.key), [Self.secret.key.erased])
    expectEmpty(mallory.diagnostics(.where { $0.dataUpdatedAt != nil }))
    expectEmpty(mallory.diagnostics(.prefix("list")))
    expectEmpty(mallory.export().archive.entries)
    expectEqual(mallory.lookups, LookupCounts())
    bob.setData("of Bob, again", for: Self.secret)
    simulation.run { await bob.invalidate(.all) }
    simulation.settle()
    #expect(seen.values.allSatisfy { $0.data == nil })
    #expect(events.values.allSatisfy { !"\($0)".contains("written") })
    let updated = mallory.updateData(for: Self.secret) { (data: inout String?) in
      data = data ?? "none"
    }
    expectEqual(updated, "none")
    seen.cancel()
    events.cancel()
    for client in [mallory, bob] { client.shutDown() }
  }

  @Test func nothingThatWritesReachesAnother() throws {
    let (mallory, bob) = try pair()
    let before = bob.diagnostics().map(\.dataUpdateCount)
    let events = simulation.record(bob.events)
    simulation.settle()
    mallory.setData("of Mallory", for: Self.secret)
    let archive = mallory.export().archive
    simulation.run {
      await mallory.invalidate(.all)
      await mallory.refetch(.all)
      await mallory.reset(.all)
      await mallory.invalidate(.where { _ in true })
    }
    mallory.cancel(.all)
    mallory.remove(.prefix("list"))
    mallory.import(archive, for: [.values(of: String.self)])
    mallory.clear()
    mallory.shutDown()
    simulation.settle()
    expectEmpty(events.values)
    expectEqual(bob.data(for: Self.secret), "of Bob")
    expectEqual(bob.diagnostics().map(\.dataUpdateCount), before)
    events.cancel()
    bob.shutDown()
  }

  @Test func callersOfOneKeyShareAFetchWithinTheirTenantOnly() throws {
    let tenants = tenants()
    let slow = Query("slow") {
      let caller = Self.caller
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return "of \(caller)"
    }
    let names = ["ada", "bob", "cyd"]
    let clients = try simulation.run {
      var clients: [QueryClient] = []
      for name in names { clients.append(try await tenants.open(name).client) }
      return clients
    }
    let answers = (0..<30).map { number in
      Self.$caller.withValue(names[number % 3]) {
        simulation.task { try await clients[number % 3].fetch(slow) }
      }
    }
    let found = try simulation.run {
      var found: [String] = []
      for answer in answers { found.append(try await answer.value) }
      return found
    }
    expectEqual(found, (0..<30).map { "of \(names[$0 % 3])" })
    expectEqual(clients.map(\.lookups.joined), [9, 9, 9])
    for client in clients { client.shutDown() }
  }

  @Test func noNameReachesThePartOfAnother() throws {
    let names = [
      "bob", "Bob", "bob ", "bob/", "/bob", "../bob", "account/bob", "bob/../bob", "bob\0", "bob@1",
      "main", "accounts", "account", "account/", "", "%62ob", "bob.log",
    ]
    let first = tenants()
    try simulation.run {
      for name in names {
        let client = try await first.open(name).client
        expectNil(client.data(for: Self.secret))
        client.setData("of <\(name)>", for: Self.secret)
      }
      for account in first.opened { try await account.close() }
    }
    // Another process, and one of them has ended.
    let second = tenants()
    try simulation.run {
      try await second.end("account/bob")
      for name in names {
        let client = try await second.open(name).client
        try await client.restore()
        let expected = name == "account/bob" ? nil : "of <\(name)>"
        expectEqual(client.data(for: Self.secret), expected, "\(name)")
      }
    }
    for account in second.opened { account.client.shutDown() }
  }

  /// Every value says whose it is, whatever happens in whichever order.
  @Test(arguments: 0..<5 as Range<UInt64>)
  func whateverTenantsDoEachValueIsTheirOwn(seed: UInt64) throws {
    var random = SmallRandom(seed: seed)
    var tenants = tenants()
    var tasks: [Task<Void, any Error>] = []
    for step in 0..<400 {
      let (name, number) = ("t\(random.next(below: 4))", random.next(below: 5))
      let query = Query("n", number) {
        try await Scheduling.current.clock.sleep(for: .milliseconds(30))
        return name
      }.staleTime(.milliseconds(100))
      let (kind, accounts) = (random.next(below: 12), tenants)
      tasks.append(
        simulation.task {
          let account = try await accounts.open(name)
          try await Self.act(kind, account, query)
        }
      )
      if random.next(below: 20) == 0 { tasks[random.next(below: tasks.count)].cancel() }
      simulation.advance(by: .milliseconds(random.next(below: 40)))
      if step == 200 {
        simulation.run { for account in accounts.opened { try? await account.close() } }
        tenants = self.tenants()
      }
    }
    for task in tasks { task.cancel() }
    let last = tenants
    simulation.run { for account in last.opened { try? await account.end() } }
  }

  /// What one request does.
  private static func act(_ kind: Int, _ account: QueryAccount, _ query: Query<String>) async throws
  {
    let (name, client) = (account.name, account.client)
    switch kind {
    case 0: client.setData(name, for: query)
    case 1: await client.invalidate(.all)
    case 2: client.remove(.all)
    case 3: try await client.save()
    case 4: try await account.close()
    case 5: try await account.end()
    case 6: #expect(client.entries(of: String.self).allSatisfy { $0.data == name })
    case 7:
      for await result in client.stream(query) where result.data != nil {
        expectEqual(result.data, name)
        break
      }
    default: try await expectEqual(client.fetch(query), name)
    }
  }
}
