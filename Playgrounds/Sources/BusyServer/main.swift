// A server that answers a hundred requests a second from a server behind it, which is well, then slow, then
// down, then well again, for half a minute each of virtual time. The table says how the requests fared.
import StreamQuery
import StreamQueryTesting
import Synchronization

struct Outage: Error {}

/// A phase of half a minute, in which upstream works well, is slow, or is down.
struct Phase: Sendable {
  let name: String
  let delay: Duration
  var isAway = false

  static let all = [
    Phase(name: "well", delay: .milliseconds(50)),
    Phase(name: "slow", delay: .seconds(4)),
    Phase(name: "down", delay: .milliseconds(50), isAway: true),
    Phase(name: "well again", delay: .milliseconds(50)),
  ]

  static func at(_ now: Duration) -> Int { min(Int(now / .seconds(30)), all.count - 1) }
}

/// The counts of the requests in a phase.
struct Row: Sendable {
  var requests = 0
  var calls = 0
  var stale = 0
  var errors = 0
  var slowest = Duration.zero
  var oldest = Duration.zero
}

final class Report: Sendable {
  private let rows = Mutex(Array(repeating: Row(), count: Phase.all.count))

  func note(_ start: Duration, _ change: (inout Row) -> Void) {
    rows.withLock { change(&$0[Phase.at(start)]) }
  }

  func print() {
    line("the server behind", ["requests", "calls", "stale", "errors", "slowest", "oldest"])
    for (phase, row) in zip(Phase.all, rows.withLock { $0 }) {
      let counts = [row.requests, row.calls, row.stale, row.errors].map(String.init)
      line("is " + phase.name, counts + [text(row.slowest), text(row.oldest)])
    }
  }

  private func text(_ time: Duration) -> String { "\(time / .seconds(1)) s" }

  private func line(_ name: String, _ cells: [String]) {
    let padded = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
    Swift.print(name.padded(to: 17) + padded.joined())
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Makes a query with the time of each answer as its data, so that requests see the age of the data.
func rates(_ simulation: Simulation, _ report: Report) -> Query<Duration> {
  Query("rates") { [weak simulation] _ in
    let start = simulation?.now ?? .zero
    report.note(start) { $0.calls += 1 }
    let phase = Phase.all[Phase.at(start)]
    try await Scheduling.current.clock.sleep(for: phase.delay)
    if phase.isAway { throw Outage() }
    return simulation?.now ?? .zero
  }
}

func request(
  _ client: QueryClient,
  _ query: Query<Duration>,
  in simulation: Simulation,
  _ report: Report
) {
  let start = simulation.now
  _ = simulation.task { [weak simulation] in
    let answer = try? await client.fetch(query)
    let end = simulation?.now ?? .zero
    report.note(start) { row in
      row.requests += 1
      row.slowest = max(row.slowest, end - start)
      guard let answer else { return row.errors += 1 }
      row.oldest = max(row.oldest, end - answer)
      if end - answer >= .seconds(5) { row.stale += 1 }
    }
  }
}

/// Sends requests for two minutes, and prints how they fared.
func serve(_ name: String, _ options: (Query<Duration>) -> Query<Duration>) {
  let (simulation, report) = (Simulation(seed: 1), Report())
  let client = QueryClient(simulation: simulation, configuration: .server)
  let query = options(rates(simulation, report).staleTime(.seconds(5)))
  for _ in 0..<12_000 {
    request(client, query, in: simulation, report)
    simulation.advance(by: .milliseconds(10))
  }
  simulation.advance(by: .seconds(5))
  client.shutDown()
  print(name)
  report.print()
}

serve("With a cache alone:") { $0 }
serve("\nWith promises to callers:") {
  $0.staleIfError(.seconds(20))
    .softTimeout(.milliseconds(100))
    .timeout(.seconds(10))
    .cachesFailures(.seconds(1))
    .refreshAhead(.fraction(0.8, jitter: 0.1))
}
