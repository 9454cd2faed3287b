import StreamQuery
import StreamQueryTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A scenario in performance: its world, its clients and observers, and what was seen.
///
/// It uses what any user could: observers are consumed streams, imperative calls are awaited in
/// tasks of the simulation, and the dump of the cache is a diagnostics call.
final class Stage {
  let scenario: Scenario
  let simulation: Simulation
  let ledger: Ledger
  let online: ManualSignal<Bool>
  let focused: ManualSignal<Bool>
  var clients: [String: QueryClient] = [:]
  var clientNames: [String] = []
  var observers: [String: Watch] = [:]
  var defaults: JSON
  /// What `setQueryDefaults` registered, by client, in order.
  var keyDefaults: [String: [(key: AnyQueryKey, options: JSON)]] = [:]
  var keys: [AnyQueryKey: JSON] = [:]
  /// What `dehydrate` kept, by name.
  var archives: [String: Data] = [:]
  /// What is found wrong beside the trace.
  var violations: [String] = []

  /// One observer of the scenario.
  struct Watch {
    var client: String
    var options: JSON
    var observer: QueryObserver<JSON>
    var recording: Recording<QueryResult<JSON>>
    /// Whether the scenario still consumes it.
    var isLive = true
  }

  init(_ scenario: Scenario, seed: UInt64 = 0) {
    self.scenario = scenario
    simulation = Simulation(seed: seed)
    ledger = Ledger(simulation: simulation)
    online = ManualSignal(scenario.json["online"]?.bool ?? true)
    focused = ManualSignal(scenario.json["focused"]?.bool ?? true)
    defaults = scenario.json["defaults"]?["queries"] ?? .object([:])
  }

  /// Performs the scenario.
  ///
  /// - Parameter quiescent: Called whenever everything that needs no more time has ended.
  /// - Returns: The trace.
  func perform(quiescent: (Stage) -> Void = { _ in }) -> JSON {
    for operation in scenario.operations {
      move(to: operation["at"]?.int ?? 0)
      quiescent(self)
      perform(operation)
      simulation.settle()
      quiescent(self)
    }
    move(to: scenario.until)
    quiescent(self)
    let trace = trace()
    simulation.shutDown()
    return trace
  }

  private func move(to milliseconds: Int) {
    simulation.advance(by: .milliseconds(milliseconds) - simulation.now)
  }

  // MARK: Clients and queries

  func clientName(_ operation: JSON) -> String { operation["client"]?.string ?? "main" }

  /// A client comes into being at its first mention.
  func client(_ name: String) -> QueryClient {
    if let client = clients[name] { return client }
    let client = QueryClient(simulation: simulation) { [online, focused, defaults] in
      $0.connectivity = Connectivity { online }
      $0.activity = Activity { focused }
      $0.defaults = QueryDefaults(
        options: QueryOptions(defaults),
        imperativeRetry: QueryOptions(defaults).retry ?? .never
      )
      $0.onMisuse = { _ in }
    }
    clients[name] = client
    clientNames.append(name)
    // The first report of a source is a state and not an edge; it is heard before anything is done.
    simulation.settle()
    return client
  }

  func fetcher(_ name: String, client: String) -> ScenarioFetcher {
    ScenarioFetcher(
      name: name,
      client: client,
      definition: scenario.json["fetchers"]?[name] ?? .object([:]),
      ledger: ledger
    )
  }

  func key(_ json: JSON) -> QueryKey<JSON> {
    let key = QueryKey<JSON>(json)
    keys[AnyQueryKey(json)] = json
    return key
  }

  /// The query that an operation writes, with its options as modifiers.
  func query(_ json: JSON, client name: String) -> Query<JSON> {
    let keyJSON = json["key"] ?? []
    let key = key(keyJSON)
    var options = QueryOptions(withDelay(json, of: AnyQueryKey(keyJSON), client: name))
    var query: Query<JSON>
    if let function = json["fn"]?.string {
      let fetcher = fetcher(function, client: name)
      query = Query(key: key) { try await fetcher(keyJSON) }
      options.abandonment = fetcher.abandonment
    } else {
      query = Query(key: key)
    }
    query = query.options(options)
    if let value = json["initialData"] {
      let updatedAt = json["initialDataUpdatedAt"]?.int.map(Simulation.date)
      query = query.initialData(value, updatedAt: updatedAt)
    }
    if let placeholder = json["placeholderData"]?["value"] {
      query = query.placeholder(placeholder)
    }
    return query
  }

  /// In the reference the number of retries and their delay are two options, with us they are one.
  private func withDelay(_ options: JSON, of key: AnyQueryKey, client: String) -> JSON {
    guard options["retry"] != nil || options["retryDelay"] != nil, var fields = options.object
    else { return options }
    var weaker = defaults
    for registered in keyDefaults[client] ?? [] where registered.key.isPrefix(of: key) {
      weaker = weaker.merging(registered.options)
    }
    fields["retry"] = fields["retry"] ?? weaker["retry"]
    fields["retryDelay"] = fields["retryDelay"] ?? weaker["retryDelay"]
    return .object(fields)
  }

  func filter(_ json: JSON?) -> QueryFilter {
    var filter = QueryFilter.all
    if let key = json?["key"] {
      filter =
        json?["exact"]?.bool == true
        ? .key(QueryKey<JSON>(key)) : .prefix(AnyQueryKey(key))
    }
    switch json?["type"]?.string {
    case "active": filter = filter && .active
    case "inactive": filter = filter && .inactive
    default: break
    }
    if let isStale = json?["stale"]?.bool { filter = filter && (isStale ? .stale : .fresh) }
    if let status = json?["fetchStatus"]?.string.flatMap(FetchStatus.init) {
      filter = filter && .fetchStatus(status)
    }
    if let status = json?["status"]?.string.flatMap(QueryStatus.init) {
      filter = filter && .where { $0.status == status }
    }
    return filter
  }
}

extension JSON {
  /// These fields, replaced by those of another object.
  func merging(_ other: JSON) -> JSON {
    .object((object ?? [:]).merging(other.object ?? [:]) { $1 })
  }
}
