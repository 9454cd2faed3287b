import Foundation
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

// What the samples of the documentation use without saying where it comes from. The types, queries
// and the server are those of Tests/StreamQueryAPITests/Support.

nonisolated let client = QueryClient()
nonisolated let simulation = Simulation()
nonisolated let fetch = ScriptedFetch<User>()
let recording = simulation.record(client.stream(.user(1)))
let result = client.result(for: .user(1))
nonisolated let ada = User.ada
nonisolated let (id, ids, email, owner) = (1, [1, 2], "ada@example.com", "octocat")
let isVisible = true
nonisolated let archive = CacheArchive()
nonisolated let store = MemoryStore()
nonisolated let accounts = QueryAccounts(in: store)
nonisolated let url = URL.temporaryDirectory.appending(path: "StreamQuery-samples")

enum Indicator { case spinner }
let spinner = Indicator.spinner
func show<each Value>(_ value: repeat each Value) {}
func show(_ user: User, refreshing: Bool) {}
func show(_ user: User?, refreshing: Bool) {}
func show(_ error: any Error, keeping user: User?) {}
func show<Value>(_ value: Value, more: Bool) {}
func show<Value>(_ value: Value, more: Bool, loadingMore: Bool) {}

nonisolated struct Logger {
  func debug(_ line: String) {}
}
nonisolated let logger = Logger()

// Streams of an app, which finish at once.
nonisolated let searchText = AsyncStream<String> { nil }
nonisolated let prices = AsyncStream<Int> { nil }
nonisolated let priceTicks = prices
nonisolated let notifications = prices
nonisolated let refreshButton = AsyncStream<Void> { nil }
nonisolated let isSignedIn = AsyncStream<Bool> { nil }
nonisolated let memoryWarnings = AsyncStream<Void> { nil }
nonisolated let pushMessages = AsyncStream<Void> { nil }
nonisolated let socketMessages = AsyncStream<Void> { nil }
let queue: (any TaskExecutor)? = nil

nonisolated struct FeedPage: Hashable, Sendable {
  var items: [String] = []
  var next: Int?
  var previous: Int?
}

nonisolated struct Token: Hashable, Sendable {}

nonisolated struct ListPage: Hashable, Sendable {
  var items: [String] = []
  var cursor: String?
}

nonisolated struct Rename: Codable, Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation where Input == Rename, Output == User {
  static func rename() -> Self { Mutation("rename-user") { try await api.rename($0) } }
}

nonisolated extension API {
  func rates() async throws -> [Int] { [] }
  func countries() async throws -> [String] { [] }
  func todos() async throws -> [String] { [] }
  func price() async throws -> Int { 1 }
  func feed(_ page: Int) async throws -> FeedPage { FeedPage() }
  func list(after cursor: String?) async throws -> ListPage { ListPage() }
  func words(of id: Int) -> AsyncStream<String> { AsyncStream { nil } }
  func tokens(of id: Int) -> AsyncStream<Token> { AsyncStream { nil } }
  func rename(_ input: Rename, headers: [String: String] = [:]) async throws -> User { .ada }
}

extension Query where Value == [Repo] {
  static func search(_ text: String, _ page: Int) -> Self { Query(Search(text: text, page: page)) }
}

#if !canImport(Darwin)
extension URL {
  // Only Apple's Foundation has them.
  nonisolated static var cachesDirectory: URL { temporaryDirectory }
  nonisolated static var applicationSupportDirectory: URL { temporaryDirectory }
}
#endif
