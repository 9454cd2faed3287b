import Testing

@testable import StreamQuery

/// Options, their layers, and what a client makes of them.
@Suite("Options: T05, T06, T12, T13, T53, T55, X09") struct QueryOptionsTests {
  static let key: AnyQueryKey = ["products", "books", 1]
  static let info = QueryInfo(
    key: key,
    observerCount: 0,
    waiterCount: 0,
    pollFailureCount: 0,
    isActive: false,
    isDisabled: false,
    isStatic: false,
    isStale: false,
    meta: QueryMeta(),
    age: nil,
    entryKey: EntryKey(key, valueType: Int.self),
    snapshot: .empty
  )

  @Test("defaults have the options by their names")
  func defaultsByName() {
    var defaults = QueryDefaults(gcTime: .seconds(1))
    defaults.timeout = .seconds(5)
    expect(defaults.options.timeout == .seconds(5) && defaults.timeout == .seconds(5))
    expectEqual(defaults.gcTime, .seconds(1))
    defaults.gcTime = nil
    expectNil(defaults.options.gcTime)
  }

  static func resolve(
    _ options: QueryOptions = .default,
    fetches: Bool = true,
    client: QueryDefaults = QueryDefaults(),
    prefixes: [DefaultsTable.Prefix] = [],
    observer: ObserverOptions? = nil
  ) -> ResolvedQuery {
    let fetch: QueryDefinition.Fetch = { _ in TypedBox(1) }
    let query = QueryDefinition(of: Int.self, fetch: fetches ? fetch : nil)
    return ResolvedQuery(
      query.with(options: options),
      for: key,
      defaults: DefaultsTable(client: client, prefixes: prefixes, failureInvalidates: true),
      observer: observer
    )
  }

  static func resolvedOptions(_ resolved: ResolvedQuery) -> ResolvedObserverOptions {
    resolved.resolvedOptions { info }
  }

  // MARK: Values

  @Test func staleTimesResolve() {
    func resolved(_ time: StaleTime) -> Freshness { time.resolved { Self.info } }
    expectEqual(resolved(.after(.seconds(3))), .after(.seconds(3)))
    expectEqual(resolved(.after(.seconds(-3))), .after(.zero))
    expectEqual(resolved(.infinite), .after(.infinite))
    expectEqual(resolved(.static), .static)
    expectEqual(resolved(.dynamic { _ in .static }), .static)
    expectEqual(
      resolved(.dynamic { info in .after(info.isStale ? .zero : .seconds(1)) }),
      .after(.seconds(1))
    )
    // An answer that asks again could go on for ever.
    expectEqual(resolved(.dynamic { _ in .dynamic { _ in .static } }), .after(.zero))
  }

  @Test(arguments: [
    (Duration.seconds(5), Optional(TimeSpan.seconds(5))), (.zero, nil), (.seconds(-1), nil),
    (.nanoseconds(1), .seconds(0.001)), (.seconds(Int64.max), nil),
  ])
  func intervalsArePositiveFiniteAndNoShorterThanAMillisecond(
    _ duration: Duration,
    _ span: TimeSpan?
  ) {
    expectEqual(RefetchInterval.every(duration).resolved { Self.info }, span)
    expectEqual(RefetchInterval.dynamic { _ in duration }.resolved { Self.info }, span)
    expectEqual(BackgroundInterval.every(duration).resolved(interval: .seconds(1)), span)
  }

  @Test func aDynamicIntervalStopsByNil() {
    expectNil(RefetchInterval.dynamic { _ in nil }.resolved { Self.info })
    expectNil(RefetchInterval.off.resolved { Self.info })
  }

  @Test func theBackgroundIntervalFollowsTheInterval() {
    expectNil(BackgroundInterval.off.resolved(interval: .seconds(1)))
    expectEqual(BackgroundInterval.same.resolved(interval: .seconds(1)), .seconds(1))
    expectNil(BackgroundInterval.every(.seconds(9)).resolved(interval: nil))
    expectEqual(BackgroundInterval(booleanLiteral: true), .same)
    expectEqual(BackgroundInterval(booleanLiteral: false), .off)
  }

  // MARK: Layers

  enum Colour: QueryMetaKey { static let defaultValue = "none" }
  enum Size: QueryMetaKey { static let defaultValue = 0 }

