import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

private struct FeedPage: Hashable, Sendable {
  var items: [String]
  var next: Int?
  var previous: Int?
}

private struct ListPage: Hashable, Sendable {
  var items: [String] = []
  var cursor: String?
}

extension API {
  fileprivate func feed(_ page: Int) async throws -> FeedPage {
    FeedPage(
      items: ["item \(page)"],
      next: page < 3 ? page + 1 : nil,
      previous: page > 1 ? page - 1 : nil
    )
  }

  fileprivate func list(after cursor: String?) async throws -> ListPage {
    ListPage(items: [cursor ?? "first"], cursor: cursor == nil ? "second" : nil)
  }
}

extension InfiniteQuery<FeedPage, Int> {
  fileprivate static var feed: Self {
    Self("feed", initialPageParam: 1, maxPages: 5) { page, _ in
      try await api.feed(page)
    } nextPageParam: {
      $0.lastPage.next
    } previousPageParam: {
      $0.firstPage.previous
    }
  }

  fileprivate static func feed(_ id: Int) -> Self {
    Self("feed", id, initialPageParam: 1, maxPages: 5) { page, context in
      let result = try await api.feed(page + context.attempt)
      return result
    } nextPageParam: { pages in
      guard pages.count < 10 else { return nil }
      return pages.lastPage.next
    } previousPageParam: {
      $0.firstPage.previous
    }
    .staleTime(.minutes(5))
  }
}

extension InfiniteQuery<ListPage, String?> {
  fileprivate static var list: Self {
    Self("list") { cursor, _ in
      try await api.list(after: cursor)
    } nextPageParam: {
      $0.lastPage.cursor
    }
  }
}

/// Infinite queries, pages by hand, and how both are read.
struct PageSamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  @Test func theContractsExamplesCompile() throws {
    let client = client
    let feed = try simulation.run { () async throws -> QueryResult<Pages<FeedPage, Int>> in
      for await feed in client.stream(.feed) where feed.isSuccess {
        expectEqual(feed.data?.pages.count, 1)
        expect(feed.hasNextPage && !feed.hasPreviousPage && !feed.isFetchingNextPage)
        break
      }
      return try await client.fetchNextPage(of: .feed)
    }
    expectEqual(feed.pages.flatMap(\.items), ["item 1", "item 2"])
    expectEqual(feed.data?.params, [1, 2])
  }

  @Test func pageFetchesComeInManyShapes() throws {
    let bare = InfiniteQuery("bare", initialPageParam: 1) { page in
      try await api.feed(page)
    } nextPageParam: {
      $0.lastPage.next
    }
    let short = InfiniteQuery("short", initialPageParam: 1) {
      try await api.feed($0)
    } nextPageParam: {
      $0.lastPage.next
    }
    let paths = InfiniteQuery(
      "paths",
      initialPageParam: 1,
      fetch: { page, _ in try await api.feed(page) },
      nextPageParam: \.lastPage.next,
      previousPageParam: \.firstPage.previous
    )
    let fields = InfiniteQuery("fields", fields: ["a": 1, "b": "x"], initialPageParam: 1) {
      page,
      _ in
      try await api.feed(page)
    } nextPageParam: {
      $0.lastPage.next
    }
    .staleTime(.minutes(1)).retry(2).refetchOnActive(.ifStale)
    let typed: InfiniteQuery<FeedPage, Int> = fields
    let client = client
    for query in [bare, short, paths, typed, .feed(7)] {
      let pages = try simulation.run { try await client.fetch(query, pages: 2) }
      expectEqual(pages.pages.flatMap(\.items), ["item 1", "item 2"])
      try expectEqual(
        simulation.run { try await client.fetch(query, pages: 2, throwOnError: true) },
        pages
      )
    }
  }

  @Test func cursorsEndWhereTheyAreMissing() throws {
    let client = client
    let result = try simulation.run { () async throws -> QueryResult<Pages<ListPage, String?>> in
      try await client.fetch(.list)
      try await client.fetchNextPage(of: .list)
      return try await client.fetchNextPage(of: .list)
    }
    expectEqual(result.pages.flatMap(\.items), ["first", "second"])
    expect(!result.hasNextPage)
  }

  @Test func everyMemberOfQueriesWorksOnPages() {
    let client = client
    let items = simulation.record(
      client.stream(.feed).select { $0.pages.flatMap(\.items) }.removeDuplicates()
    )
    simulation.settle()
    expectEqual(items.values.last?.data, ["item 1"])
    simulation.run {
      await client.invalidate(.feed)
      await client.prefetch(.feed)
    }
    client.updateData(for: .feed) { pages in
      pages?.updateEach { page, _ in page.items.append("more") }
    }
    expectEqual(client.data(for: .feed)?.firstPage.items, ["item 1", "more"])
    expectEqual(items.values.last?.data, ["item 1"])
    simulation.settle()
    expectEqual(items.values.last?.data, ["item 1", "more"])
    let both = simulation.record(combineLatest(client.stream(.feed), client.stream(.user(1))))
    simulation.settle()
    expectEqual(both.values.last?.0.pages.count, 1)
    expectEqual(both.values.last?.1.data?.id, 1)
  }

  @Test func aHandleMovesThroughPages() throws {
    let observer = client.observer(of: .feed.refetchingFirstPageOnly())
    simulation.settle()
    let next = try simulation.run { try await observer.fetchNextPage() }
    expectEqual(next.data?.count, 2)
    let previous = try simulation.run { try await observer.fetchPreviousPage() }
    expectEqual(previous.data?.count, 2)
  }

  @Test func pagesMayBePartOfTheKey() {
    let observer = client.paginated(Pagination(input: "engine")) { text, page in
      Query("search", text, page) { try await GitHub.search(text, page) }
    }
    let recording = simulation.record(observer.stream)
    simulation.settle()
    observer.moveToNextPage()
    simulation.settle()
    expectEqual(recording.values.last?.data?.first?.id, 2)
    expect(observer.canMoveToPreviousPage)
    observer.input = "wheel"
    simulation.settle()
    expectEqual(observer.page, 1)
    expectEqual(observer.result.data?.first?.name, "wheel")
  }
}

@MainActor private final class FeedModel {
  let client = QueryClient()
  var filter = "new"
  var items: [String] = []

  func load(_ page: Int) async throws -> FeedPage { try await api.feed(page) }

  var query: InfiniteQuery<FeedPage, Int> {
    InfiniteQuery("feed", filter, initialPageParam: 1) { page, _ in
      try await self.load(page)
    } nextPageParam: {
      $0.lastPage.next
    }
  }

  func run() async {
    for await feed in client.results(of: query) {
      items = feed.pages.flatMap(\.items)
      if feed.isSuccess { return }
    }
  }
}

struct PagesOfModels {
  @Test @MainActor func aMainActorModelShowsPages() async {
    let model = FeedModel()
    await model.run()
    expectEqual(model.items, ["item 1"])
  }
}
