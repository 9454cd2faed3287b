import StreamQuery
import Testing

/// Pages on threads: commands, updates and invalidations at once.
struct PageThreadTests {
  typealias Feed = Pages<Int, Int>

  private static func isWhole(_ pages: Feed) -> Bool {
    let params = pages.params
    return pages.pages == params.map { $0 * 10 } && params.count <= 6
      && zip(params, params.dropFirst()).allSatisfy { $0 + 1 == $1 }
  }

  // I01 I08 I09 T75
  @Test(.timeLimit(.minutes(10))) func pagesAndParametersStayAlignedOnThreads() async throws {
    let client = QueryClient()
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0, maxPages: 6) { param in
      param * 10
    } nextPageParam: {
      $0.lastParam < 20 ? $0.lastParam + 1 : nil
    } previousPageParam: {
      $0.firstParam > -20 ? $0.firstParam - 1 : nil
    }
    let stream = client.stream(feed)
    let watching = Task {
      var torn = 0
      for await result in stream {
        if let data = result.data, !Self.isWhole(data) { torn += 1 }
      }
      return torn
    }
    _ = try await client.fetch(feed)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          for round in 0..<80 {
            switch (worker + round) % 6 {
            case 0: try await client.fetchNextPage(of: feed)
            case 1: try await client.fetchNextPage(of: feed, superseding: false)
            case 2: try await client.fetchPreviousPage(of: feed)
            case 3: client.updateData(for: feed) { $0 = $0?.prefix(3) }
            case 4: await client.invalidate(feed)
            default:
              let page = Task { try await client.fetchNextPage(of: feed) }
              page.cancel()
              _ = await page.result
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await client.invalidate(feed)
    let data = try #require(client.data(for: feed))
    expect(Self.isWhole(data))
    expectEqual(client.result(for: feed.key).isFetching, false)
    watching.cancel()
    await expectEqual(watching.value, 0)
  }
}
