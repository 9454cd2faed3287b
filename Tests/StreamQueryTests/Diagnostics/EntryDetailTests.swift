@_spi(Adapters) @testable import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// The facts about an entry that developer tools show.
struct EntryDetailTests {
  let simulation = Simulation()

  private func detail(of key: AnyQueryKey, in client: QueryClient) throws -> EntryDetail {
    let info = try #require(client.diagnostics(.prefix(key)).first)
    return try #require(client.detail(of: info))
  }

  private func option(_ name: String, of detail: EntryDetail) -> EntryDetail.Option? {
    detail.options.first { $0.name == name }
  }

  @Test func eachOptionSaysWhichLayerSetsIt() throws {
    let client = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(staleTime: .seconds(1), gcTime: .seconds(7_200))
    }
    client.setDefaults(QueryOptions(staleTime: .seconds(90), retry: 5), for: "products")
    let query = Query("products", 1) { 1 }.staleTime(.static).timeout(.milliseconds(250))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let detail = try detail(of: ["products", 1], in: client)
    typealias Option = EntryDetail.Option
    expectEqual(
      ["staleTime", "retry", "gcTime", "networkMode", "timeout"].map { option($0, of: detail) },
      [
        Option(name: "staleTime", value: "static", layer: .query),
        Option(name: "retry", value: "5 times", layer: .prefix("products")),
        Option(name: "gcTime", value: "2 h", layer: .client),
        Option(name: "networkMode", value: "online", layer: .standard),
        Option(name: "timeout", value: "250 ms", layer: .query),
      ]
    )
    expectEqual(detail.observers, [EntryDetail.Observers(text: "enabled, never stale", count: 1)])
    withExtendedLifetime(recording) {}
  }

  @Test func anOptionThatNoLayerSetsIsTheOneThatCountsForTheQuery() throws {
    let client = QueryClient(simulation: simulation)
    client.setDefaults(QueryOptions(networkMode: .always), for: "defaults")
    let queries: [Query<Int>] = [
      Query("plain") { 1 },
      Query("kept") { 1 }.persisted(in: MemoryStore()),
      Query("always") { 1 }.networkMode(.always),
      Query("defaults") { 1 },
    ]
    let recordings = queries.map { simulation.record(client.stream($0)) }
    simulation.settle()
    let keys: [AnyQueryKey] = ["plain", "kept", "always", "defaults"]
    let facts = try keys.map { try detail(of: $0, in: client) }
    typealias Option = EntryDetail.Option
    expectEqual(
      facts.map { option("networkMode", of: $0) },
      [
        Option(name: "networkMode", value: "online", layer: .standard),
        Option(name: "networkMode", value: "offlineFirst", layer: .standard),
        Option(name: "networkMode", value: "always", layer: .query),
        Option(name: "networkMode", value: "always", layer: .prefix("defaults")),
      ]
    )
    expectEqual(
      facts.map { option("refetchOnReconnect", of: $0)?.value },
      ["ifStale", "ifStale", "never", "never"]
    )
    for recording in recordings { recording.cancel() }
    client.shutDown()
  }

  @Test func everyOptionThatAQueryMayHaveIsThere() {
    let options = QueryOptions.default
    let own = Mirror(reflecting: options).children.compactMap(\.label).filter { $0 != "serving" }
    let serving = Mirror(reflecting: ServingOptions.Values()).children.compactMap(\.label)
    expectEqual(EntryDetail.options(of: []).map(\.name).sorted(), (own + serving).sorted())
  }

  @Test func observersThatAskForTheSameAreCountedTogether() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query("n") { 1 }
    let plain = (0..<2).map { _ in client.stream(query) }
    let other = client.stream(
      query,
      options: ObserverOptions(enabled: false, refetchInterval: .seconds(30))
    )
    simulation.settle()
    let detail = try detail(of: "n", in: client)
    expectEqual(
      detail.observers,
      [
        EntryDetail.Observers(text: "enabled, stale after 0 s", count: 2),
        EntryDetail.Observers(text: "disabled, stale after 0 s, every 30 s", count: 1),
      ]
    )
    withExtendedLifetime((plain, other)) {}
  }

  @Test func dataIsWrittenAsTheTypeThatTheEntryHas() throws {
    let client = QueryClient(simulation: simulation)
    client.setData([1], for: QueryKey<[Int]>("n"))
    client.setData(Opaque(), for: QueryKey<Opaque>("o"))
    let infos = client.diagnostics()
    var types: [String] = []
    let isWritten = client.setData(of: infos[0]) { type in
      types.append("\(type)")
      return [2, 3]
    }
    expect(isWritten && types == ["Array<Int>"])
    expectEqual(client.data(for: QueryKey<[Int]>("n")), [2, 3])
    let isOfAnotherType = client.setData(of: infos[0]) { _ in "text" }
    let isOpaque = client.setData(of: infos[1]) { _ in 1 }
    expect(!isOfAnotherType && !isOpaque)
    #expect(throws: Boom.self) { try client.setData(of: infos[0]) { _ in throw Boom(1) } }
    client.remove("n")
    let isGone = client.setData(of: infos[0]) { _ in [4] }
    expect(!isGone)
    expectEmpty(client.diagnostics("n"))
  }

  @Test func limitsSayHowMuchOfThemIsUsed() {
    let client = QueryClient(simulation: simulation) {
      $0.maxConcurrentFetches = 2
      $0.limit = CacheLimit(maxEntries: 10)
    }
    let streams = (0..<3).map { client.stream(Query("n", $0, fetch: ScriptedFetch<Int>(.never))) }
    simulation.settle()
    expectEqual(
      client.limits,
      QueryClient.Limits(
        maxFetches: 2,
        runningFetches: 2,
        waitingFetches: 1,
        maxEntries: 10,
        entryCount: 3
      )
    )
    withExtendedLifetime(streams) {}
  }

  @Test func aLimitOfCostSaysHowMuchIsUsed() {
    let client = QueryClient(simulation: simulation) {
      $0.limit = CacheLimit(maxCost: 100) { _ in 7 }
    }
    for number in 0..<2 { client.setData(number, for: QueryKey<Int>("n", number)) }
    simulation.settle()
    expectEqual(client.limits, QueryClient.Limits(maxCost: 100, entryCount: 2, cost: 14))
  }

  private struct Opaque: Sendable {}
}

