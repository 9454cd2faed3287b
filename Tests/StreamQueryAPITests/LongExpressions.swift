import Foundation
import StreamQuery
import StreamQueryOperators
import Testing

/// Long and nested expressions, and shapes in which streams are kept: a user writes them, so they must
/// compile, and quickly; nothing here runs.
private struct Calls {
  let client: QueryClient

  func keyOfTwentyParts(_ i: Int, _ s: String, _ id: UUID, _ absent: Int?) {
    _ = QueryKey<User>(
      "a",
      i,
      s,
      id,
      absent,
      true,
      1.5,
      Category.books,
      [1, 2],
      ["a": 1],
      "b",
      i + 1,
      s + "x",
      -i,
      !true,
      Date(),
      Route.home,
      1...3,
      "z",
      20
    )
    let key: QueryKey<User> = [
      "a", i, s, id, absent, true, 1.5, Category.books, [1, 2], ["a": 1], "b", i + 1, s + "x", -i,
      !true, Date(), Route.home, 1...3, "z", 20,
    ]
    _ = key
  }

  func longChainOfModifiers(_ i: Int, _ s: String, _ isVisible: Bool) {
    _ = Query(
      "users",
      i,
      s,
      Category.books,
      fields: ["page": i + 1, "sort": s + "x", "on": !isVisible]
    ) { context in
      let user = try await api.user(i + context.attempt * 2)
      guard user.name != s, user.id > 0 || isVisible else { throw AuthError() }
      return [user].map(\.name).filter { !$0.isEmpty }.sorted { $0 > $1 }
        .map { ($0.count, $0 + s) }.map(\.0)
    }
    .staleTime(.minutes(5)).gcTime(.hours(1)).retry(3).enabled(isVisible && i > 3)
    .refetchInterval(isVisible ? .seconds(5) : nil).refetchOnActive(.when { isVisible })
    .refetchOnReconnect(isVisible ? .always : .never)
  }

  func longChainOfRules(_ isVisible: Bool) {
    _ = Query("users", 1) { try await [api.user(1)].map(\.name) }
      .enabled { $0.errorUpdateCount < 3 && isVisible }
      .enabled { $0?.count != 3 || !isVisible }
      .staleTime { $0.observerCount > 10 ? .after(.minutes(1)) : .infinite }
      .staleTime { ($0?.count ?? 0) > 10 ? .after(.minutes(1)) : .infinite }
    _ = Query("users", 1) { try await [api.user(1)].map(\.name) }
      .refetchInterval { $0.dataUpdateCount < 3 ? .seconds(1) : isVisible ? .seconds(2) : nil }
      .refetchInterval { ($0 ?? []).isEmpty ? .seconds(1) : isVisible ? .seconds(2) : nil }
    _ = Query("users", 1) { try await [api.user(1)].map(\.name) }
      .refetchOnSubscribe { $0.isStale && isVisible ? .always : .never }
      .refetchOnActive { $0.isStale && isVisible ? .always : .never }
      .refetchOnReconnect { $0.isStale && isVisible ? .always : .never }
      .gcTime(.hours(1))
  }

  func sixWithOperators() async {
    let six = combineLatest(
      client.stream(.user(1)).select(\.name),
      client.stream(.users).select { $0.map(\.name) }.removeDuplicates(),
      client.stream(.repos(1)).keepPreviousData(),
      client.stream(.search("x")).placeholder([]),
      client.stream(.projects(of: 1)).changes(of: .data, .error),
      client.stream(.user("e")).select { $0.id }
    )
    for await (name, _, _, _, _, id) in six { let _: (String?, Int?) = (name.data, id.data) }
  }

