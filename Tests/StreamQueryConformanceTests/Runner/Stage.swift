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
///
/// `Sendable` is right, since everything in a simulation, the callbacks of mutations included, runs
/// on the one thread that drives it.
final class Stage: @unchecked Sendable {
  let scenario: Scenario
  let simulation: Simulation
  let ledger: Ledger
  let online: ManualSignal<Bool>
  let focused: ManualSignal<Bool>
  var clients: [String: QueryClient] = [:]
  var clientNames: [String] = []
  var observers: [String: Watch] = [:]
  var groups: [String: GroupWatch] = [:]
  var mutations: [String: MutationWatch] = [:]
  /// The defaults of the clients, where `setDefaults` replaced the scenario's.
  var clientDefaults: [String: JSON] = [:]
  /// What `setQueryDefaults` registered, by client, in order.
  var keyDefaults: [String: [(key: AnyQueryKey, options: JSON)]] = [:]
  /// What `setMutationDefaults` registered, by client, in order.
  var mutationDefaults: [String: [(key: AnyQueryKey, options: JSON)]] = [:]
  /// The keys that occur, in the scenario's own notation.
  let keys: [AnyQueryKey: JSON]
  /// The keys whose values are runs of pages.
  let pagedKeys: Set<AnyQueryKey>
  /// Whether calls begin before the function that makes them goes on: those of callbacks.
  var startsCallsAtOnce = false
  /// What `dehydrate` kept, by name.
  var archives: [String: Data] = [:]
  /// Whether the trace is taken: callbacks that end with the simulation do nothing any more.
  private(set) var isOver = false
  /// What is found wrong beside the trace.
  var violations: [String] = []

  init(_ scenario: Scenario, seed: UInt64 = 0) {
    self.scenario = scenario
    simulation = Simulation(seed: seed)
    ledger = Ledger(simulation: simulation)
    online = ManualSignal(scenario.json["online"]?.bool ?? true)
    focused = ManualSignal(scenario.json["focused"]?.bool ?? true)
    let known = scenario.keys
    keys = Dictionary(known.map { (AnyQueryKey($0), $0) }, uniquingKeysWith: { first, _ in first })
    pagedKeys = Set(scenario.pagedKeys.map { AnyQueryKey($0) })
  }

  /// Performs the scenario.
  ///
  /// - Parameter quiescent: Called whenever everything that needs no more time has ended.
  /// - Returns: The trace.
  func perform(quiescent: (Stage) -> Void = { _ in }) -> JSON {
    for operation in scenario.operations {
      move(to: operation["at"]?.int ?? 0)
      quiescent(self)
      _ = perform(operation, clientName(operation))
      simulation.settle()
      quiescent(self)
    }
    move(to: scenario.until)
    quiescent(self)
    let trace = trace()
    isOver = true
    // Callbacks of mutations hold the stage, and the clients hold the callbacks: also one that waits for
    // what is paused, and so for ever.
    for client in clients.values { client.shutDown() }
    observers = [:]
    groups = [:]
    mutations = [:]
    clients = [:]
    simulation.shutDown()
    return trace
  }

  private func move(to milliseconds: Int) {
    let wait = Duration.milliseconds(milliseconds) - simulation.now
    if wait > .zero { simulation.advance(by: wait) }
  }

  // MARK: Clients

  func clientName(_ operation: JSON) -> String { operation["client"]?.string ?? "main" }

  /// A client comes into being at its first mention.
  func client(_ name: String) -> QueryClient {
    if let client = clients[name] { return client }
    let client = QueryClient(simulation: simulation) { [online, focused, ledger] in
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { focused }
      $0.defaults = queryDefaults(of: name)
      $0.onMisuse = { _ in }
      if scenario.json["cacheCallbacks"]?.bool == true {
        $0.mutationHooks = Self.hooks(ledger)
        $0.onEvent = { [weak self] event in self?.note(event, of: name) }
      }
    }
    client.setMutationDefaults(mutationOptions(defaults(of: name, "mutations")), for: [])
    clients[name] = client
    clientNames.append(name)
    // The first report of a source is a state and not an edge; it is heard before anything is done.
    simulation.settle()
    return client
  }

  /// A client's defaults for `queries` or `mutations`.
  func defaults(of client: String, _ part: String) -> JSON {
    (clientDefaults[client] ?? scenario.json["defaults"])?[part] ?? .object([:])
  }

  func queryDefaults(of client: String) -> QueryDefaults {
    QueryDefaults(options: QueryOptions(defaults(of: client, "queries")))
  }

  func fetcher(_ name: String, client: String) -> ScenarioFetcher {
    ScenarioFetcher(
      name: name,
      client: client,
      definition: scenario.json["fetchers"]?[name] ?? .object([:]),
      ledger: ledger
    )
  }
}
