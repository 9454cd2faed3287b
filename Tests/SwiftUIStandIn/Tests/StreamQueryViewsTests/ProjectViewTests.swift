import Foundation
import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

private struct Project: Hashable, Identifiable, Sendable {
  var id: Int
  var name: String { "Project \(id)" }
}

private struct Person: Hashable, Identifiable, Sendable {
  var id: Int
  var login: String
}

private struct Post: Hashable, Identifiable, Sendable {
  var id: Int
}

private struct PostPage: Hashable, Sendable {
  var posts: [Post]
  var next: Int?
}

private struct Repository: Hashable, Identifiable, Sendable {
  var id: Int
  var name: String
}

/// A server that takes 30 milliseconds for each answer and keeps what it was asked.
@MainActor
private final class Server {
  private(set) var asked: [String] = []
  private var projectCount = 1
  private let pause = ScriptedFetch<Void>(.value((), after: .milliseconds(30)))

  private func receive(_ question: String) async throws {
    asked.append(question)
    try await pause()
  }

  func projects() async throws -> [Project] {
    try await receive("projects")
    return (1...projectCount).map { Project(id: $0) }
  }

  func createProject(_ id: Int) async throws -> Project {
    try await receive("create")
    projectCount = id
    return Project(id: id)
  }

  func followers(of name: String) async throws -> [Person] {
    try await receive("followers of \(name)")
    return [Person(id: 1, login: "\(name)'s friend")]
  }

  func feed(_ page: Int) async throws -> PostPage {
    try await receive("feed \(page)")
    return PostPage(posts: [Post(id: page)], next: page < 3 ? page + 1 : nil)
  }

  func user(_ id: Int) async throws -> Person {
    try await receive("user \(id)")
    return Person(id: id, login: "ada")
  }

  func repositories(_ text: String, _ page: Int, _ locale: String) async throws -> [Repository] {
    try await receive("\(text) \(page) \(locale)")
    return [Repository(id: page, name: "\(text) \(page)")]
  }
}

private struct Queries: Sendable {
  let server: Server

  var projects: Query<[Project]> { Query("projects") { try await server.projects() } }

  func user(_ id: Int) -> Query<Person> { Query("user", id) { try await server.user(id) } }

  func repositories(_ text: String, _ page: Int, _ locale: Locale) -> Query<[Repository]> {
    Query("repositories", text, page, locale.identifier) {
      try await server.repositories(text, page, locale.identifier)
    }
    .staleTime(.seconds(120))
  }
}

// MARK: Views

private struct ProjectList: View {
  let projects: ObservedQuery<[Project]>

  var body: some View {
    List(projects.data ?? []) { project in
      Text(project.name)
    }
    .overlay {
      if projects.isPending { ProgressView("Loading projects") }
    }
    .toolbar {
      Button("Refresh") { Task { await projects.refetch() } }
        .disabled(projects.isFetching)
    }
  }
}

private struct ProjectsView: View {
  @LiveQuery<[Project]> private var projects

  init(_ queries: Queries) {
    _projects = LiveQuery(queries.projects)
  }

  var body: some View { ProjectList(projects: projects) }
}

/// The same without a property wrapper: the view starts and stops the object itself.
private struct HandmadeProjectsView: View {
  @Environment(\.queryClient) private var client
  @State private var projects: ObservedQuery<[Project]>

  init(_ queries: Queries) {
    _projects = State(wrappedValue: ObservedQuery(queries.projects))
  }

  var body: some View {
    ProjectList(projects: projects)
      .onAppear { projects.start(using: client) }
      .onDisappear { projects.stop() }
  }
}

private struct FollowersView: View {
  let server: Server
  @State private var username: String
  @LiveQuery<[Person]> private var followers

  init(server: Server, username: String = "") {
    self.server = server
    _username = State(wrappedValue: username)
  }

  private var trimmedUsername: String { username.trimmingCharacters(in: .whitespacesAndNewlines) }

  private var query: Query<[Person]> {
    Query("github", "followers", trimmedUsername) { [server, name = trimmedUsername] in
      try await server.followers(of: name)
    }
    .enabled(!trimmedUsername.isEmpty)
    .retry(1).staleTime(.seconds(60)).refetchOnAppear(.always)
  }

  var body: some View {
    Group {
      TextField("Name", text: $username)
      List(followers.data ?? []) { user in
        Text(user.login)
      }
    }
    .query($followers, query)
  }
}

