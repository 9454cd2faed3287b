import Foundation
import StreamQuery
import Testing

/// Filters in the forms that people write; each is checked for whom it means.
struct FilterSamples {
  let client = QueryClient(
    configuration: .init(
      // Kept for longer than any run of the tests takes: this client lives by the real clock.
      defaults: QueryDefaults(options: QueryOptions(gcTime: .seconds(1_000_000), retry: .never))
    )
  )

  init() async {
    for owner in ["octocat", "ada"] {
      client.setData([], for: ["repos", owner] as QueryKey<[Repo]>)
    }
    client.setData([.ada], for: .users)
    // Data that nobody observes is stale for filters once it was marked.
    await client.invalidate(.all, refetch: .never)
  }

  private func count(_ filter: QueryFilter) -> Int { client.diagnostics(filter).count }

  @Test func operatorsCompose() {
    expectEqual(count(.all), 3)
    expectEqual(count(.prefix("repos")), 2)
    expectEqual(count(.prefix("repos", "octocat")), 1)
    expectEqual(count(.prefix(["repos", "octocat"]) || .prefix("users")), 2)
    expectEqual(count(.prefix("repos") && .stale && .inactive), 2)
    expectEqual(count(.prefix("repos") && !.stale), 0)
    expectEqual(count((.stale || .fetching) && !(.active || .prefix("repos")) && !.fresh), 1)
    expectEqual(count(.key(.users) || .key(QueryKey<User>("users", 1)) && !.stale), 1)
    expectEqual(count(.query(.users)), 1)
    expectEqual(count(.status(.success) && .fetchStatus(.idle) && !.paused), 3)
  }

  @Test func literalsArePrefixes() {
    let owner = "octocat"
    expectEqual(count("repos"), 2)
    expectEqual(count(["repos", owner]), 1)
    expectEqual(count(["repos"] && .stale), 2)
    expectEqual(count("repos" && .stale), 2)
    let filter: QueryFilter = .stale && !.active || .prefix("a")
    expectEqual(count(filter), 3)
  }

  @Test func predicatesSeeWhatTheCacheKnows() {
    expectEqual(count(.where { $0.observerCount == 0 } && .stale), 3)
    expectEqual(count(.prefix("repos") && .where { $0.key.count > 2 }), 0)
    expectEqual(
      count(
        .where { info in
          let age = info.age ?? .zero
          return age < .hours(1) && info.isStale
        }
      ),
      3
    )
  }

  @Test func longExpressionsStayQuickToCompile() {
    let (owner, number) = ("octocat", 3)
    expectEqual(
      count(
        .prefix(["a", owner, number]) && .stale
          && .where { $0.observerCount > number && !$0.isStale }
          || !.prefix(["repos", owner + "x", number + 1]) && (.active || .fetching)
      ),
      0
    )
    expectEqual(
      count(
        .prefix("a") && .stale && .inactive || .prefix("b") && !.fetching && .fresh
          || .prefix("c", 1) && !(.stale || .active) && .where { $0.observerCount > 2 }
          || !.prefix("d") && .active || .key(.users) && !.stale
      ),
      0
    )
  }

  @Test func filtersAreNamedInExtensions() async {
    await client.invalidate(.repos)
    await client.invalidate(.repo("ada") && .stale && !.active, refetch: .never)
    expectEqual(count(.repos && .where(\.isInvalidated)), 2)
    expectEqual(client.fetchingCount(.repos), 0)
  }

  @Test(arguments: [true]) func bulkCallsTakeFilters(isLive: Bool) async throws {
    await client.invalidate(.prefix("repos", "octocat"))
    await client.invalidate(.all, refetch: .never)
    await client.invalidate("repos")
    await client.invalidate(["repos", "octocat"], refetch: .all, superseding: false)
    await client.refetch(.prefix("repos") && .stale && .inactive)
    await client.refetch(isLive ? .stale && .active : !.stale)
    // Written entries that nobody gave a fetch cannot be refetched.
    await #expect(throws: QueryError.self) { try await client.refetch(.stale, throwOnError: true) }
    try await client.invalidate(.prefix("repos"), throwOnError: true)
    client.cancel(.prefix("repos"))
    if isLive && client.fetchingCount(.stale && !.active) > 0 { await client.refetch(.stale) }
    client.remove(!.active && .prefix("repos"))
    expectEqual(count(.all), 1)
    await client.reset(.users)
    client.remove(.inactive)
    client.clear()
    expectEqual(count(.all), 0)
  }

  @Test func typedEntriesAreListed() {
    expectEqual(client.entries(of: [Repo].self, .prefix("repos")).count, 2)
    let written = client.updateData(matching: "repos", of: [Repo].self) { _, repos in
      repos?.append(Repo(id: 1, name: "engine"))
    }
    expectEqual(written, 2)
    expectEqual(client.entries(of: [Repo].self).flatMap(\.data).count, 2)
  }
}

extension QueryFilter {
  fileprivate static var repos: Self { .prefix("repos") }
  fileprivate static func repo(_ owner: String) -> Self { .prefix("repos", owner) }
}
