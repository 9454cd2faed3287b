import Foundation
import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

private enum IssueState: String, Sendable { case open, closed }

private struct Issue: Hashable, Sendable {
  var title: String
}

private struct NewProject: Hashable, Sendable {
  var id: Int
}

private struct Post: Hashable, Sendable {
  var page: Int
}

private struct PostPage: Hashable, Sendable {
  var posts: [Post]
  var next: Int?
}

/// The server of a tracker of projects; it keeps what it was asked.
@MainActor private final class Server {
  private(set) var asked: [String] = []
  private var projects = [Project(id: 1)]

  func project(_ id: Int) async throws -> Project {
    asked.append("project \(id)")
    return Project(id: id)
  }

  func allProjects() async throws -> [Project] {
    asked.append("projects")
    return projects
  }

  func issues(_ id: Int, _ state: IssueState) async throws -> [Issue] {
    asked.append("issues \(id) \(state)")
    return [Issue(title: "broken")]
  }

  func create(_ new: NewProject) async throws -> Project {
    asked.append("create \(new.id)")
    projects.append(Project(id: new.id))
    return Project(id: new.id)
  }

  func repositories(_ text: String, _ page: Int, _ locale: String) async throws -> [Repo] {
    asked.append("repositories \(text) \(page) \(locale)")
    return [Repo(id: page, name: text)]
  }

  func followers(of name: String) async throws -> [String] {
    asked.append("followers \(name)")
    return [name + "'s friend"]
  }

  func posts(_ page: Int) async throws -> PostPage {
    asked.append("posts \(page)")
    return PostPage(posts: [Post(page: page)], next: page < 9 ? page + 1 : nil)
  }
}

/// What an app reads, written once.
///
/// Everything that changes an answer is a part of its key.
private struct Queries: Sendable {
  let server: Server

  func project(_ id: Project.ID) -> Query<Project> {
    Query("project", id) { [server] in try await server.project(id) }
  }

  func issues(_ id: Project.ID, _ state: IssueState) -> Query<[Issue]> {
    Query("project", id, "issues", state.rawValue) { [server] in
      try await server.issues(id, state)
    }
  }

  var projects: Query<[Project]> {
    Query("projects") { [server] in try await server.allProjects() }
  }

  func repositories(_ text: String, _ page: Int, _ locale: Locale) -> Query<[Repo]> {
    Query("repositories", text, page, locale.identifier) { [server] in
      try await server.repositories(text, page, locale.identifier)
    }
    .staleTime(.minutes(2))
  }

  /// The followers of nobody are not asked for.
  func followers(of name: String) -> Query<[String]> {
    let name = name.trimmingCharacters(in: .whitespaces)
    return Query("github", "followers", name) { [server] in try await server.followers(of: name) }
      .enabled(!name.isEmpty).retry(1).staleTime(.seconds(60)).refetchOnSubscribe(.always)
  }

  var feed: InfiniteQuery<PostPage, Int> {
    InfiniteQuery("feed", initialPageParam: 1, maxPages: 5) { [server] page in
      try await server.posts(page)
    } nextPageParam: {
      $0.lastPage.next
    }
    .staleTime(.seconds(60))
  }

  var createProject: Mutation<NewProject, Project> {
    Mutation("create-project") { [server] (new: NewProject) in try await server.create(new) }
      .onSuccess { _, context in await context.client.invalidate(.prefix("projects")) }
  }
}

/// An app for projects and their repositories, without its views.
@MainActor struct ProjectSamples {
  private let server = Server()
  private var queries: Queries { Queries(server: server) }

  private func run(
    _ body: @escaping @MainActor (Simulation, QueryClient) async throws -> Void
  ) throws {
    try Simulation.onMainActor { simulation in
      try await body(simulation, QueryClient(simulation: simulation))
    }
  }

  private func numbers(of pages: [PostPage]) -> [Int] {
    pages.flatMap(\.posts).map(\.page)
  }

  private func requests(for pages: [Int]) -> [String] {
    pages.map { "posts \($0)" }
  }

  @Test("W02: a project is fetched; two callers share the request")
  func aProject() throws {
    try run { _, client in
      let project = try await client.fetch(queries.project(7))
      expectEqual(project, Project(id: 7))
      async let one = client.fetch(queries.project(8))
      async let other = client.fetch(queries.project(8))
      try await expectEqual(one, other)
      expectEqual(server.asked, ["project 7", "project 8"])
    }
  }

  @Test("W02: factories make keys of one project, which are invalidated together")
  func factories() throws {
    try run { _, client in
      for id in [7, 70] {
        try await client.fetch(queries.project(id))
        try await client.fetch(queries.issues(id, .open))
      }
      await client.invalidate(.prefix("project", 7))
      expect(client.isStale(queries.issues(7, .open).staleTime(.infinite)))
      expect(client.isStale(queries.project(7).staleTime(.infinite)))
      expect(!client.isStale(queries.issues(70, .open).staleTime(.infinite)))
    }
  }

