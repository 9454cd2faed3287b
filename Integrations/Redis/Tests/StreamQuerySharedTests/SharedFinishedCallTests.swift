#if os(Linux) && canImport(Glibc)
import Foundation
import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// What calls through the shared cache leave behind that were answered long before the end of their
/// time.
///
/// On the clock of an app, since a cancelled sleep is kept by the runtime; each kind in a process of
/// its own, since the bytes of all threads are counted.
struct SharedFinishedCallTests {
  enum Kind: String, Codable, CaseIterable, Sendable {
    case leading, following
  }

  @Test(.enabled(if: HeapUse.isKnown), arguments: Kind.allCases)
  func aCallThatHasEndedLeavesNextToNothing(_ kind: Kind) async {
    let exit = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [kind] in
      let bytes = await Self.bytesPerCall(kind)
      guard bytes > Self.bound else { return }
      FileHandle.standardError.write(Data("\(kind) leaves \(bytes) bytes\n".utf8))
      Foundation.exit(1)
    }
    #expect(String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  /// The bytes that a call may leave behind.
  private static let bound = 40.0

  private static let long = Duration.seconds(600)

  /// A query of which no entry is young enough, so that each fetch asks upstream or waits for it.
  private static func query(
    through cache: SharedCache,
    _ upstream: @escaping @Sendable () async -> Int
  ) -> Query<Int> {
    Query<Int>("n") { await upstream() }
      .staleTime(.zero).timeout(long).shared(through: cache, maxAge: .nanoseconds(1))
  }

  private static func bytesPerCall(_ kind: Kind) async -> Double {
    let clients = (0..<2).map { _ in QueryClient(configuration: .server) }
    // It waits on the clock of a client, and keeps a log that is full before anything is counted.
    let store = MemorySharedStore(
      clients[0].scheduling,
      limits: SharedStoreLimits(logLength: 100)
    )
    let follows = Dial(0)
    let (followed, following) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let caches = clients.map { client in
      var configuration = SharedCacheConfiguration(namespace: "n")
      configuration.onEvent = { event in
        guard case .follows = event else { return }
        follows.with { $0 += 1 }
        following.yield()
      }
      return SharedCache(store, forNew: client, configuration)
    }
    let logs = caches.map { cache in Task { await cache.run() } }
    defer { for log in logs { log.cancel() } }
    switch kind {
    case .leading:
      let query = Self.query(through: caches[0]) { 7 }
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        _ = try? await clients[0].fetch(query, timeout: long)
      }
    case .following:
      let (started, starting) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      let leading = Self.query(through: caches[0]) {
        starting.yield()
        // Until the other machine waits, however busy this one is.
        for await _ in followed { break }
        return 7
      }
      let waiting = Self.query(through: caches[1]) { 7 }
      var count = 0
      let bytes = await HeapUse.bytesPerCall(bound: bound) { _ in
        count += 1
        async let value = try? clients[0].fetch(leading, timeout: long)
        for await _ in started { break }
        _ = try? await clients[1].fetch(waiting, timeout: long)
        _ = await value
      }
      // Else it has measured something else.
      return follows.value > count / 2 ? bytes : .infinity
    }
  }
}
#endif
