public import ServiceLifecycle
import StreamQueryServer
public import StreamQueryShared

/// A service of swift-service-lifecycle that reads the log until all services that need it have ended.
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
/// 2. The client's service lets fetches land. Leading fetches store their answers for all machines, and
///    following ones hear of their leaders, because the log is still read.
/// 3. This service stops reading the log, and closes the store.
///
/// A fetch that was cut off in the second step gives its lease back if the store accepts that before it is
/// closed; otherwise the other machines wait until the lease ends.
public struct SharedCacheService: Service, CustomStringConvertible {
  private let cache: SharedCache
  private let close: @Sendable () async -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - cache: The cache, whose ``StreamQueryShared/SharedCache/run()`` it calls.
  ///   - close: Ends the connections to the store, after the log is not read any more.
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
    // The task is cancelled and awaited at the end of the scope.
    async let _: Void = cache.run()
    await ServiceEnd.wait()
  }
}
