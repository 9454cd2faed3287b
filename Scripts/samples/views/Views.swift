import StreamQuery
import StreamQueryUI
import SwiftUI

// What the samples of StreamQueryUI use besides that of all samples.

nonisolated struct Follower: Hashable, Identifiable, Sendable {
  var id = 1
  var login = "octocat"
}

nonisolated extension API {
  func followers(of name: String) async throws -> [Follower] { [Follower()] }
  func feed(_ topic: String, _ page: Int) async throws -> FeedPage { FeedPage() }
}

extension Query where Value == [Follower] {
  static func followers(of name: String) -> Self {
    Query("followers", name) { try await api.followers(of: name) }
  }
}

@MainActor var feed: ObservedInfiniteQuery<FeedPage, Int> {
  ObservedQuery(
    InfiniteQuery("feed", initialPageParam: 1) {
      try await api.feed($0)
    } nextPageParam: {
      $0.lastPage.next
    }
  )
}

struct ContentView: View { var body: some View { EmptyView() } }
typealias FeedView = ContentView
typealias HomeView = ContentView
struct ProfileView: View {
  let id: User.ID
  var body: some View { EmptyView() }
}

func save() throws {}
