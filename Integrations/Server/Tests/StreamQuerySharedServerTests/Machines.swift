import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import StreamQuery
import StreamQueryServer
import StreamQueryShared
import StreamQuerySharedServer
import StreamQuerySharedTesting
import StreamQueryTesting
import Tracing

struct Outage: Error, CustomStringConvertible {
  var description: String { "the upstream is down" }
}

/// Machines that share a cache in virtual time, and what they tell.
final class Machines: Sendable {
  let simulation = Simulation(seed: 15)
  let store: MemorySharedStore
  let handler = InMemoryLogHandler()
  let metrics = TestMetrics()
  let tracer = InMemoryTracer()

  init() {
    store = MemorySharedStore(simulation.scheduling)
  }

  /// One more machine, which reads the log unless something else does.
  func machine(
    reads: Bool = true,
    _ change: (inout SharedCacheConfiguration) -> Void = { _ in }
  ) throws -> Machine {
    let client = QueryClient(simulation: simulation) { [tracer] in
      $0.trace(with: QueryTracing(tracer: tracer))
    }
    var logger = Logger(label: "shared") { [handler] _ in handler }
    logger.logLevel = .trace
    var configuration = SharedCacheConfiguration(namespace: "shop")
    configuration.log(to: logger)
    configuration.measure(with: SharedCacheMetrics(prefix: "test", factory: metrics))
    configuration.trace()
    change(&configuration)
    let cache = try SharedCache(store, for: client, configuration)
    if reads { simulation.task { await cache.run() } }
    simulation.settle()
    return Machine(client: client, cache: cache, simulation: simulation)
  }

  /// What the counters have counted since this was asked last, without those that have not.
  func counted() -> [String: Int64] {
    var counted: [String: Int64] = [:]
    for counter in metrics.counters where counter.totalValue != 0 {
      let own = counter.dimensions.map { " \($0.0)=\($0.1)" }.joined()
      counted[counter.label + own] = counter.totalValue
      counter.reset()
    }
    return counted
  }

  /// The lines of the log since this was asked last, with some of their facts.
  func lines(_ names: String...) -> [String] {
    defer { handler.clear() }
    return handler.entries.map { entry in
      let facts = names.compactMap { name in entry.metadata[name].map { " \(name)=\($0)" } }
      return "\(entry.level): \(entry.message)" + facts.joined()
    }
  }

  /// What the spans of fetches say about sharing, since this was asked last, in the order of their ends.
  func spans() -> [String] {
    defer { tracer.clearFinishedSpans() }
    let names = ["streamquery.shared", "streamquery.shared.reason", "streamquery.outcome"]
    return tracer.finishedSpans.map { span in
      let texts = names.compactMap { name -> String? in
        switch span.attributes.get(name) {
        case .string(let text): text
        default: nil
        }
      }
      return texts.joined(separator: " ")
    }
  }
}

/// A machine: a client, and its part in the cache.
struct Machine {
  let client: QueryClient
  let cache: SharedCache
  let simulation: Simulation

  func query(_ part: Int = 1, taking duration: Duration = .seconds(1)) -> Query<Int> {
    Query("n", part) {
      try await Scheduling.current.clock.sleep(for: duration)
      if part < 0 { throw Outage() }
      return part
    }.staleTime(.minutes(1)).shared(through: cache, tags: ["numbers"])
  }

  func ask(_ query: Query<Int>) {
    simulation.task { [client] in try await client.fetch(query) }
    simulation.settle()
  }
}
