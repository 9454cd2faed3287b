import StreamQuery
import StreamQueryTesting

/// A page of a feed.
struct Posts: Codable, Hashable, Sendable {
  var items: [String]
  var next: Int?
}

extension RecordedStory {
  /// A feed that grows page by page, is refreshed as a whole, and loses its network before the next page.
  static let infiniteFeed = RecordedStory(name: "infinite-feed") {
    let stage = Stage(seed: 5)
    let client = stage.client()
    let feed = InfiniteQuery<Posts, Int>("feed", initialPageParam: 0, maxPages: 4) { page, _ in
      try await answered(after: 0.5)
      let items = (0..<3).map { "Post \(page * 3 + $0)" }
      return Posts(items: items, next: page < 5 ? page + 1 : nil)
    } nextPageParam: {
      $0.lastPage.next
    }
    .staleTime(.seconds(20))
    let reader = stage.watch(feed, in: client)
    stage.wait(2)
    for _ in 0..<2 {
      stage.simulation.task { try await client.fetchNextPage(of: feed) }
      stage.wait(3)
    }
    // The user opens a post, which has an entry of its own. The feed stays open.
    let post = stage.watch(
      Query("post", 4) {
        try await answered(after: 0.3)
        return "The whole of post 4"
      },
      in: client
    )
    stage.wait(18)
    post.cancel()
    // The user pulls to refresh: all pages are loaded again, one after the other.
    stage.simulation.task { await client.refetch(.query(feed)) }
    stage.wait(4)
    // The user comes to the end of the list while there is no network.
    stage.online.send(false)
    stage.wait(1)
    stage.simulation.task { try await client.fetchNextPage(of: feed) }
    stage.wait(5)
    stage.online.send(true)
    stage.wait(4)
    stage.simulation.task { try await client.fetchNextPage(of: feed) }
    stage.wait(3)
    let record = client.record
    reader.cancel()
    return record
  }
}
