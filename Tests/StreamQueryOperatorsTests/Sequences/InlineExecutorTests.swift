import StreamQuery
import StreamQueryPersistence
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

/// Cancels whoever waits under an executor that runs jobs inside `enqueue`.
///
/// Whoever is resumed there is through before `resume` returns: nothing may be touched then that its
/// frame held. The address sanitizer sees it.
@Suite(.timeLimit(.minutes(10))) struct InlineExecutorTests {
  /// A call that waits until it is cancelled.
  struct Wait: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: @Sendable (QueryClient) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (QueryClient) async throws -> Void) {
      testDescription = name
      self.body = body
    }
  }

  private static func never(_ key: String = "never") -> Query<Int> {
    Query(key: QueryKey(key), fetch: ScriptedFetch(.never)).retry(.never)
  }

  private static let pages = InfiniteQuery<Int, Int>("pages", initialPageParam: 0) { page, _ in
    if page > 0 { _ = await AsyncStream<Int>.endless.first { _ in true } }
    return page
  } nextPageParam: {
    $0.lastPage + 1
  }

  private static let work = Mutation<Int, Int>("work") { input, _ in
    _ = await AsyncStream<Int>.endless.first { _ in true }
    throw CancellationError()
  }

  private static func drain(_ elements: some AsyncSequence) async throws {
    for try await _ in elements {}
  }

  static let waits: [Wait] = [
    Wait("fetch") { _ = try await $0.fetch(never()) },
    Wait("ensure") { _ = try await $0.ensure(never()) },
    Wait("prefetch") { await $0.prefetch(never()) },
    Wait("fetch of a callback") { client in
      let kept = Dial<FetchCompletion<Int>?>(nil)
      let query = Query<Int>.callback("callback") { kept.value = $0 }
      _ = try await client.fetch(query)
    },
    Wait("two fetches of one key") { client in
      async let other = client.fetch(never())
      _ = try await client.fetch(never())
      _ = try await other
    },
    Wait("stream") { try await drain($0.stream(never())) },
    Wait("results") { try await drain($0.results(of: never())) },
    Wait("stream of all") { try await drain($0.stream(all: [never("a"), never("b")])) },
    Wait("observer of all") { client in
      let observer = client.observer(all: [AnyQuery(never("a")), AnyQuery(never("b"))])
      try await drain(observer.stream)
    },
    Wait("combination of all") { client in
      let observer = client.observer(all: [AnyQuery(never("a")), AnyQuery(never("b"))])
      try await drain(observer.combine { $0.isSuccess })
    },
    Wait("refetch of an observer") { _ = try await $0.observer(of: never()).refetch() },
    Wait("throwing refetch of an observer") { client in
      _ = try await client.observer(of: never()).refetch(throwOnError: true)
    },
    Wait("refetch beside a stream") { client in
      let stream = client.stream(never())
      await client.refetch(.all)
      withExtendedLifetime(stream) {}
    },
    Wait("invalidate beside two streams") { client in
      let streams = [client.stream(never("a")), client.stream(never("b"))]
      await client.invalidate(.all)
      withExtendedLifetime(streams) {}
    },
    Wait("reset beside a stream") { client in
      let stream = client.stream(never())
      await client.reset(.all)
      withExtendedLifetime(stream) {}
    },
    Wait("next page") { client in
      let observer = client.observer(of: pages)
      _ = try await observer.fetchNextPage()
    },
    Wait("refetch on triggers") { client in
      try await drain(client.stream(never().refetch(on: AsyncStream<Int>.endless)))
    },
    Wait("refresh of some") { client in
      await client.refetchStale(["a", "b"].map { AnyQuery(never($0)) }, within: .hours(1))
    },
    Wait("events") { try await drain($0.events) },
    Wait("fetching counts") { try await drain($0.fetchingCountStream()) },
    Wait("mutating counts") { try await drain($0.mutatingCountStream()) },
    Wait("runs of a mutation") { try await drain($0.runs(of: work)) },
    Wait("runs that match") { try await drain($0.runs(matching: .all)) },
    Wait("mutate") { _ = try await $0.mutate(work, with: 1) },
    Wait("mutate, waiting for its lane") { client in
      async let first = client.mutate(work.scope("lane"), with: 1)
      _ = try await client.mutate(work.scope("lane"), with: 2)
      _ = try await first
    },
    Wait("first value") { _ = try await $0.stream(never()).firstValue() },
    Wait("values") { try await drain($0.stream(never()).values()) },
    Wait("debounce") { client in
      try await drain(client.stream(never()).debounce(for: .hours(1), clock: client.clock))
    },
    Wait("throttle") { client in
      try await drain(client.stream(never()).throttle(for: .hours(1), clock: client.clock))
    },
    Wait("timeout") { client in
      try await drain(client.stream(never()).timeout(after: .hours(1)))
    },
    Wait("merge") { client in
      try await drain(merge(client.stream(never("a")), client.stream(never("b"))))
    },
    Wait("combineLatest") { client in
      try await drain(combineLatest(client.stream(never("a")), client.stream(never("b"))))
    },
    Wait("combineLatest of any") { client in
      try await drain(combineLatest(client.stream(never("a")), AsyncStream<Int>.endless))
    },
    Wait("switchToLatest") { client in
      try await drain(
        client.stream(never("a")).switchToLatest { _ in client.stream(never("b")) }
      )
    },
    Wait("observed") { client in
      let keys = AsyncStream<Query<Int>> { $0.yield(never()) }
      try await drain(keys.observed(by: client))
    },
    Wait("interval") { _ in try await drain(IntervalSequence(every: .hours(1))) },
  ]

  @Test(arguments: waits) func whoeverIsCancelledWhereJobsRunInsideEnqueueIsThrough(wait: Wait) {
    let executor = InlineExecutor()
    var client: QueryClient? = QueryClient(
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive, executor: executor)
    )
    weak let held = client
    let isThrough = Dial(false)
    do {
      guard let client else { return }
      let task = Task(executorPreference: executor) { [client] in
        await Scheduling.$current.withValue(client.scheduling) {
          try? await wait.body(client)
        }
        isThrough.value = true
      }
      expect(!isThrough.value, "it waits")
      task.cancel()
      expect(isThrough.value)
      #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 && $0.waiterCount == 0 })
      expectEqual(client.fetchingCount(.all), 0)
    }
    client = nil
    expectNil(held, "nothing keeps the client")
  }

  @Test func aRefreshWhoseTimeIsUpEndsWhereJobsRunInsideEnqueue() {
    let executor = InlineExecutor()
    let simulation = Simulation()
    let client = QueryClient(
      configuration: .init(
        connectivity: .alwaysOnline,
        activity: .alwaysActive,
        clock: simulation.clock,
        executor: executor
      )
    )
    let left = Dial<Int?>(nil)
    Task(executorPreference: executor) {
      let queries = ["a", "b", "c"].map { AnyQuery(Self.never($0)) }
      left.value = await client.refetchStale(queries, within: .seconds(1)).remaining.count
    }
    expectEqual(client.fetchingCount(.all), 3)
    expectNil(left.value)
    simulation.advance(by: .seconds(1))
    expectEqual(left.value, 3)
    expectEqual(client.fetchingCount(.all), 0)
  }

  @Test func endsOfAccountsAreLeftWhereJobsRunInsideEnqueue() {
    let executor = InlineExecutor()
    let store = HangingStore()
    let accounts = QueryAccounts(
      in: store,
      configuration: .init(
        connectivity: .alwaysOnline,
        activity: .alwaysActive,
        executor: executor
      )
    )
    for name in ["ada", "bob"] {
      Task(executorPreference: executor) { try? await accounts.end(name) }
    }
    let isThrough = Dial(false)
    let task = Task(executorPreference: executor) {
      try? await accounts.finishEndings()
      isThrough.value = true
    }
    expect(!isThrough.value, "it waits for the turns of both")
    task.cancel()
    expect(isThrough.value)
    store.letGo()
    expectEmpty(accounts.opened)
  }

  /// Each of them is one job, which runs on the stack of the one before unless somebody unwinds.
  @Test func aChainOfWakesAndWritesTakesNoStack() {
    let executor = InlineExecutor()
    let client = QueryClient(
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive, executor: executor)
    )
    let last = 20_000
    let seen = Dial(0)
    let task = Task(executorPreference: executor) {
      for await result in client.stream(Query<Int>(key: "n")) {
        guard let number = result.data else { continue }
        seen.value = number
        if number < last { client.setData(number + 1, for: "n") }
      }
    }
    client.setData(1, for: "n")
    expectEqual(seen.value, last)
    task.cancel()
  }
}

/// A value that tests change and closures read.
private final class Dial<Value: Sendable>: Sendable {
  private let stored: Mutex<Value>

  init(_ value: Value) {
    stored = Mutex(value)
  }

  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

/// A store that erases nothing until it is let go.
private final class HangingStore: QueryStore {
  private let memory = MemoryStore()
  private let waiting = Mutex<[AsyncStream<Void>.Continuation]?>([])

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    memory.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    try memory.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    let (gate, continuation) = AsyncStream<Void>.makeStream()
    let isOpen = waiting.withLock { waiting in
      waiting?.append(continuation)
      return waiting == nil
    }
    if isOpen { continuation.finish() }
    for await _ in gate {}
    return memory.wipe(partition)
  }

  func letGo() {
    let all = waiting.withLock { $0.take() } ?? []
    for continuation in all { continuation.finish() }
  }
}

extension AsyncStream {
  /// A stream without elements that ends when it is cancelled.
  fileprivate static var endless: AsyncStream {
    let (stream, continuation) = makeStream()
    continuation.onTermination = { _ in _ = continuation }
    return stream
  }
}
