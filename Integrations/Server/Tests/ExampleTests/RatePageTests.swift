import Foundation
import Logging
import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

@testable import Example

/// A source that does what a script says.
private struct ScriptedSource: RateSource {
  let answers: ScriptedFetch<Rate>

  func rate(of currency: String) async throws -> Rate {
    var rate = try await answers()
    rate.currency = currency
    return rate
  }
}

/// What callers get while the source is slow or fails, and what is sent of a page meanwhile; in virtual
/// time.
struct RatePageTests {
  let simulation = Simulation(seed: 21)

  private func service(_ steps: ScriptedFetch<Rate>.Step...) -> (RateService, ScriptedFetch<Rate>) {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let fetch = ScriptedFetch<Rate>(steps)
    let client = QueryClient(simulation: simulation, configuration: .rates(logger))
    return (RateService(client: client, source: ScriptedSource(answers: fetch)), fetch)
  }

  private func rate(_ perEuro: Double) -> Rate { Rate(currency: "", perEuro: perEuro) }

  private struct Outage: Error {}

  @Test func aSourceThatFailsOrIsSlowIsNotNoticedForFiveMinutes() throws {
    let (service, fetch) = service(
      .value(rate(1)),
      .failure(Outage(), after: .milliseconds(50)),
      .value(rate(2), after: .seconds(2)),
      .failure(Outage())
    )
    var answers: [String] = []
    func ask() throws {
      let start = simulation.now
      let value = try simulation.run { try await service.rate(of: "usd").perEuro }
      answers.append(
        "\(start / .seconds(1)): \(value) after \((simulation.now - start) / .seconds(1))"
      )
    }
    try ask()
    simulation.advance(by: .seconds(30))
    try ask()
    try ask()
    #expect(fetch.callCount == 2)
    simulation.advance(by: .seconds(10))
    try ask()
    simulation.advance(by: .seconds(2))
    try ask()
    #expect(
      answers == [
        "0.0: 1.0 after 0.0", "30.0: 1.0 after 0.05", "30.05: 1.0 after 0.0",
        "40.05: 1.0 after 0.2", "42.25: 2.0 after 0.0",
      ]
    )
    simulation.advance(by: .minutes(6))
    #expect(throws: Outage.self) { try simulation.run { try await service.rate(of: "usd") } }
  }

  /// The first archive names what is to come, and a reader waits for that in place of asking itself.
  @Test func aPageIsSentAsItComes() throws {
    let (service, fetch) = service(
      .value(rate(1), after: .seconds(1)),
      .value(rate(2), after: .seconds(3))
    )
    let (lines, sent) = AsyncStream<Data>.makeStream()
    let reader = QueryClient(simulation: simulation, configuration: .server)
    let unused = ScriptedFetch<Rate>(.value(rate(9)))
    let source = ScriptedSource(answers: unused)
    simulation.task {
      for try await line in service.archives(of: ["USD", "CHF"]) { sent.yield(line) }
      sent.finish()
    }
    let report = simulation.task {
      try await reader.import(
        contentsOf: lines.map { try JSONDecoder().decode(CacheArchive.self, from: $0) },
        for: [.values(of: Rate.self)]
      )
    }
    simulation.settle()
    let recordings = ["CHF", "USD"].map {
      simulation.record(reader.stream(.rate(of: $0, from: source)))
    }
    // Which of the two is asked for first is up to the seed.
    func shown() -> [Double] { recordings.compactMap { $0.values.last?.data?.perEuro }.sorted() }
    #expect(shown() == [])
    simulation.advance(by: .seconds(1))
    #expect(shown() == [1])
    simulation.advance(by: .seconds(2))
    #expect(shown() == [1, 2])
    #expect(try simulation.run { try await report.value.entryCount } == 2)
    #expect(unused.callCount == 0)
    #expect(fetch.callCount == 2)
    for recording in recordings { recording.cancel() }
  }

  /// What fails is left out of the archives, and the reader asks for itself.
  @Test func whatFailsIsNotWaitedForByTheReader() throws {
    let (service, _) = service(.failure(UnknownCurrency(), after: .seconds(1)))
    let archives = try simulation.run {
      var archives: [CacheArchive] = []
      for try await line in service.archives(of: ["XXX"]) {
        archives.append(try JSONDecoder().decode(CacheArchive.self, from: line))
      }
      return archives
    }
    #expect(archives.map(\.pending.count) == [1, 0])
    #expect(archives.flatMap(\.entries).isEmpty)
    #expect(simulation.now == .seconds(1))
  }

  /// A server that shuts down waits for its responses.
  @Test func aSourceThatHangsDoesNotKeepAPageOpen() throws {
    let (service, _) = service(.value(rate(1), after: .hours(1)))
    let count = try simulation.run {
      var count = 0
      for try await _ in service.archives(of: ["USD"]) { count += 1 }
      return count
    }
    #expect(count == 2)
    #expect(simulation.now == .seconds(10))
  }
}