  func mappedCombinations() async throws {
    let counts = combineLatest(
      client.stream(.user(1)),
      client.stream(.users),
      client.stream(.repos(1))
    ).map { user, users, repos in user.data?.id ?? users.data?.count ?? repos.data?.count ?? 0 }
    for await count in counts { let _: Int = count }
    let pairs = combineLatest(client.stream(.user(1)), client.stream(.users)).map { pair in
      let (user, users) = pair
      return user.data?.name == users.data?.first?.name
    }
    for await isSame in pairs { let _: Bool = isSame }
    let failing = combineLatest(
      client.stream(.user(1)).throwing(when: { $0 is AuthError }),
      client.stream(.user(2))
    )
    for try await (first, second) in failing { let _: (User?, User?) = (first.data, second.data) }
  }

  func inlineQueryWithOperators() async {
    let query = client.stream(
      Query("users", 1) { context in
        let user = try await api.user(context.attempt)
        return [user, user]
      }.staleTime(.minutes(1))
    )
    for await result in query.select({ $0.map(\.name) }).removeDuplicates().keepPreviousData() {
      let _: [String]? = result.data
    }
  }

  func standardOperators() async {
    let idle = client.stream(.user(1)).filter { !$0.isFetching }.select(\.name).prefix(3)
    for await result in idle { let _: String? = result.data }
    let first = await client.stream(.user(1)).first(where: \.isSuccess)
    let ada = await client.stream(.user(1)).values().first { $0.id == 1 }
    let _: (User?, User?) = (first?.data, ada)
  }

  func switchesThatBranch(
    _ text: AsyncStream<String>,
    _ failing: AsyncThrowingStream<String, any Error>
  ) {
    _ = text.switchToLatest { text in
      let query = Query.search(text).enabled(!text.isEmpty)
      return client.stream(query)
    }
    _ = text.switchToLatest { text in
      if text.isEmpty {
        AsyncStream<QueryResult<[Repo]>> { $0.finish() }
      } else {
        client.stream(.search(text))
      }
    }
    _ = failing.switchToLatest { client.stream(.search($0)) }
    _ = text.switchToLatest { client.stream(Query(Search(text: $0))) }.keepPreviousData()
  }

  func namesOfAnyKind() -> some AsyncSequence<QueryResult<[String]>, Never> & Sendable {
    client.stream(.users).select { $0.map(\.name) }.removeDuplicates()
  }

  func throwingChains() async throws {
    let user = try await client.stream(.user(1)).throwing(when: { $0 is AuthError }).firstValue()
    let projects = client.stream(.user(user.id)).throwing(when: { $0 is AuthError }).values()
      .map(\.id).switchToLatest { client.stream(.projects(of: $0)) }
    for try await result in projects { let _: [Project]? = result.data }
  }
}

/// A stream kept in a property.
private struct Screen {
  let names: any AsyncSequence<QueryResult<[String]>, Never> & Sendable

  init(_ client: QueryClient) {
    names = client.stream(.users).select { $0.map(\.name) }
  }
}

@MainActor private final class ScreenModel {
  let client = QueryClient()
  var least = 1

  /// Terminal operators run in place, so their closures may use what their caller is isolated to.
  func collect() async {
    let grown = await client.stream(.users).collect { ($0.data?.count ?? 0) > least }
    let settled = await client.stream(.users).collect(until: { $0.isSuccess && !$0.isFetching })
    let _: [QueryResult<[User]>] = grown + settled
  }

  /// A closure that is kept copies what it needs.
  func suffixed(_ suffix: String) -> some AsyncSequence<QueryResult<[String]>, Never> {
    client.stream(.users).select { [suffix] users in users.map { $0.name + suffix } }
  }

  func search(_ text: AsyncStream<String>) async {
    for await result in text.switchToLatest({ self.client.stream(.search($0)) }) {
      let _: [Repo]? = result.data
    }
  }
}

/// An app's own `Duration.minutes` does not get in the way.
extension Duration {
  fileprivate static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
}

struct LongExpressions {
  @Test func anAppsOwnDurationsWin() {
    expectEqual(Query.user(1).gcTime(.minutes(5)).options.gcTime, .seconds(300))
  }
}
