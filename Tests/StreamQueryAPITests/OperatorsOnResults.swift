import StreamQuery
import StreamQueryOperators
import Testing

/// Every form of call of the operators on results, as a user writes it; nothing here runs.
private struct Calls {
  let client: QueryClient
  let searchText: AsyncStream<String>
  let numbers: AsyncStream<Int>
  let isVisible: AsyncStream<Bool>

  // MARK: Selecting

  func names() -> some AsyncSequence<QueryResult<[String]>, Never> & Sendable {
    client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  }

  func erasedNames() -> any AsyncSequence<QueryResult<[String]>, Never> & Sendable {
    client.results(of: .users).select { $0.map(\.name) }
  }

  func selections() {
    _ = client.stream(.users).select(\.count)
    _ = client.stream(.users).select(\.first)
    _ = client.stream(.users).select { users in
      let sorted = users.sorted { $0.name < $1.name }
      return sorted.map(\.name)
    }
    _ = client.stream(.users).select { ($0.count, $0.first) }
    _ = client.stream(.user(1)).select { user throws in
      if user.name.isEmpty { throw AuthError() }
      return user.name
    }
    _ = client.stream(.users).sharingUnchanged()
    _ = client.stream(.user(1)).sharingUnchanged()
    let query = Query<[User]>.users.sharing(.automatic).staleTime(.minutes(1))
    _ = client.stream(query)
  }

  // MARK: Standing in

  func placeholders(_ id: Int) {
    _ = client.stream(.users).placeholder([.ada])
    _ = client.stream(.users).placeholder([])
    _ = client.stream(.user(1)).placeholder(.ada)
    _ = client.stream(.user(1)).placeholder(.init(id: 1, name: ""))
    _ = client.stream(.user(id)).placeholder { _, _ in
      client.data(for: .users)?.first { $0.id == id }
    }
    _ = client.stream(.users).placeholder { previous, result in
      result?.isSuccess == true ? previous : nil
    }
  }

  func search() -> some AsyncSequence<QueryResult<[Repo]>, Never> & Sendable {
    searchText.debounce(for: .milliseconds(300), clock: client.clock)
      .switchToLatest { client.stream(.search($0)) }
      .keepPreviousData()
  }

  func longChain() async {
    let counts =
      searchText
      .debounce(for: .milliseconds(300), clock: client.clock)
      .switchToLatest { client.stream(.search($0)) }
      .keepPreviousData()
      .select { $0.map(\.name).filter { !$0.isEmpty } }
      .removeDuplicates()
      .changes(of: .data, .error)
      .values()
      .map { $0.count }
    for await count in counts { let _: Int = count }
  }

  // MARK: Leaving out

  func fewer() async {
    for await user in client.stream(.user(1)).values() { let _: User = user }
    for await result in client.stream(.user(1)).settled() { let _: User? = result.data }
    for await result in client.stream(.users).changes(of: .data, .error) {
      let _: [User]? = result.data
    }
    _ = client.stream(.users).changes(of: .isStale)
    _ = client.stream(.users).removeDuplicates(by: \.isFetching)
    _ = client.stream(.users).removeDuplicates(by: \.data?.count)
    _ = client.stream(.users).removeDuplicates { $0.data?.count == $1.data?.count }
  }

  // MARK: Errors, effects, terminals

  func errors() async throws {
    let user = client.stream(.user(42))
    for try await result in user.throwing(when: { $0 is AuthError }) { let _: User? = result.data }
    for try await result in user.throwing(when: .always) { let _: User? = result.data }
    for try await result in user.throwing(when: true) { let _: User? = result.data }
    for try await result in user.throwing(when: .when { $0 is AuthError }) {
      let _: User? = result.data
    }
    let strict = Query<User>.user(42).throwOnError(.always)
    for try await result in client.throwingResults(of: strict) { let _: User? = result.data }
  }

  func effects() {
    _ = client.stream(.user(1)).onSuccess { print($0.name) }
    _ = client.stream(.user(1)).onFailure { print($0) }
    _ = client.stream(.user(1)).changes(of: .status).onChange { print($0.status) }
  }

  func terminals() async throws {
    let user: User = try await client.stream(.user(42)).firstValue()
    try await client.stream(.user(42)).firstValue()
    let snapshots = await client.stream(.user(user.id)).collect(until: \.isSuccess)
    let two = await client.results(of: .users).collect(2)
    let _: ([QueryResult<User>], [QueryResult<[User]>]) = (snapshots, two)
  }

  // MARK: Queries that change

  func dependent(_ email: String) async {
    let projects = client.stream(.user(email)).values().map(\.id)
      .switchToLatest { client.stream(.projects(of: $0)) }
    for await result in projects { let _: [Project]? = result.data }
    let moving = client.stream(.user(email)).values().map { Query.projects(of: $0.id) }
      .observed(by: client)
    for await result in moving { let _: [Project]? = result.data }
    let every = client.stream(.user(email)).values(removingDuplicates: false).map(\.id)
      .switchToLatest(removingDuplicates: false) { client.stream(.projects(of: $0)) }
    for await result in every { let _: [Project]? = result.data }
  }

  func moving() async {
    let repos = searchText.map { Query.search($0) }.observed(by: client).keepPreviousData()
    for await result in repos { let _: [Repo]? = result.data }
    let visible = client.results(of: .user(1), enabledBy: isVisible)
    for await result in visible { let _: User? = result.data }
  }

  func together() async {
    for await (user, repos) in combineLatest(
      client.results(of: .user(1)),
      client.results(of: .repos(1))
    ) {
      let _: (User?, [Repo]?) = (user.data, repos.data)
    }
    for await users in combineLatest([1, 2].map { client.results(of: .user($0)) }) {
      let _: [User?] = users.map(\.data)
    }
    for await users in client.stream(all: [.user(1), .user(2)]) {
      let _: [User?] = users.map(\.data)
    }
    let six = combineLatest(
      client.results(of: .user(1)),
      client.results(of: .user(2)),
      client.results(of: .users),
      client.results(of: .repos(1)),
      client.results(of: .search("x")),
      client.results(of: .projects(of: 1))
    )
    for await (user, _, _, _, _, projects) in six {
      let _: (User?, [Project]?) = (user.data, projects.data)
    }
    for await (name, n) in combineLatest(client.stream(.user(1)).select(\.name), numbers) {
      let _: (String?, Int) = (name.data, n)
    }
  }

  // MARK: Other bases

  func onAnything(
    _ results: some AsyncSequence<QueryResult<User>, Never>,
    _ erased: any AsyncSequence<QueryResult<User>, Never> & Sendable,
    _ failing: AsyncThrowingStream<QueryResult<User>, any Error>
  ) async throws {
    for await result in results.select(\.name).keepPreviousData() { let _: String? = result.data }
    for await result in ErasedSequence(erased).select({ $0.name }).removeDuplicates() {
      let _: String? = result.data
    }
    for try await user in failing.values() { let _: User = user }
    let _: User = try await erased.firstValue()
    let _: [QueryResult<User>] = try await failing.collect(until: \.isSuccess)
  }

  func keepingTheFailure<E: Error>(
    _ results: some AsyncSequence<QueryResult<User>, E>
  ) async throws(E) -> [QueryResult<String>] {
    try await results.select(\.name).collect(until: \.isSuccess)
  }
}

extension Calls {
  /// A view model's own state in a closure.
  @MainActor final class Model {
    var names: [String] = []

    func follow(_ client: QueryClient) async {
      let results = client.stream(.users).select { $0.map(\.name) }
      for await result in results.onSuccess({ self.names = $0 }) {
        names = result.data ?? names
      }
    }
  }
}
