public import ServiceLifecycle
import StreamQueryServer
public import StreamQueryShared

/// The reading of the log as a service of swift-service-lifecycle: it runs until all others have ended
/// that need it.
///
/// ```swift
/// let group = ServiceGroup(
///   services: [
///     SharedCacheService(cache) { await store.close() },
///     QueryClientService(client, finishTimeout: .seconds(5)),
///     server,
///   ],
///   gracefulShutdownSignals: [.sigterm],
///   logger: logger
/// )
/// try await group.run()
/// ```
///
/// A service group ends its services in the reverse of their order, each when the one before has
/// ended:
///
/// 1. The server answers its last requests.
/// 2. The client's service lets fetches land. Those that lead store their answers for all machines, and
///    those that wait for other machines hear of theirs, because the log is still read.
/// 3. This service stops reading the log, and closes the store.
///
/// A fetch that was cut off in the second step gives its lease back if the store takes it before it is
/// closed; otherwise the other machines wait for the rest of the lease.
public struct SharedCacheService: Service, CustomStringConvertible {
  private let cache: SharedCache
  private let close: @Sendable () async -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - cache: The cache, whose ``StreamQueryShared/SharedCache/run()`` it calls.
  ///   - close: Ends the connections to the store, when the log is not read any more.
  public init(_ cache: SharedCache, closing close: @escaping @Sendable () async -> Void = {}) {
    self.cache = cache
    self.close = close
  }

  /// The name that a service group logs.
  public var description: String { "SharedCacheService" }

  /// Reads the log until a graceful shutdown or a cancellation, then closes the store.
  public func run() async {
    await read()
    await close()
  }

  private func read() async {
    // It is cancelled and awaited at the end of the scope.
    async let _: Void = cache.run()
    await ServiceEnd.wait()
  }
}
