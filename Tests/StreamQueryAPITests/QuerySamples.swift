import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Ways to write a query: each compiles, and fetches what it says.
struct QuerySamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  private func fetched<Value: Sendable>(_ query: Query<Value>) throws -> Value {
    let client = client
    return try simulation.run { () async throws -> Value in try await client.fetch(query) }
  }

  @Test func closuresMayOrMayNotTakeTheContext() throws {
    let plain = Query("users", 1) { try await api.user(1) }
    let several = Query("users", 2) {
      let user = try await api.user(2)
      return user.name
    }
    let context = Query("users", 3) { context in
      let user = try await api.user(3, isRetry: context.attempt > 0)
      return [user, user]
    }
    let short = Query<User>("users", 4) { try await api.user(4 + $0.attempt) }
    let ignored = Query<User>("users", 5) { _ in .ada }
    let immediate = Query<User>("users", 6) { .ada }
    try expectEqual(fetched(plain).id, 1)
    try expectEqual(fetched(several), "Ada")
    try expectEqual(fetched(context).count, 2)
    try expectEqual(fetched(short).id, 4)
    try expectEqual(fetched(ignored), .ada)
    try expectEqual(fetched(immediate), .ada)
  }

  @Test func fetchesBuildUponWhatIsCached() throws {
    struct Tagged: Sendable {
      var users: [User]
      var etag: String
    }
    let users = Query<Tagged>("tagged") { context in
      let previous = context.previous(as: Tagged.self)
      let (users, etag) = try await api.users(ifNoneMatch: previous?.etag)
      guard let users else { throw NotModified() }
      return Tagged(users: users, etag: etag)
    }
    let news = Query<[String]>("news") { context in
      let known: [String] = context.previous() ?? []
      return try await known + api.news(after: known.last)
    }
    for _ in 0..<2 {
      try expectEqual(fetched(users).users, [.ada])
      try expectEqual(fetched(news), ["first"])
    }
  }

  @Test func closuresMayThrowOnly() {
    let plain = Query<User>("users", 1) { throw AuthError() }
    let context = Query<User>("users", 2) { _ in throw AuthError() }
    let typed = Query<User>("users", 3) { () async throws(AuthError) -> User in throw AuthError() }
    let sometimes = Query<User>("users", 4) { context in
      if context.attempt == 0 { throw AuthError() }
      return .ada
    }
    for query in [plain, context, typed, sometimes] {
      #expect(throws: AuthError.self) { try fetched(query) }
    }
  }

  @Test func closuresUseStatementsOfAllKinds() throws {
    let id: Int? = 3
    let guarded = Query("users", id) {
      guard let id else { throw AuthError() }
      return try await api.user(id)
    }
    let caught = Query<User>("caught") {
      do { return try await api.user(1) } catch is AuthError { return User.ada }
    }
    let chosen = Query<User>("chosen") { if id == 3 { try await api.user(1) } else { User.ada } }
    try expectEqual(fetched(guarded).id, 3)
    try expectEqual(fetched(caught).id, 1)
    try expectEqual(fetched(chosen).id, 1)
  }

  @Test func keysComeInAnyForm() throws {
    let metatype = Query(User.self, 1) { try await api.user(1) }
    let fields = Query("products", fields: ["category": Category.books, "page": 2]) {
      try await api.products(in: .books, page: 2)
    }
    let named = Query(key: .users) { try await api.users() }
    let reference = Query("users", "all", fetch: api.users)
    try expectEqual(fetched(metatype).id, 1)
    try expectEqual(fetched(fields), [Product(id: 2)])
    try expectEqual(fetched(named), [.ada])
    try expectEqual(fetched(reference), [.ada])
  }

  @Test func aRequestIsAKeyAndAFetch() throws {
    try expectEqual(fetched(Query(Search(text: "swift"))).map(\.name), ["swift"])
    expectEqual(client.data(for: .search("swift"))?.count, 1)
  }

  @Test func completionHandlersAreBridged() throws {
    let one = Query<Profile>.callback("one") { completion in api.load { completion($0) } }
    let typed = Query<Profile>.callback("typed") { completion in
      api.loadTyped { completion($0) }
    }
    let two = Query<Profile>.callback("two") { completion in
      api.loadTwo { completion($0, $1) }
    }
    let several = Query<Profile>.callback("several", fields: ["page": 1]) { completion in
      api.load { result in
        switch result {
        case .success(let profile): completion(.success(profile))
        case .failure(let error): completion(.failure(error))
        }
      }
    }
    let handle = Query<Profile>.callback(Profile.self) { completion in
      api.loadWithHandle { completion($0) }
    }
    let inferred = Query.callback("inferred") { (completion: FetchCompletion<Profile>) in
      api.load { completion($0) }
    }
    for query in [one, two, several, handle, inferred] {
      try expectEqual(fetched(query), Profile(name: "Ada"))
    }
    #expect(throws: AuthError.self) { try fetched(typed) }
  }

  @Test func functionsWithHandlersAreGivenByName() throws {
    let result = Query<Profile>.callback("result", start: api.load)
    let two = Query<Profile>.callback("two", start: api.loadTwo)
    let passed = Query<Profile>.callback("passed") { completion in api.load(completion) }
    let called = Query<Profile>.callback("called") { api.load($0.callAsFunction) }
      .staleTime(.minutes(5)).retry(2)
    for query in [result, two, passed, called] {
      try expectEqual(fetched(query), Profile(name: "Ada"))
    }
  }

  @Test func genericCodeMakesQueries() throws {
    func wrapped<Value: Sendable>(
      _ id: Int,
      _ body: @escaping @Sendable () async throws -> Value
    ) -> Query<Value> {
      Query("wrapped", id) { try await body() }.retry(1)
    }
    func passed<Value: Sendable>(
      _ id: Int,
      _ body: @escaping @Sendable () async throws -> Value
    ) -> Query<Value> {
      Query("passed", id, fetch: body).retry(1)
    }
    try expectEqual(fetched(wrapped(1) { 7 }), 7)
    try expectEqual(fetched(passed(1) { "x" }), "x")
  }
}
