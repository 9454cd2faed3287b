import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

private struct Product: Hashable, Identifiable, Sendable {
  var id: Int
  var name: String
}

private struct User: Hashable, Sendable {
  var name: String
}

private struct Post: Hashable, Identifiable, Sendable {
  var id: Int
}

private struct PostPage: Hashable, Sendable {
  var posts: [Post]
  var hasMore: Bool
}

/// Stands for a request that a generator made: its type is the first part of keys.
private enum FetchProducts {}

/// Keys of one enumeration, as other libraries have them.
///
/// A case may stand for several parts.
private enum QueryKeys: KeyPartsConvertible {
  case users
  case user(id: String)
  case posts(userID: String)

  var keyParts: AnyQueryKey {
    switch self {
    case .users: ["user"]
    case .user(let id): ["user", id]
    case .posts(let id): ["posts", id]
    }
  }
}

// MARK: Views

private struct ProductsView: View {
  let category: String
  let searchTerm: String
  let fetch: ScriptedFetch<[Product]>

  var body: some View {
    QueryView(Query(FetchProducts.self, category, searchTerm) { try await fetch() }) { products in
      if products.isLoading {
        ProgressView()
      } else {
        List(products.data ?? []) { Text($0.name) }
      }
    }
  }
}

private struct UserProfileView: View {
  let userID: String
  let fetchUser: ScriptedFetch<User>

  var body: some View {
    QueryView(Query(QueryKeys.user(id: userID)) { try await fetchUser() }.retry(0)) { user in
      if user.isLoading {
        ProgressView()
      } else if let error = user.error {
        Text("Error: \(error)")
      } else if let user = user.data {
        Text(user.name)
      }
    }
  }
}

private struct PostsView: View {
  let userID: String
  let fetchPosts: @Sendable (Int) async throws -> PostPage

  var body: some View {
    QueryView(
      InfiniteQuery(QueryKeys.posts(userID: userID), initialPageParam: 0) {
        try await fetchPosts($0)
      } nextPageParam: {
        $0.lastPage.hasMore ? $0.lastParam + 1 : nil
      }
    ) { posts in
      ScrollView {
        LazyVStack {
          ForEach(posts.pages.flatMap(\.posts)) { post in
            Text("Post \(post.id)")
          }
          if posts.hasNextPage {
            Button("Load more") { Task { await posts.fetchNextPage() } }
              .disabled(posts.isFetchingNextPage)
          }
        }
      }
    }
  }
}

private struct SettingsView: View {
  @Environment(\.queryClient) private var client

  var body: some View {
    VStack {
      Button("Invalidate all users") {
        Task { await client.invalidate(.prefix([QueryKeys.users])) }
      }
      Button("Clear cache") { client.clear() }
    }
  }
}

/// The query is made in the initialiser; the view's own modifiers say when it is shown.
private struct UserView: View {
  @LiveQuery<User> private var user

  init(userID: String, cached: User, fetch: ScriptedFetch<User>) {
    _user = LiveQuery(
      Query(QueryKeys.user(id: userID), fetch: fetch)
        .initialData(cached).staleTime(.minutes(5)).retry(3)
        .refetchInterval(.seconds(30), inBackground: .minutes(1))
        .refetchOnReconnect(.ifStale).refetchOnAppear(.ifStale),
      keepsPreviousData: true
    )
  }

  var body: some View {
    Text(user.data?.name ?? "")
      .attach($user)
  }
}

// MARK: Tests

/// Screens that show one query in all its states, pages on demand, and settings.
@MainActor
struct ProfileViewTests {
  @Test("W01, K05: a list by category and text shows a spinner first, for each of its keys")
  func products() {
    World.run { world in
      let fetch = ScriptedFetch<[Product]>(
        .value([Product(id: 1, name: "Lamp")], after: .milliseconds(30))
      )
      let screen = world.show(
        Group {
          ProductsView(category: "electronics", searchTerm: "lamp", fetch: fetch)
          ProductsView(category: "electronics", searchTerm: "lamp", fetch: fetch)
          ProductsView(category: "books", searchTerm: "lamp", fetch: fetch)
        }
      )
      #expect(screen.texts == ["…", "…", "…"])
      world.advance(30)
      #expect(screen.texts == ["Lamp", "Lamp", "Lamp"] && fetch.callCount == 2)
      screen.unmount()
    }
  }

