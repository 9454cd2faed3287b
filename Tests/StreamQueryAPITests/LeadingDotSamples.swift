import StreamQuery
import Testing

/// `.name` means a query where one is expected, a key where no query has that name.
struct LeadingDotSamples {
  let client = QueryClient()

  @Test func queriesWinOverKeysOfTheSameName() async {
    client.setData([.ada], for: .users)
    client.setData(.ada, for: .user(1))
    client.updateData(for: .user(1)) { $0?.name = "Grace" }
    expectEqual(client.data(for: .users), [.ada])
    expectEqual(client.data(for: .user(1))?.name, "Grace")
    expect(client.result(for: .user(1)).isSuccess)
    await client.invalidate(.user(1), refetch: .never)
    expect(client.isStale(.user(1)))
    await client.reset(.user(1))
    client.cancel(.user(1))
    client.remove(.user(1))
    expectNil(client.data(for: .user(1)))
  }

  @Test func keysAloneServeReadsAndWrites() async {
    client.setData([.ada], for: .users(in: 3))
    client.setData(User.ada, for: ["users", 9])
    client.setData([User.ada], for: "everybody")
    let user: User? = client.data(for: ["users", 9])
    expectEqual(user, .ada)
    expectEqual(client.data(for: .users(in: 3))?.count, 1)
    expectEqual(client.data(for: Keys.everybody)?.count, 1)
    expectEqual(client.result(for: Keys.user(9)).data, .ada)
    await client.invalidate(Keys.user(9))
    client.remove(Keys.everybody)
    expectNil(client.data(for: Keys.everybody))
  }

  @Test func theResultTypeChoosesAmongSameNames() {
    client.setData(Repo(id: 1, name: "engine"), for: .item(1))
    let repo: Repo? = client.data(for: .item(1))
    let user: QueryResult<User> = client.result(for: .item(1))
    expectEqual(repo?.name, "engine")
    expect(user.isPending)
    expectEqual(client.data(for: Query<Repo>.item(1)), repo)
  }

  @Test(arguments: [true]) func factoriesChainAndBranch(isFirst: Bool) async throws {
    let id: Int? = 3
    let query: Query<User>? = id.map { .user($0) }
    try await expectEqual(client.fetch(.user(1).staleTime(.seconds(1)).enabled(true)).id, 1)
    try await expectEqual(client.fetch(isFirst ? .user(1) : .user(2)).id, 1)
    try await expectEqual(client.fetch(.user("ada@example.com")).id, 7)
    expectEqual(query?.key, Query<User>.user(3).key)
    expectEqual([1, 2].map { Query.user($0) }.count, 2)
    let chosen = client.data(for: isFirst ? .user(1) : .user("a"))
    expectEqual(chosen?.id, 1)
  }

  @Test func concurrentFetchesBindTogether() async throws {
    async let user = client.fetch(.user(1))
    async let repos = client.fetch(.repos(1))
    let (one, several) = try await (user, repos)
    expectEqual(one.id, 1)
    expectEqual(several.count, 1)
  }

  @Test func inlineQueriesNeedNoName() async throws {
    let user = try await client.fetch(Query("users", 1) { try await api.user(1) })
    let names = try await client.fetch(
      Query("names") { context in
        let users = try await api.users()
        return users.map { "\($0.name) \(context.attempt)" }
      }
    )
    expectEqual(user.id, 1)
    expectEqual(names, ["Ada 0"])
  }

  @Test func genericFactoriesFollowTheValue() async throws {
    let user: User = try await client.fetch(.byID(4))
    expectEqual(user, .ada)
  }

  @Test func readsCombineWithOptionalOperators() {
    client.setData([], for: .users)
    let count = client.data(for: .users)?.count ?? 0
    let users = client.data(for: .users) ?? []
    let names = (client.data(for: .users) ?? []).map(\.name).filter { !$0.isEmpty }.count
    expectEqual(count + users.count + names, 0)
    if let users = client.data(for: .users), let first = users.first { _ = first }
  }
}

private enum Keys {
  static let everybody: QueryKey<[User]> = "everybody"
  static func user(_ id: User.ID) -> QueryKey<User> { ["users", id] }
}

extension QueryKey where Value == User {
  fileprivate static func user(_ id: User.ID) -> Self { ["users", id] }
}

extension Query where Value == User {
  fileprivate static func item(_ id: Int) -> Self { Query("users", id) { .ada } }
}

extension Query where Value == Repo {
  fileprivate static func item(_ id: Int) -> Self { Query(key: ["repo", id]) }
}

extension Query where Value: Identifiable & Codable, Value.ID: Sendable {
  fileprivate static func byID(_ id: Value.ID) -> Self {
    Query(Value.self, id) {
      guard let value = User.ada as? Value else { throw AuthError() }
      return value
    }
  }
}
