import Foundation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI

/// Simulates a user of the sample app, in real time.
@MainActor
final class LiveStory {
  private let client: QueryClient
  private let online: ManualSignal<Bool>
  /// Whether a test controls the network, so that this story must not.
  private let isDriven: Bool
  private let local = LocalServer()
  private let api: any API
  private let app: AppModel
  private var people: [User.ID: ObservedQuery<User>] = [:]
  private let prices: ObservedQuery<Price>

  init(client: QueryClient, online: ManualSignal<Bool>, isDriven: Bool) {
    self.client = client
    self.online = online
    self.isDriven = isDriven
    api = SlowServer(server: local)
    app = AppModel(api: api, client: client, connectivity: Connectivity { online })
    prices = ObservedQuery(.price, client: client)
  }

  /// Plays all scenes in turn, again and again until the process ends.
  func play() async {
    while !Task.isCancelled {
      await scroll()
      await search()
      await rename()
      if !isDriven { await loseNetwork() }
      await loseServer()
    }
  }

  private func wait(_ seconds: Double) async {
    try? await Task.sleep(for: .seconds(seconds))
  }

  private func open(_ id: User.ID) {
    people[id] = ObservedQuery(.user(id, from: api), client: client)
  }

  /// Reads the feed to its end, and looks at an author.
  private func scroll() async {
    await app.feed.query.refetch()
    while app.feed.query.hasNextPage {
      await wait(1.5)
      await app.feed.query.fetchNextPage()
    }
    open(1)
    await wait(2)
    people[1] = nil
  }

  /// Types faster than the server answers.
  private func search() async {
    for text in ["a", "al", "ala", "alan", "", "gr", "grace"] {
      app.search.text = text
      await wait(0.25)
    }
    await wait(2)
    app.search.text = ""
  }

  /// Gives Alan another name, and then a name that another user has.
  private func rename() async {
    open(2)
    await wait(2)
    let edit = EditModel(id: 2, api: api, client: client)
    let next = people[2]?.data?.name == "Alan" ? "Alan Turing" : "Alan"
    for name in [next, "Grace"] {
      edit.name = name
      edit.save()
      await wait(2.5)
    }
  }

  /// Opens a user and renames another one while the network is away.
  private func loseNetwork() async {
    online.send(false)
    await wait(1)
    open(3)
    let edit = EditModel(id: 2, api: api, client: client)
    edit.name = "Turing"
    edit.save()
    await wait(4)
    online.send(true)
    await wait(3)
    people[3] = nil
  }

  /// Refreshes while the server is being updated, and tries again after that.
  private func loseServer() async {
    local.isDown = true
    client.markInvalidated(.prefix("users"))
    await wait(5)
    local.isDown = false
    await app.feed.tryAgain()
    people[2] = nil
    await wait(2)
  }
}

/// The local server, with the delays of a distant one.
private struct SlowServer: API {
  let server: LocalServer

  private func travel() async throws {
    try await Scheduling.current.clock.sleep(for: .milliseconds(.random(in: 200...900)))
  }

  func feed(page: Int) async throws -> FeedPage {
    try await travel()
    return try await server.feed(page: page)
  }

  func search(_ text: String) async throws -> [User] {
    try await travel()
    return try await server.search(text)
  }

  func user(_ id: User.ID) async throws -> User {
    try await travel()
    return try await server.user(id)
  }

  func rename(_ id: User.ID, to name: String) async throws -> User {
    try await travel()
    return try await server.rename(id, to: name)
  }
}

extension Query<Price> {
  /// The query of a price, which is fetched every three seconds.
  fileprivate static var price: Self {
    Query("price") { context in
      try await Scheduling.current.clock.sleep(for: .milliseconds(150))
      return Price(revision: 1, cents: 999 + .random(in: 0..<100))
    }
    .refetchInterval(.seconds(3))
    .staleTime(.seconds(2))
  }
}
