public import ServiceLifecycle
import StreamQueryServer
public import StreamQueryShared

/// A service of swift-service-lifecycle that reads the log of changes until the services that need it end.
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
/// 2. The client's service waits for running fetches. Some store their answers for all machines; others get
///    the answers of other machines, because the log is still read.
/// 3. This service stops reading the log, and closes the store.
///
/// A fetch that is cut off in the second step gives its lease back if the store accepts this before the store
/// is closed. Otherwise the other machines wait until the lease ends.
public struct SharedCacheService: Service, CustomStringConvertible {
  private let cache: SharedCache
  private let close: @Sendable () async -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - cache: The cache; the service calls ``StreamQueryShared/SharedCache/run()``.
  ///   - close: Ends the connections to the store, after the service has stopped reading the log.
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
    // The end of the scope cancels this task and waits for it.
    async let _: Void = cache.run()
    await ServiceEnd.wait()
  }
}
