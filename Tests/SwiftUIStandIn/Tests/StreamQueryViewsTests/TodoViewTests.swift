import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

private struct Pokemon: Hashable, Sendable {
  var name: String
}

private struct APIError: Error {
  var statusCode: Int
}

/// Searches for what its property says when it fetches.
@MainActor
private final class PokemonSearch: QueryFetcher {
  var searchTerm = ""

  func fetch() async throws -> Pokemon? { searchTerm.isEmpty ? nil : Pokemon(name: searchTerm) }
}

/// A generated request and its answer.
private struct ThumbnailRequest: QueryRequest {
  struct Response: Hashable, Sendable {
    struct Me: Hashable, Sendable { var thumbnailURL: String? }
    var me: Me?
  }

  var userID: String

  func fetch(_ context: FetchContext) async throws -> Response {
    Response(me: Response.Me(thumbnailURL: "thumbnails/\(userID)"))
  }
}

// MARK: Views

private struct PokemonSearchView: View {
  @LiveFetcher(
    fetcher: PokemonSearch(),
    query: { Query("pokemon-search", fetcher: $0).staleTime(.seconds(30)) }
  )
  private var search
  @State private var text = ""

  var body: some View {
    VStack {
      TextField("Name", text: $text)
        .onChange(of: text) { _, text in search.fetcher.searchTerm = text }
      Button("Search") { search.refetch() }
      Button("Search Pikachu") { search.refetch { $0.searchTerm = "pikachu" } }
      Button("Search Charizard") { search.refetch { $0.searchTerm = "charizard" } }
      if let pokemon = search.query.data ?? nil { Text(pokemon.name) }
    }
  }
}

private struct TodoListView: View {
  @LiveQuery<[String]> private var todos

  init(_ query: Query<[String]>) {
    _todos = LiveQuery(query.throwOnError(true))
  }

  var body: some View {
    List(todos.data ?? [], id: \.self) { Text($0) }
  }
}

/// What an app shows in place of a part that failed.
private struct ErrorView: View {
  let error: any Error
  let retry: @MainActor () -> Void

  var body: some View {
    Text("\(error)")
    Button("Retry", action: retry)
  }
}

private struct TodosScreen: View {
  let todos: Query<[String]>

  var body: some View {
    ErrorBoundaryView(catching: { $0 is APIError }) {
      TodoListView(todos)
    } failure: { error, retry in
      ErrorView(error: error, retry: retry)
    }
  }
}

private struct AppView: View {
  let todos: Query<[String]>

  var body: some View {
    NavigationStack {
      TodosScreen(todos: todos)
    }
    .errorBoundary { error, retry in
      Text("The app has a problem")
      ErrorView(error: error, retry: retry)
    }
  }
}

private struct ProfileView: View {
  @LiveQuery<String> private var user

  init(_ query: Query<String>) {
    _user = LiveQuery(query.throwOnError(.when { ($0 as? APIError)?.statusCode == 500 }))
  }

  var body: some View {
    ScrollView {
      switch user.phase {
      case .pending: ProgressView()
      case .success(let user): Text(user)
      case .failure(let error, _):
        // All but 500 are shown in place.
        Text("inline: \((error as? APIError)?.statusCode ?? 0)")
        Button("Retry") { Task { await user.refetch() } }
      }
    }
    .navigationTitle("User profile")
  }
}

private struct ThumbnailView: View {
  let userID: String
  @LiveSelection(select: { (answer: ThumbnailRequest.Response) in answer.me?.thumbnailURL })
  private var thumbnail

  var body: some View {
    Group {
      if let url = thumbnail.data ?? nil { Text(url) } else { ProgressView() }
    }
    .query($thumbnail, Query(ThumbnailRequest(userID: userID)))
  }
}

// MARK: Tests

/// Screens with an object that fetches, with boundaries, and with a part of an answer.
@MainActor
struct TodoViewTests {
  @Test("W04: a field and two preset buttons search with one object")
  func pokemon() {
    World.run { world in
      let screen = world.show(PokemonSearchView())
      world.advance(1)
      #expect(screen.texts == [])
      for (button, name) in [("Search Pikachu", "pikachu"), ("Search Charizard", "charizard")] {
        screen.tap(button)
        world.advance(1)
        #expect(screen.texts == [name])
      }
      screen.type("mew", into: "Name")
      world.advance(1)
      #expect(screen.texts == ["charizard"])
      screen.tap("Search")
      world.advance(1)
      #expect(screen.texts == ["mew"])
      screen.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("W04: the nearest boundary shows an error in place of the list, and tries again")
  func todos() {
    World.run { world in
      let fetch = ScriptedFetch<[String]>(
        .failure(APIError(statusCode: 500), after: .milliseconds(30)),
        .value(["Write", "Test"], after: .milliseconds(30))
      )
      let screen = world.show(AppView(todos: Query("todos", fetch: fetch).retry(0)))
      world.advance(30)
      #expect(screen.texts == ["APIError(statusCode: 500)"])
      screen.tap("Retry")
      world.advance(31)
      #expect(screen.texts == ["Test", "Write"] && fetch.callCount == 2)
      screen.unmount()
    }
  }

  @Test("W04: what the screen does not catch is the app's")
  func nestedBoundaries() {
    World.run { world in
      let fetch = ScriptedFetch<[String]>(
        .failure(Fatal(), after: .milliseconds(30)),
        .value(["Write"], after: .milliseconds(30))
      )
      let screen = world.show(AppView(todos: Query("todos", fetch: fetch).retry(0)))
      world.advance(30)
      #expect(screen.texts == ["Fatal()", "The app has a problem"])
      screen.tap("Retry")
      world.advance(31)
      #expect(screen.texts == ["Write"])
      screen.unmount()
    }
  }

  @Test("W04: errors of one status go to the boundary, others are shown in place")
  func profile() {
    World.run { world in
      for (status, shown) in [(500, "APIError(statusCode: 500)"), (404, "inline: 404")] {
        let fetch = ScriptedFetch<String>(
          .failure(APIError(statusCode: status), after: .milliseconds(30)),
          .value("Ada", after: .milliseconds(30))
        )
        let screen = world.show(
          ProfileView(Query("user", status, fetch: fetch).retry(0)).errorBoundary {
            ErrorView(error: $0, retry: $1)
          }
        )
        #expect(screen.texts == ["…"])
        world.advance(30)
        #expect(screen.texts == [shown])
        screen.tap("Retry")
        world.advance(31)
        #expect(screen.texts == ["Ada"])
        screen.unmount()
      }
    }
  }

  @Test("W04: a thumbnail is a selection of a generated answer")
  func thumbnail() {
    World.run { world in
      let screen = world.show(ThumbnailView(userID: "7"))
      #expect(screen.texts == ["thumbnails/7"])
      world.client.setData(ThumbnailRequest.Response(), for: Query(ThumbnailRequest(userID: "7")))
      world.advance(0)
      #expect(screen.texts == ["…"])
      screen.unmount()
    }
  }
}
