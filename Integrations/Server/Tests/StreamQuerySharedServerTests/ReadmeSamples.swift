import Foundation
import Logging
import ServiceLifecycle
import StreamQuery
import StreamQueryServer
import StreamQueryShared
import StreamQuerySharedServer
import Testing
import UnixSignals

/// The samples of the README, as it has them: they compile.
///
/// They are never called: their servers do not exist.
@Suite struct ReadmeSamples {
  private protocol Store: SharedStore {
    func close() async
  }

  private struct Writer {
    func write(_ result: QueryResult<Int>) async throws {}
  }

  private static func attach() {
    var configuration = QueryClient.Configuration.server
    configuration.log(to: Logger(label: "cache"))
    configuration.measure(with: QueryMetrics(prefix: "cache"))
    configuration.trace()
    let client = QueryClient(configuration: configuration)
    client.shutDown()
  }

  private static func end(
    _ client: QueryClient,
    _ server: any Service,
    _ logger: Logger
  ) async throws {
    let cache = QueryClientService(client, patience: .seconds(5), logger: logger)
    let group = ServiceGroup(
      services: [cache, server],
      gracefulShutdownSignals: [.sigterm],
      logger: logger
    )
    try await group.run()
  }

  private static func stream(
    _ client: QueryClient,
    _ rates: Query<Int>,
    _ writer: Writer
  ) async throws {
    for await result in client.stream(rates).cancelOnGracefulShutdown() {  // of ServiceLifecycle
      try await writer.write(result)
    }
  }

  private static func share(_ store: any Store, _ client: QueryClient) throws -> SharedCache {
    var sharing = SharedCacheConfiguration(namespace: "shop")
    sharing.log(to: Logger(label: "shared cache"))
    sharing.measure(with: SharedCacheMetrics(prefix: "cache.shared"))
    sharing.trace()
    let cache = try SharedCache(store, for: client, sharing)
    return cache
  }

  private static func endSharing(
    _ cache: SharedCache,
    _ store: any Store,
    _ client: QueryClient,
    _ server: any Service,
    _ logger: Logger
  ) async throws {
    let sharing = SharedCacheService(cache) { await store.close() }
    let group = ServiceGroup(
      services: [sharing, QueryClientService(client, patience: .seconds(5)), server],
      gracefulShutdownSignals: [.sigterm],
      logger: logger
    )
    try await group.run()
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
    #expect(samples.count == 5)
    for sample in samples {
      #expect(compiled.contains(Self.words(of: sample)), "\(sample)")
    }
  }

  /// The code without white space.
  private static func words(of text: String) -> String {
    text.filter { !$0.isWhitespace }
  }
}