  @Test func whatALayerLeavesOutComesFromTheOneBelow() {
    var strong = QueryOptions(gcTime: .seconds(1), networkMode: .always)
    strong.meta = QueryMeta()
    strong.meta?[Colour.self] = "red"
    var weak = QueryOptions(gcTime: .seconds(2), refetchOnSubscribe: .always)
    weak.retryOnSubscribe = false
    weak.meta = QueryMeta()
    weak.meta?[Colour.self] = "blue"
    weak.meta?[Size.self] = 3
    let both = strong.over(weak)
    expectEqual(both.gcTime, .seconds(1))
    expectEqual(both.networkMode, .always)
    expectEqual(both.refetchOnSubscribe?.fixed, .always)
    expectEqual(both.retryOnSubscribe?.fixed, false)
    expectEqual(both.meta?[Colour.self], "red")
    expectEqual(both.meta?[Size.self], 3)
  }

  /// What the options of these tests come to.
  static var expectedOptions: ResolvedObserverOptions {
    var resolvedOptions = ResolvedObserverOptions()
    resolvedOptions.isEnabled = false
    resolvedOptions.freshness = .static
    resolvedOptions.onSubscribe = .never
    resolvedOptions.onReconnect = .never
    resolvedOptions.onActive = .never
    resolvedOptions.retriesOnSubscribe = false
    resolvedOptions.interval = .seconds(4)
    resolvedOptions.backgroundInterval = .seconds(4)
    return resolvedOptions
  }

  /// Every option of a resolved query, as closures where that may be.
  static var everything: QueryOptions {
    var options = QueryOptions(
      staleTime: .dynamic { _ in .static },
      gcTime: .seconds(1),
      retry: 7,
      networkMode: .offlineFirst,
      enabled: .when { _ in false },
      refetchOnSubscribe: .never,
      refetchOnReconnect: .when { true },
      refetchOnActive: .when { true },
      refetchInterval: .dynamic { _ in .seconds(4) },
      refetchIntervalInBackground: .same,
      retryOnSubscribe: false,
      onAbandonment: .finish
    )
    options.meta = QueryMeta()
    options.meta?[Colour.self] = "red"
    return options
  }

  enum Layer: CaseIterable { case client, prefix, query }

  @Test(arguments: Layer.allCases, [true, false])
  func aResolvedQueryHasEveryOptionOfEveryLayer(_ layer: Layer, isObserved: Bool) {
    var client = QueryDefaults()
    if layer == .client { client.options = Self.everything }
    let prefix = DefaultsTable.Prefix(key: "products", options: Self.everything)
    let resolved = Self.resolve(
      layer == .query ? Self.everything : .default,
      client: client,
      prefixes: layer == .prefix ? [prefix] : [],
      observer: isObserved ? ObserverOptions() : nil
    )
    expect(resolved.isDynamic)
    expectEqual(Self.resolvedOptions(resolved), Self.expectedOptions)
    expect(resolved.condition(of: .reconnect) != nil)
    expect(resolved.condition(of: .active) != nil)
    expectNil(resolved.condition(of: .interval))
    expectEqual(resolved.gcTime, .seconds(1))
    expectEqual(resolved.fetchOptions.networkMode, .offlineFirst)
    expectEqual(resolved.fetchOptions.abandonment, .finish)
    expectEqual(resolved.meta?[Colour.self], "red")
    for retry in [resolved.retry, resolved.imperativeRetry] {
      expect(retry.delay(failures: 6, error: CancellationError(), jitter: 0) != nil)
      expectNil(retry.delay(failures: 7, error: CancellationError(), jitter: 0))
    }
  }

  @Test func aFixedPolicyOverAConditionLeavesNothingToAsk() {
    var client = QueryDefaults()
    client.options = Self.everything
    let fixed = QueryOptions(refetchOnReconnect: .always, refetchOnActive: .ifStale)
    let observer = ObserverOptions(refetchOnReconnect: .always, refetchOnActive: .ifStale)
    for resolved in [
      Self.resolve(fixed, client: client), Self.resolve(client: client, observer: observer),
    ] {
      expectNil(resolved.condition(of: .reconnect))
      expectNil(resolved.condition(of: .active))
      expectEqual(Self.resolvedOptions(resolved).onReconnect, .always)
      expectEqual(Self.resolvedOptions(resolved).onActive, .ifStale)
    }
  }

  static let asked = QueryOptions(refetchOnSubscribe: .dynamic { _ in .always })

