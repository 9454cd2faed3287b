import StreamQuery
import StreamQueryTesting
import Testing

/// What a client says about its own set-up, when it is asked and at its start.
struct AdviceTests {
  let simulation = Simulation(seed: 31)
  let told = Notes<QueryMisuse>()

  private func server(
    _ log: AdviceLog? = nil,
    _ change: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation, configuration: .server) { [told] in
      $0.readShards = 4
      $0.onMisuse = { told.add($0) }
      $0.adviceLog = log
      change(&$0)
    }
  }

  private func rules(_ client: QueryClient) -> [String] { client.advice().map(\.rule) }

  /// The rules that were reported.
  private var toldRules: [String] {
    told.all.map { if case .advice(let advice) = $0 { advice.rule } else { "\($0)" } }
  }

  @Test func anAppGetsNoAdvice() throws {
    let client = QueryClient(simulation: simulation)
    _ = try simulation.run { try await client.fetch(Query("a") { 1 }) }
    expectEqual(client.advice(), [])
  }

  @Test func aServerIsToldWhichQueriesHaveNoStaleTime() throws {
    let client = server()
    expectEqual(rules(client), [])
    // The name is the first part: others may say whose data it is.
    for user in 1...5 {
      _ = try simulation.run { try await client.fetch(Query("a", user) { 1 }) }
    }
    _ = try simulation.run { try await client.fetch(Query("b") { 1 }.staleTime(.seconds(1))) }
    expectEqual(client.advice().map(\.problem), [#"No stale time on a server: "a""#])
  }

  @Test func staleTimesOfAnyLayerCount() throws {
    let client = server()
    client.setDefaults(QueryOptions(staleTime: .seconds(1)), for: "a")
    _ = try simulation.run { try await client.fetch(Query("a", 1) { 1 }) }
    // Written, and fetched by nobody.
    client.setData(1, for: QueryKey<Int>("b"))
    expectEqual(rules(client), [])
    let other = server { $0.defaults = QueryDefaults(staleTime: .seconds(1)) }
    _ = try simulation.run { try await other.fetch(Query("b") { 1 }) }
    expectEqual(rules(other), [])
  }

  @Test func aServersClientForASingleRequestIsToldNothing() throws {
    let client = server {
      $0.readShards = nil
      $0.limit = nil
    }
    _ = try simulation.run { try await client.fetch(Query("a") { 1 }) }
    expectEqual(rules(client), [])
  }

  @Test func aServerWithoutItsLimitIsToldAtOnce() {
    expectEqual(rules(server { $0.limit = nil }), ["noLimit"])
    expectEqual(
      rules(
        server {
          $0.limit = nil
          $0.defaults = QueryDefaults(gcTime: .seconds(600))
        }
      ),
      []
    )
  }

  @Test func theTimeoutOfAServerIsEnoughForCachedFailures() throws {
    let query = Query("a") { 1 }.cachesFailures(.seconds(1)).staleTime(.seconds(1))
    let (client, app) = (server(), QueryClient(simulation: simulation))
    for client in [client, app] { _ = try simulation.run { try await client.fetch(query) } }
    expectEqual(rules(client), [])
    expectEqual(rules(app), ["cachedFailuresWithoutTimeout"])
  }

  @Test func eachRuleIsReportedOnceInAProcessWhenTheFirstFetchBegins() throws {
    let log = AdviceLog()
    for _ in 0..<2 {
      let client = server(log) { $0.limit = nil }
      #expect(told.all.count <= 2)
      // By now it has its defaults.
      client.setDefaults(QueryDefaults(gcTime: .seconds(Int64.max)))
      for key in 0..<3 { _ = try simulation.run { try await client.fetch(Query(key) { 1 }) } }
    }
    #if DEBUG
    expectEqual(toldRules, ["staleTimeOnServer", "noLimit"])
    #else
    expectEqual(toldRules, [])
    #endif
  }

  @Test func defaultsThatAreSetBeforeTheFirstFetchCount() throws {
    let client = server(AdviceLog())
    client.setDefaults(QueryDefaults(staleTime: .seconds(30)))
    _ = try simulation.run { try await client.fetch(Query("a") { 1 }) }
    expectEqual(toldRules, [])
  }

  @Test func theFirstRunIsAStartToo() throws {
    let client = server(AdviceLog()) { $0.limit = nil }
    let mutation = Mutation("m") { (input: Int) in input }
    _ = try simulation.run { try await client.mutate(mutation, with: 1) }
    #if DEBUG
    expectEqual(toldRules, ["noLimit"])
    #endif
  }

  @Test func aSimulationReportsNothingByItself() throws {
    let client = QueryClient(simulation: simulation, configuration: .server) { [told] in
      $0.readShards = 4
      $0.limit = nil
      $0.onMisuse = { told.add($0) }
    }
    _ = try simulation.run { try await client.fetch(Query("a") { 1 }) }
    expectEqual(told.all, [])
    expectEqual(rules(client), ["staleTimeOnServer", "noLimit"])
  }
}
