public import Logging
public import ServiceLifecycle
@_spi(Adapters) public import StreamQuery
@_spi(Adapters) internal import StreamQueryPersistence

/// A service of swift-service-lifecycle that ends a client in good order.
///
/// ```swift
/// let cache = QueryClientService(client, finishTimeout: .seconds(5), logger: logger)
/// let group = ServiceGroup(
///   services: [cache, server],
///   gracefulShutdownSignals: [.sigterm],
///   logger: logger
/// )
/// try await group.run()
/// ```
///
/// It runs until a graceful shutdown. Then it waits for running fetches and mutations, for at most
/// `finishTimeout`, writes changes to the client's stores, for at most `savingTimeout`, and shuts the client
/// down. If its task is cancelled before, the service waits no longer for fetches and mutations, but still
/// writes changes and shuts the client down.
///
/// Streams of results end when the client is shut down. A response that sends the elements of a
/// stream would keep its server running, and this service waits for the server: end the response with
/// `stream.cancelOnGracefulShutdown()` of ServiceLifecycle.
///
/// A service group ends its services in the reverse of their order: give it this service before the services
/// that use the client, so that the last requests of these services are answered.
public struct QueryClientService: Service, CustomStringConvertible {
  private let client: QueryClient
  private let finishTimeout: Duration
  private let savingTimeout: Duration
  private let logger: Logger?

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - finishTimeout: How long the service waits for running fetches and mutations, by the client's
  ///     clock; it does not wait for paused ones, nor for refetch intervals. Zero or less means no wait,
  ///     and more than 100 years means 100 years.
  ///   - savingTimeout: How long the service then waits until changes are written, even if it was cancelled;
  ///     the same bounds apply. Changes that are not written by then are lost.
  ///   - logger: Gets reports about work that was cut off, and changes that could not be written.
  public init(
    _ client: QueryClient,
    finishTimeout: Duration = .seconds(10),
    savingTimeout: Duration = .seconds(10),
    logger: Logger? = nil
  ) {
    self.client = client
    self.finishTimeout = Self.bounded(finishTimeout)
    self.savingTimeout = Self.bounded(savingTimeout)
    self.logger = logger
  }

  /// Limits a duration, so that every clock can wait for it.
  private static func bounded(_ time: Duration) -> Duration {
    min(max(time, .zero), .seconds(100 * 365 * 86_400))
  }

  /// The name that a service group logs.
  public var description: String { "QueryClientService" }

  /// Runs until a graceful shutdown or a cancellation, then ends the client.
  ///
  /// This function never throws. If a store could not be written in time, the logger gets a report.
  public func run() async {
    await ServiceEnd.wait()
    if Task.isCancelled {
      logger?.debug("cache was cancelled, what runs is not waited for")
    } else {
      await landing()
    }
    await save()
    client.shutDown()
  }

  /// Writes changes to the stores.
  ///
  /// The writes run in tasks of their own, because the service's task may be cancelled, and the client must
  /// not be shut down before they end. After `savingTimeout`, this function gives up.
  private func save() async {
    let (executor, clock) = (client.scheduling.executor, client.scheduling.clock)
    let (outcomes, continuation) = AsyncStream.makeStream(of: Saving.self)
    let saving = Task.detached(executorPreference: executor) { [client] in
      do {
        try await client.save()
        continuation.yield(.saved)
      } catch {
        continuation.yield(.failed(error))
      }
    }
    let timer = Task.detached(executorPreference: executor) { [savingTimeout] in
      guard (try? await clock.sleep(for: savingTimeout)) != nil else { return }
      continuation.yield(.late)
    }
    let first = Task.detached(executorPreference: executor) {
      for await outcome in outcomes { return outcome }
      return Saving.late
    }
    switch await first.value {
    case .saved: break
    // Without a store nothing is late, however short the time was.
    case .late where client.storeStatuses.isEmpty: break
    case .failed(let error):
      logger?.error("cache could not be saved", metadata: ["error": "\(error)"])
    case .late:
      logger?.error(
        "cache could not be saved in time",
        metadata: ["limit": "\(savingTimeout.inSeconds)"]
      )
    }
    timer.cancel()
    saving.cancel()
  }

  /// The outcome of writing the changes to the client's stores.
  private enum Saving {
    case saved
    case failed(any Error)
    case late
  }

  /// Waits until no fetch or mutation runs, for at most `finishTimeout`.
  private func landing() async {
    // This is no task group, because an executor may run jobs inside `enqueue`. If a cancellation handler
    // resumed a child of the group, that child could end while the runtime still goes through the children.
    let waiting = Task(executorPreference: client.scheduling.executor) { [client] in
      await Self.idle(client)
    }
    let deadline = client.deadlines.set(after: finishTimeout) { waiting.cancel() }
    await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      // The array retains the task, because the cancellation may resume this function, which then ends
      // and releases the task inside of the call.
      for task in [waiting] { task.cancel() }
    }
    deadline?.cancel()
    let (fetches, mutations) = (client.fetchingCount(), client.mutatingCount(!.paused))
    guard fetches + mutations > 0 else { return }
    logger?.warning(
      "cache shuts down before all has landed",
      metadata: ["fetches": "\(fetches)", "mutations": "\(mutations)"]
    )
  }

  /// Waits until neither a fetch nor a mutation runs.
  private static func idle(_ client: QueryClient) async {
    // The end of a mutation may start a fetch, and the end of a fetch may start a dependent one.
    while !Task.isCancelled, client.fetchingCount() + client.mutatingCount(!.paused) > 0 {
      for await count in client.mutatingCountStream(!.paused) where count == 0 { break }
      for await count in client.fetchingCountStream() where count == 0 { break }
    }
  }
}
