import StreamQuery
import StreamQueryUI

/// The feed, for as long as the app runs.
@MainActor
final class FeedModel {
  let query: ObservedInfiniteQuery<FeedPage, Int>
  private let api: any API

  init(api: any API, client: QueryClient) {
    self.api = api
    query = ObservedQuery(.feed(from: api), client: client)
  }

  var posts: [Post] { query.pages.flatMap(\.items) }

  /// Does again what failed: loading another page, or all of them.
  func tryAgain() async {
    if query.isFetchNextPageError {
      await query.fetchNextPage()
    } else {
      await query.refetch()
    }
  }

  /// Posts with the same author share one request.
  func author(of post: Post) -> Query<User> { .user(post.author, from: api) }
}