  @Test(arguments: [true, false])
  func boolsAreStaleDataOrNone(isLive: Bool) {
    let answer = isLive ? RefetchPolicy.Answer.ifStale : .never
    let variable = Query("n") { 1 }.refetchOnSubscribe(isLive).refetchOnActive(isLive)
      .refetchOnReconnect(isLive).retryOnSubscribe(isLive).definition.options
    expectEqual(variable.refetchOnSubscribe?.fixed, answer)
    expectEqual(variable.refetchOnActive?.fixed, answer)
    expectEqual(variable.refetchOnReconnect?.fixed, answer)
    expectEqual(variable.retryOnSubscribe?.fixed, isLive)
    let literal = ObserverOptions(refetchOnSubscribe: false, refetchOnActive: true)
    expectEqual(literal.refetchOnSubscribe?.fixed, .never)
    expectEqual(literal.refetchOnActive?.fixed, .ifStale)
    let rule = Query("n") { 1 }.refetchOnSubscribe { $0.isStale ? .never : .always }
    expect(rule.definition.options.refetchOnSubscribe?.rule?(Self.info) != nil)
    let last = rule.refetchOnSubscribe(.never).definition.options.refetchOnSubscribe
    expect(last?.fixed == .never && last?.rule == nil)
  }

  @Test func thePolicyThatWasSetLastApplies() {
    var options = QueryOptions(refetchOnSubscribe: .never)
    expect(options.refetchOnSubscribe?.fixed == .never && options.refetchOnSubscribe?.rule == nil)
    options.refetchOnSubscribe = .dynamic { _ in .always }
    expectEqual(options.refetchOnSubscribe?.rule?(Self.info).fixed, .always)
    options.refetchOnSubscribe = .never
    expect(options.refetchOnSubscribe?.fixed == .never && options.refetchOnSubscribe?.rule == nil)
    var observer = ObserverOptions(refetchOnSubscribe: .never)
    observer.refetchOnSubscribe = .dynamic { _ in .always }
    expectEqual(observer.refetchOnSubscribe?.rule?(Self.info).fixed, .always)
    observer.refetchOnSubscribe = nil
    expectNil(observer.refetchOnSubscribe)
  }

  @Test func theStrongestLayerThatSpeaksOfSubscriptionsHasItsSay() {
    let fixed = QueryOptions(
      gcTime: .seconds(1),
      refetchOnSubscribe: .never,
      retryOnSubscribe: false
    )
    let other = QueryOptions(retry: 1, refetchOnActive: .always)
    func arrival(_ resolved: ResolvedQuery) -> RefetchPolicy.Answer {
      resolved.resolvedOptions(isArrival: true) { Self.info }.onSubscribe
    }
    func client(_ options: QueryOptions) -> QueryDefaults {
      var client = QueryDefaults()
      client.options = options
      return client
    }
    var rule = ObserverOptions()
    rule.refetchOnSubscribe = .dynamic { _ in .always }
    let never = ObserverOptions(refetchOnSubscribe: .never)
    for resolved in [
      Self.resolve(Self.asked), Self.resolve(Self.asked, client: client(fixed)),
      Self.resolve(other, client: client(Self.asked)), Self.resolve(Self.asked.over(fixed)),
      Self.resolve(other.over(Self.asked)), Self.resolve(QueryOptions.default.over(Self.asked)),
      Self.resolve(fixed, observer: rule), Self.resolve(Self.asked, observer: ObserverOptions()),
    ] {
      expect(resolved.asksOnSubscribe && !resolved.isDynamic)
      expectEqual(arrival(resolved), .always)
      // Only who comes asks.
      expect(Self.resolvedOptions(resolved).onSubscribe != .always)
    }
    for resolved in [
      Self.resolve(fixed), Self.resolve(fixed, client: client(Self.asked)),
      Self.resolve(fixed.over(Self.asked)), Self.resolve(Self.asked, observer: never),
      Self.resolve(other.over(fixed), client: client(Self.asked)),
    ] {
      expect(!resolved.asksOnSubscribe)
      expectEqual(arrival(resolved), .never)
    }
  }

