import Foundation
import StreamQuery
import Testing

/// Reading, writing and fetching by hand.
struct ReadWriteSamples {
  let client = QueryClient()

  @Test func theContractsExamplesCompile() async throws {
    let users: [User] = [.ada]
    client.setData(users, for: .users)
    let read: [User]? = client.data(for: .users)
    expectEqual(read, users)
    client.updateData(for: .user(42)) { user in user?.name = "Ada" }
    expectNil(client.data(for: .user(42)))
    try await client.fetch(.user(42))
    try await client.ensure(.user(42))
    await client.prefetch(.user(42))
    await client.invalidate(.prefix("repos", "octocat"))
    await client.invalidate(.user(42), refetch: .never)
    await client.refetch(.prefix("repos") && .stale && .inactive)
    await client.reset(.prefix("repos"))
    client.cancel(.user(42))
    client.remove(.inactive)
    client.clear()
    await client.idle()
    expectEqual(client.fetchingCount(.prefix("repos")), 0)
  }

  @Test func writesTakeLiteralsAndDates() {
    client.setData([.ada], for: .users)
    client.setData([], for: .users, updatedAt: Date(timeIntervalSinceNow: -60))
    client.setData(.ada, for: .user(1), fencing: true)
    expectEqual(client.data(for: .users)?.isEmpty, true)
  }

  @Test func updatersChangeInPlace() {
    client.setData([.ada, User(id: 2, name: "Alan")], for: .users)
    client.updateData(for: .users) { $0?.removeLast() }
    client.updateData(for: .users) { $0?.append(User(id: 3, name: "Grace")) }
    client.updateData(for: .users) { users in
      users = (users ?? []) + [User(id: 4, name: "Barbara")]
      users?.sort { $0.name < $1.name }
    }
    client.updateData(for: .users) { $0 = nil }
    expectEqual(client.data(for: .users)?.map(\.name), ["Ada", "Barbara", "Grace"])
    client.updateData(for: .users, updatedAt: Date(timeIntervalSinceNow: -60), fencing: true) {
      $0?.reverse()
      $0?.reverse()
    }
    client.updateData(matching: .all, of: [User].self, fencing: true) { _, users in users = nil }
    expectEqual(client.updateData(matching: .all, of: [User].self) { $0?.reverse() }, 1)
    expectEqual(client.data(for: .users)?.map(\.name), ["Grace", "Barbara", "Ada"])
    client.updateData(matching: .all, of: [User].self) { $0?.reverse() }
    expect(client.isStale(QueryKey<[User]>("nobody")))
    let written = client.updateData(for: .users) { $0?[0].name = "Augusta" }
    expectEqual(written?.first?.name, "Augusta")
  }

  @Test func updatersMayThrow() throws {
    #expect(throws: AuthError.self) {
      try client.updateData(for: .user(42)) { user in
        guard user != nil else { throw AuthError() }
        user?.name = "Grace"
      }
    }
    #expect(throws: AuthError.self) {
      try client.updateData(for: .users) { if $0 == nil { throw AuthError() } }
    }
    expectNil(client.data(for: .user(42)))
  }

  @Test func ensureTakesDataOfAnyAge() async throws {
    client.setData([], for: .users, updatedAt: .distantPast)
    try await expectEmpty(client.ensure(.users))
    try await expectEmpty(client.ensure(.users, revalidating: true))
    try await expectEqual(client.fetch(.users).count, 1)
  }

  @Test func misusesSayWhatToDo() {
    #expect("\(QueryMisuse.streamInsideFetch(key: "users"))".contains("context.previous()"))
    #expect("\(QueryMisuse.updateOfKeptData(key: "draft"))".contains("Update the query"))
  }

  @Test func aQueryWithoutFetchSaysSo() async {
    await #expect(throws: QueryError.self) {
      try await client.fetch(Query<User>(key: "nobody"))
    }
  }
}
