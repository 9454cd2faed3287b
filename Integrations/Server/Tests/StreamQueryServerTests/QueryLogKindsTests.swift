import InMemoryLogging
import Logging
import StreamQuery
import StreamQueryServer
import StreamQueryTesting
import Testing

/// Each kind of event has a line of its own.
struct QueryLogKindsTests {
  let simulation = Simulation(seed: 4)
  let handler = InMemoryLogHandler()
  let online = ManualSignal(true)

  private var log: QueryLog {
    var logger = Logger(label: "cache") { [handler] _ in handler }
    logger.logLevel = .trace
    return QueryLog(logger)
  }

  private func client() -> QueryClient {
    QueryClient(simulation: simulation) { [online, log] in
      $0.connectivity = Connectivity { online }
      $0.log(with: log)
    }
  }

  /// The lines since this was asked last, with some of their facts.
  private func lines(_ names: String...) -> [String] {
    defer { handler.clear() }
    return handler.entries.map { entry in
      let facts = names.compactMap { name in entry.metadata[name].map { " \(name)=\($0)" } }
      return "\(entry.level): \(entry.message)" + facts.joined()
    }
  }

  @Test func howObservedFetchesGo() {
    let updated = "trace: results of observers updated"
    let client = client()
    let query = Query<Int>("n") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(250))
      return 1
    }
    simulation.settle()
    online.send(false)
    simulation.settle()
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(
      lines("observers", "result", "cause") == [
        "trace: entry added", "trace: observer added observers=1",
        "trace: lookup result=miss", "debug: fetch started cause=subscribed",
        "debug: fetch paused cause=subscribed", updated,
      ]
    )
    online.send(true)
    simulation.advance(by: .seconds(1))
    #expect(
      lines("cause") == [
        "debug: fetch resumed cause=subscribed", updated,
        "debug: fetch succeeded cause=subscribed", updated,
      ]
    )
    simulation.task { await client.invalidate(.all) }
    simulation.advance(by: .milliseconds(100))
    client.cancel(.all)
    simulation.settle()
    #expect(
      lines("cause") == [
        "debug: entry invalidated", "debug: fetch started cause=invalidated", updated,
        "debug: fetch cancelled cause=invalidated", updated,
      ]
    )
    simulation.task { await client.reset(.all) }
    simulation.advance(by: .seconds(1))
    #expect(
      lines("cause") == [
        "debug: entry reset", updated, "debug: fetch started cause=reset", updated,
        "debug: fetch succeeded cause=reset", updated,
      ]
    )
    recording.cancel()
    simulation.settle()
    #expect(lines("observers") == ["trace: observer left observers=0"])
  }

  @Test func howMutationsGo() {
    let client = client()
    let rename = Mutation<Int, Int>("rename") { number in
      try await Scheduling.current.clock.sleep(for: .milliseconds(250))
      guard number > 0 else { throw Outage() }
      return number
    }
    .retry(RetryPolicy.times(1).backoff(.constant(.seconds(2))))
    .onSuccess { _, _ in throw Outage() }
    simulation.task { try await client.mutate(rename, with: 1) }
    simulation.advance(by: .seconds(1))
    #expect(
      lines("attempt", "callback", "error") == [
        "debug: mutation started", "debug: mutation performing attempt=1",
        "warning: mutation callback failed callback=onSuccess error=the upstream is down",
        "debug: mutation succeeded",
      ]
    )
    simulation.task { try await client.mutate(rename, with: 0) }
    simulation.advance(by: .seconds(5))
    #expect(
      lines("attempt", "retry-after", "error") == [
        "debug: mutation started", "debug: mutation performing attempt=1",
        "notice: mutation attempt failed, will be retried attempt=1 retry-after=2.0"
          + " error=the upstream is down",
        "debug: mutation performing attempt=2",
        "warning: mutation failed error=the upstream is down",
      ]
    )
    online.send(false)
    simulation.settle()
    let paused = simulation.task { try await client.mutate(rename, with: 1) }
    simulation.advance(by: .seconds(1))
    online.send(true)
    simulation.advance(by: .milliseconds(100))
    paused.cancel()
    simulation.settle()
    #expect(
      lines() == [
        "debug: mutation started", "debug: mutation paused", "debug: mutation resumed",
        "debug: mutation performing", "debug: mutation cancelled",
      ]
    )
  }

  /// For who logs `client.events` at leisure, in place of attaching the log.
  @Test func whatASlowReaderMissedIsAWarning() {
    let client = QueryClient(simulation: simulation)
    let events = client.events
    for number in 0..<2_000 { client.setData(number, for: QueryKey<Int>("n")) }
    simulation.run { [log] in
      for await event in events {
        log.record(event)
        break
      }
    }
    let lines = lines("count", "key")
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("warning: events missed count=") == true)
    #expect(lines.first?.contains("key=") == false)
  }
}