  @Test(
    "W02: each of four inputs has its own repositories, and a fresh page is not asked for again"
  )
  func repositoriesWithFourInputs() throws {
    try run { simulation, client in
      let (english, german) = (Locale(identifier: "en"), Locale(identifier: "de"))
      for (text, page, locale) in [
        ("swift", 1, english), ("swift", 2, english), ("swift", 2, german), ("rust", 2, german),
        ("swift", 1, english),
      ] {
        try await client.fetch(queries.repositories(text, page, locale))
      }
      let expected = ["swift 1 en", "swift 2 en", "swift 2 de", "rust 2 de"]
      expectEqual(server.asked, expected.map { "repositories " + $0 })
      try await simulation.settled(after: .minutes(2))
      try await client.fetch(queries.repositories("swift", 1, english))
      expectEqual(server.asked.count, 5)
    }
  }

  @Test("W02: cached data is read, written and sorted by hand")
  func dataByHand() throws {
    try run { _, client in
      let key = QueryKey<[Repo]>("repositories", "swift", 1, "en")
      client.setData([Repo(id: 2, name: "b"), Repo(id: 1, name: "a")], for: key)
      client.updateData(for: key) { $0?.sort { $0.name < $1.name } }
      expectEqual(client.data(for: key)?.map(\.name), ["a", "b"])
      await client.invalidate(key)
      expect(client.isStale(key))
    }
  }

  /// What a view for followers binds to.
  @MainActor @Observable final class FollowersModel {
    var name = "" { didSet { followers.update(query: query(name)) } }
    let followers: ObservedQuery<[String]>
    private let query: (String) -> Query<[String]>

    init(_ client: QueryClient, query: @escaping (String) -> Query<[String]>) {
      self.query = query
      followers = ObservedQuery(query(""), client: client)
    }
  }

  @Test("W02: followers are asked for by a trimmed name, and not by an empty one")
  func followers() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let model = FollowersModel(client) { queries.followers(of: $0) }
      for name in ["   ", " ada", "ada ", "grace", "ada"] {
        model.name = name
        simulation.settle()
      }
      expectEqual(model.followers.data, ["ada's friend"])
      // A key that changes in place is no new subscription: what is fresh is not asked for again.
      expectEqual(server.asked, ["followers ada", "followers grace"])
      let other = ObservedQuery(queries.followers(of: "ada"), client: client)
      simulation.settle()
      expect(server.asked.count == 3 && other.isSuccess)
    }
  }

  @Test("W02: a selection shows the names only")
  func names() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let names = ObservedSelection(.users, client: client) { $0.map(\.name) }
      simulation.settle()
      expectEqual(names.data, ["Ada"])
      client.setData([.ada, User(id: 2, name: "Grace")], for: .users)
      simulation.settle()
      expectEqual(names.data, ["Ada", "Grace"])
    }
  }

  @Test("W02: a new project invalidates the lists that may contain it")
  func aNewProject() throws {
    try run { simulation, client in
      let projects = ObservedQuery(queries.projects, client: client)
      try await simulation.settled()
      let project = try await client.mutate(queries.createProject, with: NewProject(id: 2))
      expectEqual(project.id, 2)
      try await simulation.settled()
      expectEqual(projects.data?.map(\.id), [1, 2])
      expectEqual(server.asked, ["projects", "create 2", "projects"])
    }
  }

  @Test("W02: a feed keeps its newest five pages, and refetches those")
  func aFeed() throws {
    try run { simulation, client in
      let feed = ObservedQuery(queries.feed, client: client)
      try await simulation.settled()
      expect(numbers(of: feed.pages) == [1] && feed.hasNextPage)
      for _ in 2...7 { await feed.fetchNextPage() }
      expectEqual(numbers(of: feed.pages), [3, 4, 5, 6, 7])
      await feed.refetch()
      expectEqual(server.asked, requests(for: [1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7]))
    }
  }

  @Test("W02: the last page of a feed has no next one, and asking for it asks nobody")
  func theEndOfAFeed() throws {
    try run { simulation, client in
      let feed = ObservedQuery(queries.feed, client: client)
      try await simulation.settled()
      for _ in 2...9 { await feed.fetchNextPage() }
      expect(numbers(of: feed.pages) == [5, 6, 7, 8, 9] && !feed.hasNextPage)
      await feed.fetchNextPage()
      expectEqual(server.asked, requests(for: Array(1...9)))
    }
  }

  @Test("W02: a search has pages; another text begins at the first one")
  func aPaginatedSearch() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let queries = queries
      let found = ObservedPagination(Pagination(input: "swift"), client: client) { text, page in
        queries.repositories(text, page, Locale(identifier: "en"))
      }
      simulation.settle()
      found.moveToNextPage()
      expect(found.query.data?.map(\.id) == [1] && found.query.isPlaceholderData)
      simulation.settle()
      expect(found.query.data?.map(\.id) == [2] && found.canMoveToPreviousPage)
      found.moveToPreviousPage()
      expect(found.query.data?.map(\.id) == [1] && !found.query.isFetching)
      found.input = "rust"
      simulation.settle()
      expect(found.page == 1 && found.query.data?.map(\.name) == ["rust"])
      expectEqual(server.asked.count, 3)
    }
  }
}