private struct NamesView: View {
  let queries: Queries
  @LiveSelection(select: { (projects: [Project]) in projects.map(\.name) }) private var names

  var body: some View {
    List(names.data ?? [], id: \.self) { Text($0) }
      .query($names, queries.projects)
  }
}

private struct CreateProjectView: View {
  @LiveMutation private var create: ObservedMutation<Int, Project>

  init(_ server: Server) {
    _create = LiveMutation(
      Mutation("create-project") { try await server.createProject($0) }
        .onSuccess { _, context in await context.client.invalidate(.prefix("projects")) }
    )
  }

  var body: some View {
    Button("Create") { create.run(2) }
      .disabled(create.isPending)
    if let project = create.output { Text("Created \(project.name)") }
  }
}

private struct FeedView: View {
  @LiveInfiniteQuery<PostPage, Int> private var feed

  init(_ server: Server) {
    _feed = LiveInfiniteQuery(
      InfiniteQuery("feed", initialPageParam: 1, maxPages: 5) {
        try await server.feed($0)
      } nextPageParam: {
        $0.lastPage.next
      }
      .staleTime(.seconds(60))
    )
  }

  var body: some View {
    List {
      ForEach(feed.pages.flatMap(\.posts)) { post in
        Text("Post \(post.id)")
      }
      if feed.hasNextPage {
        ProgressView()
          .onAppear { Task { await feed.fetchNextPage() } }
      }
    }
  }
}

private struct UserView: View {
  let queries: Queries
  let id: Int
  @LiveQueries private var batch

  var body: some View {
    VStack {
      if let user = batch[queries.user(id)]?.data { Text(user.login) }
      if let projects = batch[queries.projects]?.data { Text("\(projects.count) projects") }
    }
    .queries($batch, [AnyQuery(queries.user(id)), AnyQuery(queries.projects)])
  }
}

/// The query has the page: it lasts as long as the screen.
private struct SearchView: View {
  @LivePagination private var found: ObservedPagination<String, Int, [Repository]>

  init(_ queries: Queries) {
    _found = LivePagination(Pagination(input: "swift")) { text, page in
      queries.repositories(text, page, Locale(identifier: "en"))
    }
  }

  var body: some View {
    List(found.query.data ?? []) { Text($0.name) }
    Button("Previous") { found.moveToPreviousPage() }
      .disabled(!found.canMoveToPreviousPage)
    Button("Next") { found.moveToNextPage() }
      .disabled(found.query.isPlaceholderData)
    Button("Rust") { found.input = "rust" }
  }
}

/// The view has the page, and whatever else the answer depends on.
private struct RepositoriesView: View {
  let queries: Queries
  let locale: Locale
  @State private var text = "swift"
  @State private var page = 1
  @LiveQuery<[Repository]> private var repositories

  var body: some View {
    Group {
      TextField("Search", text: $text)
      List(repositories.data ?? []) { Text($0.name) }
      Button("Next") { page += 1 }
    }
    .query($repositories, queries.repositories(text, page, locale))
  }
}

// MARK: Tests

