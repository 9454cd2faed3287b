import Foundation
import Hummingbird
import Logging
import StreamQuery
import StreamQueryPersistence
import Synchronization
import Testing

@testable import Example

/// A source that answers once so many requests have asked the cache.
private final class PatientSource: RateSource {
  private let lookups = Atomic(0)
  private let count = Atomic(0)
  private let awaited: Int
  private let gate = AsyncStream.makeStream(of: Never.self)

  init(awaiting requests: Int) {
    awaited = requests
  }

  var calls: Int { count.load(ordering: .relaxed) }

  /// A cache's event receiver.
  func receive(_ event: QueryEvent) {
    guard case .lookup = event.kind else { return }
    if lookups.add(1, ordering: .relaxed).newValue == awaited { gate.continuation.finish() }
  }

  func rate(of currency: String) async throws -> Rate {
    count.add(1, ordering: .relaxed)
    for await _ in gate.stream {}
    guard currency != "XXX" else { throw UnknownCurrency() }
    return Rate(currency: currency, perEuro: 2)
  }
}

/// A small API in front of a slow source, over HTTP and over the router alone.
@Suite(.timeLimit(.minutes(2))) struct RateServiceTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func client(_ source: PatientSource) -> QueryClient {
    var configuration = QueryClient.Configuration.rates(Self.logger)
    let former = configuration.onEvent
    configuration.onEvent = { event in
      former?(event)
      source.receive(event)
    }
    return QueryClient(configuration: configuration)
  }

  private func service(_ source: PatientSource) -> RateService {
    RateService(client: client(source), source: source)
  }

  /// Asks for the same rate many times at once.
  private static func ask(
    _ server: ServedApplication,
    times count: Int
  ) async throws -> [Rate] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { try await get("/rates/usd", from: server) as Rate }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func get<Answer: Decodable>(
    _ path: String,
    from server: ServedApplication
  ) async throws -> Answer {
    try await JSONDecoder().decode(Answer.self, from: server.get(path).body)
  }

  private static func status(
    _ server: ServedApplication,
    _ path: String
  ) async throws -> Int {
    try await server.get(path).status
  }

  @Test func aThousandRequestsMakeOneCall() async throws {
    let source = PatientSource(awaiting: 1_000)
    let service = service(source)
    let server = try await ServedApplication.inProcess(service.application(port: 0, Self.logger))
    let rates = try await Self.ask(server, times: 1_000)
    #expect(rates.count == 1_000)
    #expect(Set(rates.map(\.perEuro)) == [2])
    #expect(source.calls == 1)
    #expect(service.client.lookups.misses == 1)
    #expect(service.client.lookups.joined == 999)
  }

  // Each request waits for all others, over a connection of its own.
  @Test func requestsOverTheNetworkMakeOneCallAndTheCacheEndsWithTheServer() async throws {
    let source = PatientSource(awaiting: 8)
    let service = service(source)
    let application = service.application(port: 0, Self.logger)
    let (rates, stats) = try await ServedApplication.overNetwork(application) { server in
      let rates = try await Self.ask(server, times: 8)
      let stats: Stats = try await Self.get("/stats", from: server)
      return (rates, stats)
    }
    #expect(rates == Array(repeating: Rate(currency: "USD", perEuro: 2), count: 8))
    #expect(source.calls == 1)
    #expect(stats == Stats(hits: 0, joined: 7, misses: 1))
    await #expect(throws: QueryError.self) {
      try await service.client.fetch(.rate(of: "CHF", from: source))
    }
  }

  @Test func whatIsNoCurrencyIsNotAskedFor() async throws {
    let source = PatientSource(awaiting: 1)
    let service = service(source)
    let server = try await ServedApplication.inProcess(service.application(port: 0, Self.logger))
    let codes = try await [
      Self.status(server, "/rates/dollars"), Self.status(server, "/rates/12"),
      Self.status(server, "/rates/xxx"), Self.status(server, "/nowhere"),
    ]
    #expect(codes == [400, 400, 404, 404])
    #expect(source.calls == 1)
    #expect(service.client.lookups.total == 1)
  }

  /// Who asks again and again for what does not exist costs the source nothing.
  @Test func whatIsNoCurrencyNowIsNoneForAMinute() async throws {
    let source = PatientSource(awaiting: 1)
    let service = service(source)
    let server = try await ServedApplication.inProcess(service.application(port: 0, Self.logger))
    let codes = try await [
      Self.status(server, "/rates/xxx"), Self.status(server, "/rates/xxx"),
      Self.status(server, "/rates/xxx"),
    ]
    #expect(codes == [404, 404, 404])
    #expect(source.calls == 1)
    #expect(service.client.lookups.failures == 2)
  }

  /// A page is a response: another cache that reads it asks for nothing.
  @Test func aPageFillsTheCacheOfItsReader() async throws {
    let source = PatientSource(awaiting: 1)
    let service = service(source)
    let application = service.application(port: 0, Self.logger)
    let response = try await ServedApplication.overNetwork(application) { server in
      try await server.get("/pages/usd,chf")
    }
    #expect(response.status == 200)
    #expect(response.contentType == "application/x-ndjson")
    let reader = QueryClient(configuration: .server)
    for line in response.body.split(separator: UInt8(ascii: "\n")) {
      let archive = try JSONDecoder().decode(CacheArchive.self, from: line)
      _ = reader.import(archive, for: [.values(of: Rate.self)])
    }
    let unused = PatientSource(awaiting: .max)
    for currency in ["USD", "CHF"] {
      let rate = try await reader.fetch(.rate(of: currency, from: unused))
      #expect(rate == Rate(currency: currency, perEuro: 2))
    }
    #expect(unused.calls == 0)
    #expect(source.calls == 2)
  }
}