  @Test("W03: a profile shows a spinner, then an error or the user")
  func profile() {
    World.run { world in
      let fetch = ScriptedFetch<User>(
        .failure(Fatal(), after: .milliseconds(30)),
        .value(User(name: "Ada"), after: .milliseconds(30))
      )
      let screen = world.show(UserProfileView(userID: "1", fetchUser: fetch))
      #expect(screen.texts == ["…"])
      world.advance(30)
      #expect(screen.texts == ["Error: Fatal()"])
      let client = world.client
      Task { await client.refetch(.prefix([QueryKeys.users])) }
      world.advance(1)
      #expect(screen.texts == ["…"])
      world.advance(30)
      #expect(screen.texts == ["Ada"])
      screen.unmount()
    }
  }

  @Test("W03: the button for more posts is off while they are fetched, and gone at the end")
  func posts() {
    World.run { world in
      let pause = ScriptedFetch<Void>(.value((), after: .milliseconds(30)))
      let screen = world.show(
        PostsView(userID: "123") { page in
          try await pause()
          return PostPage(posts: [Post(id: page)], hasMore: page < 2)
        }
      )
      world.advance(30)
      #expect(screen.texts == ["Post 0"])
      screen.tap("Load more")
      world.advance(29)
      #expect(screen.texts == ["Post 0"] && screen.buttons == [])
      world.advance(1)
      #expect(screen.texts == ["Post 0", "Post 1"])
      screen.tap("Load more")
      world.advance(30)
      #expect(screen.texts == ["Post 0", "Post 1", "Post 2"] && screen.buttons == [])
      screen.unmount()
    }
  }

  @Test("W03: settings fetch all users that are shown again, or empty the cache")
  func settings() {
    World.run { world in
      let fetch = ScriptedFetch<User>(
        .value(User(name: "Ada"), after: .milliseconds(30)),
        .value(User(name: "Grace"), after: .milliseconds(30)),
        .value(User(name: "Edith"), after: .milliseconds(30))
      )
      let profile = world.show(UserProfileView(userID: "1", fetchUser: fetch))
      let settings = world.show(SettingsView())
      world.client.setData([1], for: ["posts", "1"] as QueryKey<[Int]>)
      world.advance(30)
      settings.tap("Invalidate all users")
      world.advance(31)
      #expect(profile.texts == ["Grace"] && fetch.callCount == 2)
      settings.tap("Clear cache")
      world.advance(0)
      #expect(world.client.data(for: ["posts", "1"] as QueryKey<[Int]>) == nil)
      // What is shown is gone too; a view that appears fetches it.
      #expect(profile.texts == [] && fetch.callCount == 2)
      profile.unmount()
      let other = world.show(UserProfileView(userID: "1", fetchUser: fetch))
      world.advance(31)
      #expect(other.texts == ["Edith"])
      other.unmount()
      settings.unmount()
    }
  }

  @Test("W04: a view made with options shows cached data and polls")
  func options() {
    World.run { world in
      let fetch = ScriptedFetch<User>(.value(User(name: "Grace"), after: .milliseconds(30)))
      let screen = world.show(UserView(userID: "1", cached: User(name: "Ada"), fetch: fetch))
      #expect(screen.texts == ["Ada"])
      world.advance(29_000)
      #expect(screen.texts == ["Ada"] && fetch.callCount == 0)
      world.advance(2_000)
      #expect(screen.texts == ["Grace"])
      screen.unmount()
    }
  }
}
