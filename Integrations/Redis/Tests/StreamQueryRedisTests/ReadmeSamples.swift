import Foundation
import StreamQuery
import StreamQueryRedis
import StreamQueryShared
import Testing

/// The samples of the README, as it has them: they compile.
@Suite struct ReadmeSamples {
  private struct User: Codable, Sendable {}

  private struct API: Sendable {
    func user(_ id: Int) async throws -> User { User() }
  }

  /// Never called: the server of the sample does not exist.
  private static func setUp(_ api: API, _ id: Int) async throws {
    let client = QueryClient(configuration: .server)
    let store = RedisStore(
      try RedisEndpoint(url: "redis://:secret@cache.internal:6379/0"),
      namespace: "shop"
    )
    let cache = try SharedCache(store, for: client, SharedCacheConfiguration(namespace: "shop"))

    // For as long as the process serves:
    async let _: Void = cache.run()

    let user = Query("user", id) { try await api.user(id) }
      .staleTime(.minutes(1))
      .shared(through: cache, tags: ["users"])

    try await client.fetch(user)  // one machine asks the API, once a minute
    try await cache.invalidate(tags: "users")  // on all machines
  }

  /// What is compiled here is what the README says, but for white space.
  @Test func theSamplesAreThoseOfTheReadme() throws {
    let file = URL(filePath: #filePath)
    let package = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
    let compiled = Self.words(of: try String(contentsOf: file, encoding: .utf8))
    let samples = readme.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(samples.count == 1)
    for sample in samples {
      #expect(compiled.contains(Self.words(of: sample)), "\(sample)")
    }
  }

  /// The code without white space, and without imports.
  private static func words(of text: String) -> String {
    text.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined()
      .filter { !$0.isWhitespace }
  }
}
