import InMemoryLogging
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import StreamQuery
import StreamQueryPersistence
import StreamQueryServer
import StreamQueryTesting
import Synchronization
import Testing

/// A store on a disk that never answers a write, cancelled or not.
private final class HangingStore: QueryStore {
  private let base = MemoryStore()

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    base.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    await withCheckedContinuation { (never: CheckedContinuation<Void, Never>) in
      stuck.withLock { $0.append(never) }
    }
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    base.wipe(partition)
  }

  /// Ends the writes, so that nothing is left of them.
  func giveUp() {
    for write in stuck.withLock({ $0.take() }) { write.resume() }
  }

  private let stuck = Mutex<[CheckedContinuation<Void, Never>]>([])
}

extension Array {
  fileprivate mutating func take() -> Self {
    defer { self = [] }
    return self
  }
}

/// A client that ends in good order: what runs lands, what has changed is written.
struct QueryClientServiceTests {
  let simulation = Simulation(seed: 13)
  let store = MemoryStore()
  let handler = InMemoryLogHandler()

  private func client(on other: (any QueryStore)? = nil) -> QueryClient {
    let store = other ?? store
    return QueryClient(simulation: simulation) { $0.persistence = Persistence(in: store) }
  }

  private func service(_ client: QueryClient) -> QueryClientService {
    QueryClientService(
      client,
      finishTimeout: .seconds(5),
      savingTimeout: .seconds(3),
      logger: Logger(label: "cache") { [handler] _ in handler }
    )
  }

  private func query(taking duration: Duration) -> Query<Int> {
    Query("n") {
      try await Scheduling.current.clock.sleep(for: duration)
      return 1
    }.staleTime(.minutes(1))
  }

  private var lines: [String] { handler.entries.map { "\($0.level): \($0.message)" } }

  /// What a client finds in the store that another one left.
  private func restored() throws -> Int? {
    let next = client()
    defer { next.shutDown() }
    try simulation.run { try await next.restore() }
    return next.data(for: QueryKey<Int>("n"))
  }

  @Test func runningFetchesLandAndAreWritten() throws {
    let client = client()
    let service = service(client)
    let query = query(taking: .seconds(3))
    let (value, end) = try simulation.run { [simulation] in
      try await testGracefulShutdown { trigger in
        async let end = { () async -> Duration in
          await service.run()
          return simulation.now
        }()
        async let value = client.fetch(query)
        try await simulation.settled(after: .seconds(1))
        trigger.triggerGracefulShutdown()
        return (try await value, await end)
      }
    }
    #expect(value == 1)
    #expect(end == .seconds(3))
    #expect(lines.isEmpty)
    #expect(throws: QueryError.self) { try simulation.run { try await client.fetch(query) } }
    #expect(try restored() == 1)
  }

  @Test func aFetchThatTakesTooLongIsCutOff() throws {
    let client = client()
    let service = service(client)
    let query = query(taking: .seconds(60))
    let end = try simulation.run { [simulation] in
      try await testGracefulShutdown { trigger in
        async let end = { () async -> Duration in
          await service.run()
          return simulation.now
        }()
        async let value = client.fetch(query)
        try await simulation.settled(after: .seconds(1))
        trigger.triggerGracefulShutdown()
        _ = try? await value
        return await end
      }
    }
    #expect(end == .seconds(6))
    #expect(lines == ["warning: cache shuts down before all has landed"])
    #expect(handler.entries.first?.metadata["fetches"] == "1")
  }

  @Test func runningMutationsLandToo() throws {
    let client = client()
    let service = service(client)
    let save = Mutation<Int, Int>("save") { number in
      try await Scheduling.current.clock.sleep(for: .seconds(2))
      return number
    }
    let output = try simulation.run { [simulation] in
      try await testGracefulShutdown { trigger in
        async let end: Void = service.run()
        async let output = client.mutate(save, with: 9)
        try await simulation.settled(after: .seconds(1))
        trigger.triggerGracefulShutdown()
        await end
        return try await output
      }
    }
    #expect(output == 9)
    #expect(simulation.now == .seconds(2))
  }

  @Test func aCancelledServiceWaitsForNothingButWrites() throws {
    let client = client()
    let service = service(client)
    let query = query(taking: .seconds(60))
    client.setData(5, for: query.key)
    let running = simulation.task { await service.run() }
    let fetching = simulation.task { await client.refetch(.key(query.key)) }
    simulation.advance(by: .seconds(1))
    running.cancel()
    simulation.settle()
    simulation.run { await running.value }
    #expect(simulation.now == .seconds(1))
    #expect(try restored() == 5)
    fetching.cancel()
  }

  @Test func aStoreThatCannotBeWrittenIsReported() throws {
    let client = client(on: FullStore())
    let service = service(client)
    client.setData(5, for: QueryKey<Int>("n"))
    try end(service, after: .seconds(1))
    #expect(lines == ["error: cache could not be saved"])
  }

