import Foundation
import StreamQuery
import StreamQueryTesting

// What the samples of the documentation use without saying where it comes from. The types, queries
// and the server are those of Tests/StreamQueryAPITests/Support.

let client = QueryClient()
let simulation = Simulation()
let fetch = ScriptedFetch<User>()
let recording = simulation.record(client.stream(.user(1)))
let result = client.result(for: .user(1))
let ada = User.ada
let (id, ids, email, owner) = (1, [1, 2], "ada@example.com", "octocat")
let isVisible = true
let archive = CacheArchive()
let url = URL.temporaryDirectory.appending(path: "StreamQuery-samples")

enum View { case spinner }
let spinner = View.spinner
func show<each Value>(_ value: repeat each Value) {}
func show(_ user: User, refreshing: Bool) {}
func show(_ user: User?, refreshing: Bool) {}
func show(_ error: any Error, keeping user: User?) {}
func show<Value>(_ value: Value, more: Bool) {}
func show<Value>(_ value: Value, more: Bool, loadingMore: Bool) {}

struct Logger {
  func debug(_ line: String) {}
}
let logger = Logger()

// Streams of an app, which finish at once.
let searchText = AsyncStream<String> { nil }
let prices = AsyncStream<Int> { nil }
let priceTicks = prices
let notifications = prices
let refreshButton = AsyncStream<Void> { nil }
let isSignedIn = AsyncStream<Bool> { nil }
let pushMessages = AsyncStream<Void> { nil }
let socketMessages = AsyncStream<Void> { nil }
let queue: (any TaskExecutor)? = nil

struct FeedPage: Hashable, Sendable {
  var items: [String] = []
  var next: Int?
  var previous: Int?
}

struct Token: Hashable, Sendable {}

struct ListPage: Hashable, Sendable {
  var items: [String] = []
  var cursor: String?
}

struct Rename: Codable, Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation where Input == Rename, Output == User {
  static func rename() -> Self { Mutation("rename-user") { try await api.rename($0) } }
}

extension API {
  func rates() async throws -> [Int] { [] }
  func countries() async throws -> [String] { [] }
  func todos() async throws -> [String] { [] }
  func price() async throws -> Int { 1 }
  func feed(_ page: Int) async throws -> FeedPage { FeedPage() }
  func list(after cursor: String?) async throws -> ListPage { ListPage() }
  func words(of id: Int) -> AsyncStream<String> { AsyncStream { nil } }
  func tokens(of id: Int) -> AsyncStream<Token> { AsyncStream { nil } }
  func rename(_ input: Rename) async throws -> User { .ada }
}

extension Query where Value == [Repo] {
  static func search(_ text: String, _ page: Int) -> Self { Query(Search(text: text, page: page)) }
}
