import InMemoryLogging
import Logging
import StreamQuery
import StreamQueryPersistence
import StreamQueryServer
import StreamQueryTesting
import Testing

struct Outage: Error, CustomStringConvertible {
  var description: String { "the upstream is down" }
}

/// What happens in a cache is in the log: as constant messages, with facts beside them.
struct QueryLogTests {
  let simulation = Simulation(seed: 3)
  let handler = InMemoryLogHandler()

  private func client(
    at level: Logger.Level = .trace,
    _ change: @escaping @Sendable (inout QueryLog) -> Void = { _ in }
  ) -> QueryClient {
    var logger = Logger(label: "cache") { [handler] _ in handler }
    logger.logLevel = level
    var log = QueryLog(logger)
    change(&log)
    return QueryClient(simulation: simulation) { [log] in $0.log(with: log) }
  }

  private func lines(_ names: String...) -> [String] {
    handler.entries.map { entry in
      let facts = names.compactMap { name in entry.metadata[name].map { "\(name)=\($0)" } }
      return (["\(entry.level): \(entry.message)"] + facts).joined(separator: " ")
    }
  }

  @Test func aFetchThatIsRetriedAndFailsIsTold() {
    let client = client(at: .debug)
    let query = Query<String>("user", 42) { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(250))
      throw Outage()
    }.retry(1) { _ in .seconds(2) }
    #expect(throws: Outage.self) { try simulation.run { try await client.fetch(query) } }
    #expect(
      lines("key", "cause", "duration", "attempt", "retry-after", "error") == [
        #"debug: fetch started key=["user", 42] cause=manual duration=0.0"#,
        #"notice: attempt failed, will be retried key=["user", 42] cause=manual duration=0.25"#
          + " attempt=1 retry-after=2.0 error=the upstream is down",
        #"debug: fetch resumed key=["user", 42] cause=manual duration=2.25"#,
        #"warning: fetch failed key=["user", 42] cause=manual duration=2.5"#
          + " error=the upstream is down",
      ]
    )
    #expect(Set(handler.entries.compactMap { $0.metadata["fetch"].map { "\($0)" } }).count == 1)
  }

  @Test func whatTheLevelLeavesOutIsNotEvenDescribed() {
    let client = client(at: .debug) {
      $0.describeKey = { _ in
        Issue.record("a key was described")
        return ""
      }
    }
    client.setData("a", for: QueryKey<String>("user", 1))
    client.remove(.all)
    #expect(handler.entries.isEmpty)
  }

  @Test func lookupsRemovalsAndWritesAreTraces() {
    let client = client()
    let key = QueryKey<String>("user", 1)
    client.setData("the secret value", for: key)
    let query = Query(key: key) { "another secret" }.staleTime(.minutes(1))
    _ = try? simulation.run { try await client.fetch(query) }
    client.clear()
    #expect(
      lines("reason", "result") == [
        "trace: entry added", "trace: value written", "trace: lookup result=hit",
        "trace: entry removed reason=cleared",
      ]
    )
    #expect(!handler.entries.contains { "\($0)".contains("secret") })
  }

  @Test(arguments: [true, false], [nil, true, false] as [Bool?])
  func whatIsSaidOfLookupsCountsWhateverIsSetBeforeOrAfter(isTraced: Bool, said: Bool?) {
    for replaces in [false, true] {
      let changes: [(inout QueryLog) -> Void] = [
        { $0.logger.logLevel = isTraced ? .trace : .info },
        { if let said { $0.logsLookups = said } },
        { if replaces { $0.level = { QueryLog.level(of: $0) } } },
      ]
      for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        var log = QueryLog(Logger(label: "cache") { [handler] _ in handler })
        for change in order { changes[change](&log) }
        #expect(log.logsLookups == said ?? (isTraced || replaces), "\(replaces) \(order)")
      }
    }
  }

  @Test func aLogWithoutLookupsWritesEverythingElse() {
    let client = client { $0.logsLookups = false }
    let query = Query("n") { 7 }.staleTime(.minutes(1))
    for _ in 1...2 { _ = try? simulation.run { try await client.fetch(query) } }
    #expect(
      lines() == ["trace: entry added", "debug: fetch started", "debug: fetch succeeded"]
    )
  }

  @Test func keysAndErrorsAreDescribedAsTheServerSays() {
    let client = client {
      $0.level = { if case .fetchFailed = $0.kind { .critical } else { nil } }
      $0.describeKey = { _ in "a key" }
      $0.describeError = { _ in "an error" }
    }
    let query = Query<Int>("n") { throw Outage() }
    #expect(throws: Outage.self) { try simulation.run { try await client.fetch(query) } }
    #expect(lines("key", "error") == ["critical: fetch failed key=a key error=an error"])
  }

  @Test func aMutationThatFailsIsAWarning() {
    let client = client(at: .notice)
    let mutation = Mutation<Int, Int>("save") { _ in throw Outage() }
    #expect(throws: Outage.self) {
      try simulation.run { try await client.mutate(mutation, with: 1) }
    }
    #expect(lines("error") == ["warning: mutation failed error=the upstream is down"])
  }

  /// The partition may be named after an account.
  @Test func aStoreThatFailsIsNamedByItsType() {
    var logger = Logger(label: "cache") { [handler] _ in handler }
    logger.logLevel = .error
    let client = QueryClient(simulation: simulation) { [logger] in
      $0.log(to: logger)
      $0.persistence = Persistence(in: FullStore(), partition: "ada")
    }
    simulation.settle()
    client.setData(1, for: QueryKey<Int>("n"))
    simulation.advance(by: .seconds(2))
    #expect(
      lines("store", "error").first
        == "error: persistence failed store=FullStore error=\(QueryStoreError.full)"
    )
    client.shutDown()
  }

  @Test func formerReceiversOfEventsGoOn() {
    let events = ManualSignal(0)
    let logger = Logger(label: "cache") { [handler] _ in handler }
    let client = QueryClient(simulation: simulation) {
      $0.onEvent = { _ in events.send(1) }
      $0.log(to: logger)
    }
    let recording = simulation.record(events)
    client.setData(1, for: QueryKey<Int>("n"))
    simulation.settle()
    #expect(recording.values.last == 1)
    #expect(handler.entries.isEmpty)  // at its own level, `info`
  }
}
