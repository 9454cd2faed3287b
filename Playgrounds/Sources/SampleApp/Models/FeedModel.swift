import StreamQuery
import StreamQueryUI

/// The model of the feed, which lives as long as the app runs.
@MainActor
final class FeedModel {
  let query: ObservedInfiniteQuery<FeedPage, Int>
  private let api: any API

  init(api: any API, client: QueryClient) {
    self.api = api
    query = ObservedQuery(.feed(from: api), client: client)
  }

  var posts: [Post] { query.pages.flatMap(\.items) }

  /// Repeats the request that failed: for the next page, or for all pages.
  func tryAgain() async {
    if query.isFetchNextPageError {
      await query.fetchNextPage()
    } else {
      await query.refetch()
    }
  }

  /// The query of a post's author; posts with the same author share one request.
  func author(of post: Post) -> Query<User> { .user(post.author, from: api) }
}