  @Test func whatIsTakenBackComesFromTheLayerBelow() {
    var options = Self.everything
    options.throwOnError = .always
    options.staleTime = nil
    options.gcTime = nil
    options.retry = nil
    options.networkMode = nil
    options.enabled = nil
    options.refetchOnSubscribe = nil
    options.retryOnSubscribe = nil
    // One by one, so that each is taken back while others are still set.
    options.refetchInterval = nil
    expect(options.refetchIntervalInBackground != nil && options.meta != nil)
    options.refetchIntervalInBackground = nil
    options.refetchOnReconnect = nil
    options.refetchOnActive = nil
    options.onAbandonment = nil
    options.meta = nil
    expect(options.throwOnError != nil)
    options.throwOnError = nil
    expectNil(options.throwOnError)
    let resolved = Self.resolve(options)
    let resolvedOptions = Self.resolvedOptions(resolved)
    expect(resolvedOptions.isEnabled)
    expectEqual(resolvedOptions.freshness, .after(.zero))
    expectEqual(resolvedOptions.onSubscribe, .ifStale)
    expectEqual(resolvedOptions.onReconnect, .ifStale)
    expectEqual(resolvedOptions.onActive, .ifStale)
    expect(resolvedOptions.retriesOnSubscribe)
    expect(resolvedOptions.interval.isInfinite)
    expect(resolvedOptions.backgroundInterval.isInfinite)
    expectNil(resolvedOptions.gcTime)
    expectNil(resolvedOptions.linger)
    expectEqual(resolved.fetchOptions.networkMode, .online)
    expectEqual(resolved.fetchOptions.abandonment, .cancel)
    expect(resolved.fetchOptions.failureInvalidates)
    expect(!resolved.fetchOptions.resetsData)
    expectEqual(resolved.gcTime, .seconds(300))
    expectEqual(
      resolved.retry.delay(failures: 2, error: CancellationError(), jitter: 0),
      .seconds(4)
    )
    expectNil(resolved.retry.delay(failures: 3, error: CancellationError(), jitter: 0))
    expectNil(resolved.imperativeRetry.delay(failures: 0, error: CancellationError(), jitter: 0))
    expect(!resolved.isDynamic)
  }

  @Test func lengthsOfTimeMeanTheSameWhereverTheyAreWritten() {
    let query = Query("a") { 1 }
    let options = QueryOptions(
      staleTime: .minutes(5),
      gcTime: .hours(1),
      refetchInterval: .seconds(30),
      refetchIntervalInBackground: .minutes(1.5)
    )
    let chained = query.staleTime(.minutes(5)).gcTime(.hours(1))
      .refetchInterval(.seconds(30), inBackground: .minutes(1.5))
    for options in [options, chained.options] {
      expectEqual(options.staleTime?.fixed, .after(TimeSpan(.seconds(300))))
      expectEqual(options.gcTime, .seconds(3_600))
      expectEqual(options.refetchInterval?.fixed, TimeSpan(.seconds(30)))
      expectEqual(options.refetchIntervalInBackground, .every(.seconds(90)))
    }
    let duration = Duration.milliseconds(7)
    expectEqual(query.staleTime(duration).options.staleTime?.fixed, .after(TimeSpan(duration)))
    let polled = query.refetchInterval(.seconds(1), inBackground: true).refetchInterval(duration)
    expectEqual(polled.options.refetchInterval?.fixed, TimeSpan(duration))
    expectEqual(polled.options.refetchIntervalInBackground, .same)
    expectNil(query.refetchInterval(nil).options.refetchInterval?.fixed)
    let observer = ObserverOptions(staleTime: .milliseconds(5), refetchInterval: .seconds(0.5))
    expectEqual(observer.staleTime?.fixed, .after(TimeSpan(.milliseconds(5))))
    expectEqual(observer.refetchInterval?.fixed, TimeSpan(.milliseconds(500)))
    expectEqual(StaleTime.hours(2).fixed, StaleTime.hours(2.0).fixed)
    expectEqual(StaleTime.seconds(1).fixed, StaleTime.seconds(1.0).fixed)
  }

  @Test func theObserverWinsOverTheQueryAndTheQueryOverItsClient() {
    let client = QueryDefaults(staleTime: .seconds(1), gcTime: .seconds(1))
    expectEqual(Self.resolvedOptions(Self.resolve(client: client)).freshness, .after(.seconds(1)))
    let query = QueryOptions(staleTime: .after(.seconds(2)))
    expectEqual(
      Self.resolvedOptions(Self.resolve(query, client: client)).freshness,
      .after(.seconds(2))
    )
    let observer = ObserverOptions(staleTime: .seconds(3))
    let resolved = Self.resolve(query, client: client, observer: observer)
    expectEqual(Self.resolvedOptions(resolved).freshness, .after(.seconds(3)))
    expectEqual(resolved.gcTime, .seconds(1))
  }

  @Test("X01: an observer's own retention is not the entry's")
  func observersRetention() {
    let resolved = Self.resolve(
      QueryOptions(gcTime: .seconds(9)),
      observer: ObserverOptions(gcTime: .seconds(1))
    )
    expectEqual(resolved.gcTime, .seconds(9))
    expectEqual(Self.resolvedOptions(resolved).gcTime, .seconds(1))
    expectEqual(
      Self.resolvedOptions(Self.resolve(observer: ObserverOptions(linger: .seconds(2)))).linger,
      .seconds(2)
    )
  }

  // MARK: Dependent defaults