  @Test(arguments: [false, true])
  func aStoreThatNeverAnswersIsLeftBehind(isCancelled: Bool) throws {
    let store = HangingStore()
    let client = client(on: store)
    let service = service(client)
    client.setData(5, for: QueryKey<Int>("n"))
    if isCancelled {
      let running = simulation.task { await service.run() }
      simulation.advance(by: .seconds(1))
      running.cancel()
      simulation.advance(by: .seconds(3))
      simulation.run { await running.value }
    } else {
      try end(service, after: .seconds(1))
    }
    #expect(simulation.now == .seconds(4))
    #expect(lines == ["error: cache could not be saved in time"])
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(query(taking: .zero)) }
    }
    store.giveUp()
    simulation.settle()
  }

  /// Each seed lets another task be the first: the one that saves, or the one that waits.
  @Test func aClientWithoutStoresIsNeverLate() {
    for seed in 0..<20 as Range<UInt64> {
      let simulation = Simulation(seed: seed)
      let service = QueryClientService(
        QueryClient(simulation: simulation),
        savingTimeout: .zero,
        logger: Logger(label: "cache") { [handler] _ in handler }
      )
      let running = simulation.task { await service.run() }
      simulation.settle()
      running.cancel()
      simulation.run { await running.value }
    }
    #expect(lines.filter { $0.hasPrefix("error") } == [])
  }

  @Test(arguments: [Duration.seconds(-1), .seconds(Int64.max), Duration(attoseconds: .min)])
  func oddTimesAreBounded(time: Duration) {
    let client = client()
    let service = QueryClientService(client, finishTimeout: time, savingTimeout: time)
    let running = simulation.task { await service.run() }
    simulation.settle()
    running.cancel()
    simulation.run { await running.value }
    #expect(throws: QueryError.self) {
      try simulation.run { try await client.fetch(query(taking: .zero)) }
    }
  }

  @Test func streamsEndWithTheClient() throws {
    let client = client()
    let service = service(client)
    let slow = query(taking: .seconds(3))
    let live = Query("live") { 1 }.refetchInterval(.seconds(1))
    let end = try simulation.run { [simulation] in
      try await testGracefulShutdown { trigger in
        async let service: Void = service.run()
        async let value = client.fetch(slow)
        async let end = { () async -> Duration in
          for await _ in client.stream(live) {}
          return simulation.now
        }()
        try await simulation.settled(after: .seconds(2))
        trigger.triggerGracefulShutdown()
        await service
        _ = try await value
        return await end
      }
    }
    // When the slow fetch has landed.
    #expect(end == .seconds(3))
    #expect(lines.isEmpty)
  }

  // Not in a simulation: ServiceLifecycle's tasks prefer no executor.
  @Test(.timeLimit(.minutes(2))) func streamsThatSaySoEndBeforeFetchesHaveLanded() async throws {
    let client = QueryClient(configuration: .server)
    let service = QueryClientService(client, finishTimeout: .seconds(600))
    let (gate, opened) = AsyncStream.makeStream(of: Never.self)
    let slow = Query("n") {
      for await _ in gate {}
      return 1
    }
    let value = try await testGracefulShutdown { trigger in
      async let service: Void = service.run()
      async let value = client.fetch(slow)
      for await count in client.fetchingCountStream() where count == 1 { break }
      async let end: Void = {
        for await _ in client.stream(Query("live") { 2 }).cancelOnGracefulShutdown() {}
      }()
      trigger.triggerGracefulShutdown()
      await end
      #expect(client.fetchingCount() == 1)
      opened.finish()
      await service
      return try await value
    }
    #expect(value == 1)
  }

  /// A child of a task group that a cancellation handler resumes inside `enqueue` would abort the process.
  ///
  /// The service itself has another executor than the client.
  @Test func aWaitThatIsCancelledEndsWhereTheClientRunsJobsInsideEnqueue() {
    let client = QueryClient(simulation: simulation) { $0.executor = InlineExecutor() }
    let service = service(client)
    let query = query(taking: .seconds(60))
    let fetching = simulation.task { _ = try? await client.fetch(query) }
    let wasWaiting = simulation.run { [simulation] in
      await testGracefulShutdown { trigger in
        let running = simulation.task { await service.run() }
        trigger.triggerGracefulShutdown()
        try? await simulation.settled(after: .seconds(1))
        let wasWaiting = lines.isEmpty
        running.cancel()
        await running.value
        return wasWaiting
      }
    }
    simulation.run { await fetching.value }
    #expect(wasWaiting)
    #expect(simulation.now == .seconds(1))
    #expect(lines == ["warning: cache shuts down before all has landed"])
  }

  @Test func anIdleClientEndsAtOnce() throws {
    let client = client()
    let service = service(client)
    client.setData(5, for: QueryKey<Int>("n"))
    try end(service, after: .seconds(1))
    #expect(simulation.now == .seconds(1))
    #expect(try restored() == 5)
  }

  /// Runs a service until a graceful shutdown.
  private func end(_ service: QueryClientService, after time: Duration) throws {
    try simulation.run { [simulation] in
      try await testGracefulShutdown { trigger in
        async let end: Void = service.run()
        try await simulation.settled(after: time)
        trigger.triggerGracefulShutdown()
        await end
      }
    }
  }
}