/// The screens of an app for projects.
@MainActor
struct ProjectViewTests {
  @Test("W02: projects show a spinner at first; the button is off while they are fetched")
  func projects() {
    World.run { world in
      let queries = Queries(server: Server())
      let screens = [
        world.show(ProjectsView(queries)), world.show(HandmadeProjectsView(queries)),
      ]
      for screen in screens { #expect(screen.texts == ["Loading projects"]) }
      world.advance(29)
      for screen in screens { #expect(screen.buttons == []) }
      world.advance(1)
      for screen in screens {
        #expect(screen.texts == ["Project 1"] && screen.buttons == ["Refresh"])
      }
      #expect(queries.server.asked == ["projects"])
      screens[0].tap("Refresh")
      world.advance(1)
      #expect(screens[1].texts == ["Project 1"] && screens[1].buttons == [])
      world.advance(30)
      #expect(screens[1].buttons == ["Refresh"] && queries.server.asked.count == 2)
      for screen in screens { screen.unmount() }
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("W02: followers are those of the trimmed name; nothing is asked for an empty one")
  func followers() {
    World.run { world in
      let server = Server()
      let screen = world.show(FollowersView(server: server))
      for (typed, shown) in [
        ("  ", []), (" ada", ["ada's friend"]), ("ada ", ["ada's friend"]), ("", []),
        ("grace", ["grace's friend"]),
      ] {
        screen.type(typed, into: "Name")
        world.advance(31)
        #expect(screen.texts == shown)
      }
      #expect(server.asked == ["followers of ada", "followers of grace"])
      screen.unmount()
      // Another screen moves to the name when that is typed: this is no appearance, and they are
      // fresh.
      let other = world.show(FollowersView(server: server))
      other.type("ada", into: "Name")
      world.advance(0)
      #expect(other.texts == ["ada's friend"])
      world.advance(31)
      #expect(server.asked == ["followers of ada", "followers of grace"])
      // One that appears with the name asks for them again.
      let third = world.show(FollowersView(server: server, username: "ada"))
      #expect(third.texts == ["ada's friend"])
      world.advance(31)
      #expect(server.asked.dropFirst(2) == ["followers of ada"])
      other.unmount()
      third.unmount()
      world.advance(0)
    }
  }

  @Test("W02: a new project shows up in the list and in the selection of its names")
  func aNewProject() {
    World.run { world in
      let queries = Queries(server: Server())
      let names = world.show(NamesView(queries: queries))
      let create = world.show(CreateProjectView(queries.server))
      world.advance(30)
      #expect(names.texts == ["Project 1"])
      create.tap("Create")
      world.advance(1)
      #expect(create.buttons == [] && create.texts == [])
      world.advance(60)
      #expect(create.texts == ["Created Project 2"] && create.buttons == ["Create"])
      #expect(names.texts == ["Project 1", "Project 2"])
      names.unmount()
      create.unmount()
    }
  }

  @Test("W02: a feed fetches the next page when its end appears")
  func feed() {
    World.run { world in
      let server = Server()
      let screen = world.show(FeedView(server))
      #expect(screen.texts == [])
      world.advance(31)
      #expect(screen.texts == ["Post 1", "…"])
      world.advance(30)
      #expect(screen.texts == ["Post 1", "Post 2", "…"])
      #expect(server.asked == ["feed 1", "feed 2"])
      screen.unmount()
    }
  }

  @Test("W02: a user and the projects are one object, each shown when it is there")
  func aBatch() {
    World.run { world in
      let queries = Queries(server: Server())
      world.client.setData([Project(id: 1)], for: queries.projects.staleTime(.static))
      let screen = world.show(UserView(queries: queries, id: 7))
      #expect(screen.texts == ["1 projects"])
      world.advance(31)
      #expect(screen.texts == ["1 projects", "ada"])
      screen.unmount()
    }
  }

  @Test("W02: a page of a search is shown until the next is there; former pages are at hand")
  func pages() {
    World.run { world in
      let queries = Queries(server: Server())
      let screen = world.show(SearchView(queries))
      world.advance(30)
      #expect(screen.texts == ["swift 1"] && screen.buttons == ["Next", "Rust"])
      screen.tap("Next")
      world.advance(1)
      #expect(screen.texts == ["swift 1"] && screen.buttons == ["Previous", "Rust"])
      world.advance(30)
      #expect(screen.texts == ["swift 2"] && screen.buttons == ["Next", "Previous", "Rust"])
      screen.tap("Previous")
      world.advance(0)
      #expect(screen.texts == ["swift 1"])
      screen.tap("Next")
      screen.tap("Rust")
      world.advance(31)
      #expect(screen.texts == ["rust 1"])
      #expect(queries.server.asked == ["swift 1 en", "swift 2 en", "rust 1 en"])
      screen.unmount()
    }
  }

  @Test("W02: four inputs of a view's state make the key")
  func repositories() {
    World.run { world in
      let queries = Queries(server: Server())
      let screen = world.show(RepositoriesView(queries: queries, locale: Locale(identifier: "de")))
      world.advance(31)
      #expect(screen.texts == ["swift 1"])
      screen.tap("Next")
      world.advance(31)
      #expect(screen.texts == ["swift 2"])
      screen.type("rust", into: "Search")
      world.advance(31)
      #expect(screen.texts == ["rust 2"])
      screen.unmount()
      let other = world.show(RepositoriesView(queries: queries, locale: Locale(identifier: "de")))
      world.advance(0)
      #expect(other.texts == ["swift 1"] && queries.server.asked.count == 3)
      other.unmount()
    }
  }
}
