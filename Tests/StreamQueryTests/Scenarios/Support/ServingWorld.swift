import StreamQuery
import StreamQueryTesting

/// A server process in a simulation: callers, and a log of what they got and what was done for it.
struct ServingWorld {
  let simulation: Simulation
  let client: QueryClient
  private let log = Dial<[String]>([])

  init(
    seed: UInt64 = 1,
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) {
    let (simulation, log) = (Simulation(seed: seed), log)
    self.simulation = simulation
    client = QueryClient(simulation: simulation) { configuration in
      configure(&configuration)
      configuration.onEvent = { event in
        guard let line = Self.line(event) else { return }
        log.with { $0.append("\(Self.time(simulation)) \(line)") }
      }
    }
  }

  private static func time(_ simulation: Simulation) -> String {
    String(describing: simulation.now / .seconds(1))
  }

  /// Events that say what was done for callers.
  private static func line(_ event: QueryEvent) -> String? {
    switch event.kind {
    case .fetchStarted: "fetching"
    case .fetchSucceeded: "fetched"
    case .fetchFailed(let error): "failed: \(error)"
    case .fetchCancelled: "cancelled"
    case .attemptFailed(let error, _, _): "attempt failed: \(error)"
    case .servedStale(let count): "served stale to \(count)"
    default: nil
    }
  }

  /// A caller, whose outcome is logged.
  @discardableResult
  func ask(
    _ query: Query<Int>,
    _ fetch: @escaping @Sendable (QueryClient, Query<Int>) async throws -> Int = {
      try await $0.fetch($1)
    }
  ) -> Task<Void, Never> {
    let (simulation, client, log) = (simulation, client, log)
    let task = simulation.task {
      let outcome: String
      do {
        outcome = "got \(try await fetch(client, query))"
      } catch {
        outcome = "threw \(error)"
      }
      log.with { $0.append("\(Self.time(simulation)) \(outcome)") }
    }
    simulation.settle()
    return task
  }

  /// Moves time to so many seconds after the beginning.
  func advance(to seconds: Double) {
    simulation.advance(by: .seconds(seconds) - simulation.now)
  }

  /// What happened since the last time.
  func news() -> [String] {
    log.with { lines in
      defer { lines = [] }
      return lines
    }
  }
}
