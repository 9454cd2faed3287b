internal import Foundation
internal import StreamQuery
internal import StreamQueryRedis
internal import StreamQueryShared

extension Query<Product> {
  /// A product; the first five are in the sale.
  static func product(_ id: Int, of shop: Shop, through cache: SharedCache) -> Self {
    Query("product", id) { try await shop.product(id) }
      .staleTime(.minutes(10))
      .shared(through: cache, tags: id < 5 ? ["sale"] : [])
  }
}

extension Query<String> {
  static func report(of shop: Shop, through cache: SharedCache) -> Self {
    Query("report") { try await shop.report() }
      .staleTime(.minutes(10))
      .shared(through: cache)
  }
}

/// A server of the shop: a process of its own, which executes the lines on its input, and answers each with a
/// line.
struct Machine: Sendable {
  let shop: Shop
  let client: QueryClient
  let store: RedisStore
  let cache: SharedCache
  /// The events of the cache, for commands that wait for a change, or for the log.
  private let news: AsyncStream<News>
  private let tell: AsyncStream<News>.Continuation

  private enum News { case followsLog, changed, lostTrust, end }

  init(shop: Shop, storePort: UInt16) throws {
    self.shop = shop
    client = QueryClient(configuration: .server)
    store = RedisStore(RedisEndpoint(.host("127.0.0.1", port: Int(storePort))), namespace: "shop")
    var configuration = SharedCacheConfiguration(namespace: "shop")
    // If a machine dies while it fetches, the others wait for this time: six times the timeout.
    configuration.lease = .seconds(12)
    // Data is trusted for this time while the store does not answer.
    configuration.trust = .seconds(60)
    // All processes share a machine that may be busy: this must not look like a store that does not answer.
    configuration.timeout = .seconds(2)
    let (news, tell) = AsyncStream<News>.makeStream()
    configuration.onEvent = { event in
      switch event {
      case .followsLog: tell.yield(.followsLog)
      case .invalidated: tell.yield(.changed)
      case .gap: tell.yield(.lostTrust)
      default: break
      }
    }
    (self.news, self.tell) = (news, tell)
    cache = try SharedCache(store, for: client, configuration)
  }

  /// Answers commands until the input ends.
  func run() async throws {
    async let _: Void = cache.run()
    await hear(.followsLog)
    say("ready")
    for await line in Self.lines() { say(try await answer(line)) }
  }

  /// The lines of the input, read by a thread of its own.
  private static func lines() -> AsyncStream<String> {
    let (lines, input) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { input.yield(line) }
      input.finish()
    }
    return lines
  }

  private func answer(_ line: String) async throws -> String {
    let words = line.split(separator: " ")
    switch words.first {
    case "ask": return "\(try await ask(times: words.last.flatMap { Int($0) } ?? 1))"
    case "prices": return "\(try await price(of: 0)) \(try await price(of: 9))"
    case "sale":
      for id in 0..<5 { try await shop.setPrice(80, of: id) }
      try await cache.invalidate(tags: "sale")
      return "done"
    case "report": return try await client.fetch(.report(of: shop, through: cache))
    case "forgets-news":
      tell.yield(.end)
      return await hear(.end)
    case "hears-change": return await hear(.changed)
    case "hears-gap": return await hear(.lostTrust)
    default: return "what?"
    }
  }

  /// Fetches each of ten products `times` times, all at once, and returns the number of fetches.
  private func ask(times: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 * times {
        group.addTask {
          try await client.fetch(.product(number % 10, of: shop, through: cache))
        }
      }
      try await group.waitForAll()
    }
    return 10 * times
  }

  private func price(of id: Int) async throws -> Int {
    try await client.fetch(.product(id, of: shop, through: cache)).price
  }

  @discardableResult
  private func hear(_ wanted: News) async -> String {
    for await told in news where told == wanted { break }
    return "done"
  }

  private func say(_ line: String) {
    // The line is not printed by `print`, because a flush would wait for the thread that reads the
    // input.
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
