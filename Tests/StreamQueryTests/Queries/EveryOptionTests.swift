import Testing

@_spi(Adapters) @testable import StreamQuery

/// Walks the fields of `QueryOptions`, so that an option that is forgotten somewhere is found.
@Suite("Every option") struct EveryOptionTests {
  /// What a test has to know of one option.
  struct Option: Sendable {
    var strong: @Sendable (inout QueryOptions) -> Void
    /// Another value, which must not show through a strong one.
    var weak: @Sendable (inout QueryOptions) -> Void
    /// The same as `strong` for an observer; `nil` if observers do not have the option.
    var observed: (@Sendable (inout ObserverOptions) -> Void)?
    /// Another option without which this one has no effect.
    var needs = QueryOptions.default
    /// What the option comes to.
    var outcome: @Sendable (Outcome) -> any Hashable & Sendable
  }

  struct Outcome {
    let resolvedQuery: ResolvedQuery
    let throwPolicy: ThrowPolicy

    var resolved: ResolvedObserverOptions {
      resolvedQuery.resolvedOptions(isArrival: true) { QueryOptionsTests.info }
    }
  }

  enum Label: QueryMetaKey { static let defaultValue = "" }

  static func meta(_ label: String) -> QueryMeta {
    var meta = QueryMeta()
    meta[Label.self] = label
    return meta
  }

  /// By the names of the fields.
  static let options: [String: Option] = [
    "staleTime": Option(
      strong: { $0.staleTime = .seconds(7) },
      weak: { $0.staleTime = .static },
      observed: { $0.staleTime = .seconds(7) },
      outcome: { $0.resolved.freshness }
    ),
    "gcTime": Option(
      strong: { $0.gcTime = .seconds(7) },
      weak: { $0.gcTime = .zero },
      outcome: { $0.resolvedQuery.gcTime }
    ),
    "retry": Option(
      strong: { $0.retry = 7 },
      weak: { $0.retry = .never },
      outcome: {
        $0.resolvedQuery.retry.delay(failures: 6, error: CancellationError(), jitter: 0) != nil
      }
    ),
    "networkMode": Option(
      strong: { $0.networkMode = .offlineFirst },
      weak: { $0.networkMode = .always },
      outcome: { $0.resolvedQuery.fetchOptions.networkMode }
    ),
    "enabled": Option(
      strong: { $0.enabled = false },
      weak: { $0.enabled = .when { _ in true } },
      observed: { $0.enabled = false },
      outcome: { $0.resolved.isEnabled }
    ),
    "refetchOnReconnect": Option(
      strong: { $0.refetchOnReconnect = .always },
      weak: { $0.refetchOnReconnect = .never },
      observed: { $0.refetchOnReconnect = .always },
      outcome: { $0.resolved.onReconnect }
    ),
    "refetchOnActive": Option(
      strong: { $0.refetchOnActive = .always },
      weak: { $0.refetchOnActive = .when { true } },
      observed: { $0.refetchOnActive = .always },
      outcome: { $0.resolved.onActive }
    ),
    "refetchInterval": Option(
      strong: { $0.refetchInterval = .seconds(7) },
      weak: { $0.refetchInterval = .seconds(2) },
      observed: { $0.refetchInterval = .seconds(7) },
      outcome: { $0.resolved.interval }
    ),
    "refetchIntervalInBackground": Option(
      strong: { $0.refetchIntervalInBackground = .seconds(7) },
      weak: { $0.refetchIntervalInBackground = .same },
      observed: { $0.refetchIntervalInBackground = .seconds(7) },
      needs: QueryOptions(refetchInterval: .seconds(1)),
      outcome: { $0.resolved.backgroundInterval }
    ),
    "onAbandonment": Option(
      strong: { $0.onAbandonment = .finish },
      weak: { $0.onAbandonment = .linger(.seconds(2)) },
      outcome: { $0.resolvedQuery.fetchOptions.abandonment }
    ),
    "meta": Option(
      strong: { $0.meta = meta("strong") },
      weak: { $0.meta = meta("weak") },
      outcome: { $0.resolvedQuery.meta?[Label.self] }
    ),
    "throwOnError": Option(
      strong: { $0.throwOnError = .always },
      weak: { $0.throwOnError = .never },
      outcome: { $0.throwPolicy.shouldThrow(CancellationError()) }
    ),
    "sharing": Option(
      strong: { $0.sharing = .off },
      weak: { $0.sharing = .custom { (old: Int, _: Int) in old } },
      outcome: { $0.resolvedQuery.share(for: QueryOptionsTests.key) == nil }
    ),
    "staleIfError": Option(
      strong: { $0.staleIfError = .seconds(7) },
      weak: { $0.staleIfError = .seconds(2) },
      outcome: { $0.resolvedQuery.serving?.staleIfError }
    ),
    "softTimeout": Option(
      strong: { $0.softTimeout = .seconds(7) },
      weak: { $0.softTimeout = .zero },
      outcome: { $0.resolvedQuery.serving?.softTimeout }
    ),
    "timeout": Option(
      strong: { $0.timeout = .seconds(7) },
      weak: { $0.timeout = .seconds(2) },
      outcome: { $0.resolvedQuery.serving?.timeout }
    ),
    "cachesFailures": Option(
      strong: { $0.cachesFailures = .seconds(7) },
      weak: { $0.cachesFailures = .seconds(2) },
      outcome: {
        $0.resolvedQuery.failureCaching(for: QueryOptionsTests.key)?.span(of: CancellationError())
      }
    ),
    "refreshAhead": Option(
      strong: { $0.refreshAhead = .fraction(0.7) },
      weak: { $0.refreshAhead = .probabilistic() },
      outcome: { $0.resolvedQuery.serving?.refreshAhead }
    ),
    "refetchOnSubscribe": Option(
      strong: { $0.refetchOnSubscribe = .always },
      weak: { $0.refetchOnSubscribe = .dynamic { _ in .never } },
      observed: { $0.refetchOnSubscribe = .always },
      outcome: { $0.resolved.onSubscribe }
    ),
    "retryOnSubscribe": Option(
      strong: { $0.retryOnSubscribe = false },
      weak: { $0.retryOnSubscribe = .when { _ in true } },
      observed: { $0.retryOnSubscribe = false },
      outcome: { $0.resolved.retriesOnSubscribe }
    ),
  ]