  @Test("T55: who ignores the network does not refetch on its return, unless told")
  func reconnect() {
    let always = QueryOptions(networkMode: .always)
    expectEqual(Self.resolvedOptions(Self.resolve(always)).onReconnect, .never)
    let told = QueryOptions(networkMode: .always, refetchOnReconnect: .ifStale)
    expectEqual(Self.resolvedOptions(Self.resolve(told)).onReconnect, .ifStale)
    expectEqual(
      Self.resolvedOptions(Self.resolve(QueryOptions(networkMode: .offlineFirst))).onReconnect,
      .ifStale
    )
  }

  @Test("T55: without a fetch a query is disabled, whatever it says")
  func missingFetch() {
    expect(
      !Self.resolvedOptions(Self.resolve(QueryOptions(enabled: true), fetches: false)).isEnabled
    )
    let client = QueryDefaults { _ in 5 }
    expect(Self.resolvedOptions(Self.resolve(fetches: false, client: client)).isEnabled)
  }

  @Test func onlyClosuresMakeAQueryDynamic() {
    expect(Self.resolve(QueryOptions(enabled: .when { _ in true })).isDynamic)
    expect(Self.resolve(QueryOptions(staleTime: .dynamic { _ in .static })).isDynamic)
    expect(Self.resolve(QueryOptions(refetchInterval: .dynamic { _ in nil })).isDynamic)
    expect(!Self.resolve(QueryOptions(refetchOnActive: .when { true })).isDynamic)
    expectEqual(
      Self.resolvedOptions(Self.resolve(QueryOptions(refetchOnActive: .when { true }))).onActive,
      .never
    )
  }

  @Test func enabledIsAskedWithThePresentState() {
    let resolved = Self.resolve(QueryOptions(enabled: .when { $0.observerCount > 0 }))
    expect(!Self.resolvedOptions(resolved).isEnabled)
  }

  // MARK: Prefixes

  static func prefix(_ key: AnyQueryKey, gcTime seconds: Int) -> DefaultsTable.Prefix {
    DefaultsTable.Prefix(key: key, options: QueryOptions(gcTime: .seconds(seconds)))
  }

  @Test func laterRegistrationsWinOverEarlierOnesHoweverLongTheirPrefixes() {
    let long = Self.prefix(["products", "books"], gcTime: 1)
    let short = Self.prefix("products", gcTime: 2)
    let other = Self.prefix("users", gcTime: 3)
    let table = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    expectEqual(table.adding(long).adding(short).adding(other).gcTime(for: Self.key), .seconds(2))
    expectEqual(table.adding(short).adding(long).gcTime(for: Self.key), .seconds(1))
    expectEqual(table.adding(other).gcTime(for: Self.key), .seconds(300))
  }

  @Test func aRegistrationThatIsRepeatedKeepsItsPlace() {
    let table = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
      .adding(Self.prefix("products", gcTime: 1))
      .adding(Self.prefix(["products", "books"], gcTime: 2))
      .adding(Self.prefix("products", gcTime: 3))
    expectEqual(table.prefixes.count, 2)
    expectEqual(table.gcTime(for: Self.key), .seconds(2))
    expectEqual(table.gcTime(for: ["products", "toys"]), .seconds(3))
  }

  @Test func prefixDefaultsLieBetweenClientAndQuery() {
    let client = QueryDefaults(gcTime: .seconds(1))
    let prefix = Self.prefix("products", gcTime: 2)
    expectEqual(Self.resolve(client: client, prefixes: [prefix]).gcTime, .seconds(2))
    let query = QueryOptions(gcTime: .seconds(3))
    expectEqual(Self.resolve(query, client: client, prefixes: [prefix]).gcTime, .seconds(3))
  }

  @Test func clientDefaultsChangeWithoutTheirPrefixes() {
    let table = DefaultsTable(client: QueryDefaults(), failureInvalidates: false)
      .adding(Self.prefix("products", gcTime: 2))
      .replacing(client: QueryDefaults(gcTime: .seconds(7)))
    expectEqual(table.gcTime(for: Self.key), .seconds(2))
    expectEqual(table.gcTime(for: "users"), .seconds(7))
    expect(!table.failureInvalidates)
  }

  @Test func theLatestFetchOfAPrefixServesQueriesWithoutOne() {
    var first = Self.prefix("products", gcTime: 1)
    first.fetch = { _ in 1 }
    let withoutFetch = Self.prefix(["products", "books"], gcTime: 2)
    let table = DefaultsTable(
      client: QueryDefaults(),
      prefixes: [first, withoutFetch],
      failureInvalidates: true
    )
    expect(table.fetch(for: Self.key) != nil)
    expectNil(table.fetch(for: "users"))
  }
}