/// The words for options of each kind.
struct OptionWordsTests {
  @Test func optionsAreSaidInWords() {
    let options: [(Any, String)] = [
      (Duration.seconds(86_400), "1 d"), (Duration.seconds(7_200), "2 h"),
      (Duration.seconds(90), "90 s"), (Duration.milliseconds(1_500), "1500 ms"),
      (Duration.zero, "0 s"), (TimeSpan.infinite, "for ever"),
      (StaleTime.static, "static"), (StaleTime.dynamic { _ in .static }, "a function"),
      (RetryPolicy.never, "never"), (3 as RetryPolicy, "3 times"),
      (RetryPolicy.while { _, _ in true }, "a function"),
      (RefetchPolicy.ifStale, "ifStale"), (RefetchPolicy.when { true }, "a function"),
      (BackgroundInterval.off, "off"), (BackgroundInterval.every(.seconds(60)), "1 min"),
      (AbandonmentPolicy.finish, "finish"), (AbandonmentPolicy.linger(.seconds(5)), "linger 5 s"),
      (NetworkMode.offlineFirst, "offlineFirst"), (EnabledPolicy.fixed(false), "no"),
      (EnabledPolicy.when { _ in true }, "a function"), (QueryMeta(), "none"),
    ]
    expectEqual(options.map { OptionWords.words(for: $0.0) }, options.map(\.1))
  }
}