  static var names: [String] { options.keys.sorted() }

  /// The fields, and whether each is set.
  static func fields(of options: QueryOptions) -> [String: Bool] {
    var fields = fields(reflecting: options)
    // The options that most queries do not have are behind one reference.
    fields["serving"] = nil
    let values = options.serving?.values ?? ServingOptions.Values()
    return fields.merging(Self.fields(reflecting: values)) { $1 }
  }

  private static func fields(reflecting options: any Sendable) -> [String: Bool] {
    var fields: [String: Bool] = [:]
    for child in Mirror(reflecting: options).children {
      guard let label = child.label else { continue }
      fields[label] = !Mirror(reflecting: child.value).children.isEmpty
    }
    return fields
  }

  static func setting(_ change: (inout QueryOptions) -> Void) -> QueryOptions {
    var options = QueryOptions()
    change(&options)
    return options
  }

  /// What an option comes to in a client with these layers.
  static func outcome(
    of option: Option,
    client clientOptions: QueryOptions = .default,
    prefix: QueryOptions? = nil,
    query queryOptions: QueryOptions = .default,
    observer: ObserverOptions? = nil
  ) -> AnyHashable {
    var configuration = QueryClient.Configuration.server
    configuration.defaults.options = clientOptions.over(option.needs)
    let client = QueryClient(configuration: configuration)
    if let prefix { client.setDefaults(prefix, for: "products") }
    let query = Query(key: QueryKey<Int>(QueryOptionsTests.key)) { 1 }.options(queryOptions)
    let resolvedQuery = ResolvedQuery(
      query.definition,
      for: QueryOptionsTests.key,
      defaults: client.defaults,
      observer: observer
    )
    return AnyHashable(
      option.outcome(
        Outcome(resolvedQuery: resolvedQuery, throwPolicy: client.throwPolicy(of: query))
      )
    )
  }

  @Test func everyFieldIsAnOptionOfTheseTests() {
    let fields = Self.fields(of: .default)
    expectEqual(fields.keys.sorted(), Self.names)
    #expect(!fields.values.contains(true))
  }

  @Test(arguments: names) func anOptionIsOneField(_ name: String) throws {
    let option = try #require(Self.options[name])
    for change in [option.strong, option.weak] {
      let set = Self.fields(of: Self.setting(change)).filter(\.value)
      expectEqual(set.keys.sorted(), [name])
    }
  }

  @Test(arguments: names) func anOptionMergesOverItsBase(_ name: String) throws {
    let option = try #require(Self.options[name])
    let (strong, weak) = (Self.setting(option.strong), Self.setting(option.weak))
    for merged in [strong.over(.default), QueryOptions.default.over(strong), strong.over(weak)] {
      expectEqual(Self.fields(of: merged).filter(\.value).keys.sorted(), [name])
      expectEqual(Self.outcome(of: option, query: merged), Self.outcome(of: option, query: strong))
    }
  }

  @Test(arguments: names) func anOptionDecidesFromEveryLayer(_ name: String) throws {
    let option = try #require(Self.options[name])
    let (strong, weak) = (Self.setting(option.strong), Self.setting(option.weak))
    let expected = Self.outcome(of: option, query: strong)
    expect(expected != Self.outcome(of: option))
    expect(expected != Self.outcome(of: option, query: weak))
    let (none, nothing) = (QueryOptions.default, ObserverOptions())
    expectEqual(Self.outcome(of: option, client: strong), expected)
    expectEqual(Self.outcome(of: option, client: weak, prefix: strong), expected)
    expectEqual(Self.outcome(of: option, client: strong, prefix: none), expected)
    expectEqual(Self.outcome(of: option, client: weak, query: strong), expected)
    expectEqual(Self.outcome(of: option, client: weak, prefix: weak, query: strong), expected)
    expectEqual(Self.outcome(of: option, client: strong, observer: nothing), expected)
    expectEqual(Self.outcome(of: option, client: weak, query: strong, observer: nothing), expected)
  }

  @Test(arguments: names) func anObserversOptionWinsOverItsQuerys(_ name: String) throws {
    let option = try #require(Self.options[name])
    guard let observed = option.observed else { return }
    var observer = ObserverOptions()
    observed(&observer)
    expectEqual(Self.fields(of: observer.options).filter(\.value).keys.sorted(), [name])
    let expected = Self.outcome(of: option, query: Self.setting(option.strong))
    let weak = Self.setting(option.weak)
    expectEqual(Self.outcome(of: option, query: weak, observer: observer), expected)
    expectEqual(Self.outcome(of: option, client: weak, observer: observer), expected)
  }
}
