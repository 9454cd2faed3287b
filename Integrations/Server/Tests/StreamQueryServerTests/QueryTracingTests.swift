import InMemoryTracing
import StreamQuery
import StreamQueryServer
import StreamQueryTesting
import Testing
import Tracing

/// A fetch has one span: below the caller that started it, linked to those that joined it.
struct QueryTracingTests {
  let simulation = Simulation(seed: 11)
  let tracer = InMemoryTracer()

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) { [tracer] in
      configure(&$0)
      $0.trace(with: QueryTracing(tracer: tracer))
    }
  }

  private func query(failing failures: Int = 0) -> Query<Int> {
    Query("n", 7) { [tracer] context in
      // What an HTTP client does.
      let span = tracer.startSpan("GET", context: .current ?? .topLevel)
      defer { span.end() }
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      if context.attempt < failures { throw Outage() }
      return 1
    }.retry(failures > 1 ? 0 : 1) { _ in .seconds(5) }.staleTime(.minutes(1))
  }

  /// A request to the server: a span of its own, in which a query is fetched.
  private func request(_ name: String, _ client: QueryClient, _ query: Query<Int>) {
    simulation.task(name) { [tracer] in
      let span = tracer.startSpan(name, context: .topLevel)
      defer { span.end() }
      try await ServiceContext.$current.withValue(span.context) {
        _ = try await client.fetch(query)
      }
    }
    simulation.settle()
  }

  private func spans(_ name: String) -> [FinishedInMemorySpan] {
    tracer.finishedSpans.filter { $0.operationName == name }
  }

  private func facts(_ span: FinishedInMemorySpan?, _ names: String...) -> [String] {
    names.map { name in
      switch span?.attributes.get("streamquery.\(name)") {
      case .string(let text): text
      case .int64(let number): "\(number)"
      case .int32(let number): "\(number)"
      case let other: "\(String(describing: other))"
      }
    }
  }

  @Test func theParentIsTheCallerThatStartedTheFetchAndTheOthersAreLinked() throws {
    let client = client()
    let query = query()
    for name in ["ada", "bob", "cyd"] { request(name, client, query) }
    simulation.advance(by: .seconds(1))
    request("dan", client, query)  // finds a cached value
    let fetch = try #require(spans("query.fetch").first)
    let callers = ["ada", "bob", "cyd"].compactMap { spans($0).first }
    #expect(spans("query.fetch").count == 1)
    #expect(callers.count == 3)
    #expect(fetch.parentSpanID == callers[0].spanID)
    #expect(fetch.traceID == callers[0].traceID)
    #expect(
      fetch.links.compactMap(\.context.inMemorySpanContext?.spanID)
        == callers.dropFirst().map(\.spanID)
    )
    #expect(spans("GET").map(\.parentSpanID) == [fetch.spanID])
    #expect(
      facts(fetch, "key", "cause", "attempts", "joined", "outcome")
        == [#"["n", 7]"#, "manual", "1", "2", "succeeded"]
    )
    #expect(fetch.status == nil)
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func aFetchThatIsRetriedHasOneSpanWithTheErrorOfEachAttempt() throws {
    let client = client()
    request("ada", client, query(failing: 1))
    simulation.advance(by: .seconds(3))
    request("bob", client, query(failing: 1))  // joins between two attempts
    simulation.advance(by: .seconds(10))
    let fetch = try #require(spans("query.fetch").first)
    #expect(spans("query.fetch").count == 1)
    #expect(spans("GET").map(\.parentSpanID) == [fetch.spanID, fetch.spanID])
    #expect(fetch.errors.map { "\($0.error)" } == ["the upstream is down"])
    #expect(fetch.links.count == 1)
    #expect(facts(fetch, "attempts", "joined", "outcome") == ["2", "1", "succeeded"])
  }

  @Test func aFetchThatFailsIsAnError() throws {
    let client = client()
    request("ada", client, query(failing: 9))
    simulation.advance(by: .seconds(2))
    let fetch = try #require(spans("query.fetch").first)
    #expect(fetch.errors.map { "\($0.error)" } == ["the upstream is down"])
    #expect(fetch.status == SpanStatus(code: .error))
    #expect(facts(fetch, "outcome") == ["failed"])
  }

  @Test func aFetchThatIsCancelledEndsItsSpan() throws {
    let client = client()
    request("ada", client, query())
    client.shutDown()
    simulation.settle()
    let fetch = try #require(spans("query.fetch").first)
    #expect(facts(fetch, "outcome") == ["cancelled"])
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func aFetchThatIsCancelledBeforeItsTaskBeginsHasNoSpan() {
    let client = client()
    let query = query()
    let recording = simulation.record(client.stream(query))
    recording.cancel()
    client.clear()
    simulation.settle()
    #expect(spans("query.fetch").isEmpty)
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func aFetchThatNobodyAskedForIsTheRootOfATrace() throws {
    let client = client()
    let query = query().staleTime(.zero).refetchInterval(.minutes(1))
    let span = tracer.startSpan("ada", context: .topLevel)
    let recording = ServiceContext.$current.withValue(span.context) {
      simulation.record(client.stream(query))
    }
    simulation.advance(by: .seconds(90))
    span.end()
    #expect(spans("query.fetch").map(\.parentSpanID) == [span.spanID, nil])
    #expect(spans("query.fetch").flatMap { facts($0, "cause") } == ["subscribed", "interval"])
    recording.cancel()
  }

  @Test func whoComesWhileTheFetchWaitsIsLinkedToo() throws {
    let online = ManualSignal(false)
    let client = client { $0.connectivity = Connectivity { online } }
    simulation.settle()
    for name in ["ada", "bob"] { request(name, client, query()) }
    #expect(tracer.activeSpans.map(\.operationName).sorted() == ["ada", "bob"])
    online.send(true)
    simulation.advance(by: .seconds(2))
    let fetch = try #require(spans("query.fetch").first)
    let bob = try #require(spans("bob").first)
    #expect(
      fetch.links.compactMap(\.context.inMemorySpanContext?.spanID) == [bob.spanID]
    )
  }

  @Test func aSpanHasABoundedNumberOfLinks() throws {
    let client = client()
    let query = query()
    for number in 0...200 { request("\(number)", client, query) }
    simulation.advance(by: .seconds(1))
    let fetch = try #require(spans("query.fetch").first)
    #expect(fetch.links.count == QueryTracing.maximumLinks)
    #expect(facts(fetch, "joined") == ["200"])
  }

  /// Nobody waits any more, and nothing runs: the client is freed.
  @Test func aClientThatIsFreedBetweenTwoAttemptsLeavesNoSpanOpen() throws {
    let tracing = QueryTracing(tracer: tracer)
    weak var freed: QueryClient?
    do {
      let client = QueryClient(simulation: simulation) { $0.trace(with: tracing) }
      freed = client
      let query = query(failing: 1).staleTime(.zero)
      client.setData(7, for: query)
      simulation.run { _ = try? await client.ensure(query, revalidating: true) }
      simulation.advance(by: .seconds(3))
      #expect(tracer.activeSpans.map(\.operationName) == ["query.fetch"])
    }
    #expect(freed == nil)
    let fetch = try #require(spans("query.fetch").first)
    #expect(facts(fetch, "attempts", "outcome") == ["1", "cancelled"])
    #expect(tracer.activeSpans.isEmpty)
    withExtendedLifetime(tracing) {}
  }

  @Test func oneTracingServesManyClients() {
    let tracing = QueryTracing(
      tracer: tracer,
      name: { "fetch \($0)" },
      describeKey: { _ in "a key" }
    )
    let clients = (1...2).map { _ in
      QueryClient(simulation: simulation) { $0.trace(with: tracing) }
    }
    for client in clients { request("ada", client, query()) }
    simulation.advance(by: .seconds(1))
    let fetches = spans(#"fetch ["n", 7]"#)
    #expect(Set(fetches.compactMap(\.parentSpanID)) == Set(spans("ada").map(\.spanID)))
    #expect(
      fetches.map { facts($0, "key", "outcome") }
        == [["a key", "succeeded"], ["a key", "succeeded"]]
    )
  }
}
