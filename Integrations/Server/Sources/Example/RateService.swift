import Hummingbird
import Logging
import StreamQuery
import StreamQueryServer

/// The answer to `GET /stats`.
struct Stats: ResponseCodable, Sendable, Equatable {
  var hits: Int
  var joined: Int
  var misses: Int
}

extension QueryClient.Configuration {
  /// A server's cache: bounded, logged, measured and traced.
  ///
  /// A rate that was stale for up to five minutes is better than an error, or than a wait for a slow source.
  /// Failures are cached to spare the source: an unknown currency for a minute, others for a second.
  static func rates(_ logger: Logger) -> Self {
    var configuration = Self.server(
      staleIfError: .minutes(5),
      softTimeout: .milliseconds(200),
      cachesFailures: .when { $0 is UnknownCurrency ? .minutes(1) : .seconds(1) }
    )
    configuration.limit = CacheLimit(maxEntries: 1_000)
    configuration.log(to: logger)
    configuration.measure(with: QueryMetrics(prefix: "rates"))
    configuration.trace()
    return configuration
  }
}

/// A small API in front of a slow source.
struct RateService: Sendable {
  let client: QueryClient
  let source: any RateSource

  /// Makes the application.
  ///
  /// The cache ends after the server, because the server needs it for the last requests.
  func application(port: Int, _ logger: Logger) -> some ApplicationProtocol {
    let router = Router()
    router.middlewares.add(TracingMiddleware())
    router.get("rates/:currency") { _, context in
      try await rate(of: context.parameters.require("currency"))
    }
    router.get("pages/:currencies") { _, context in
      let texts = try context.parameters.require("currencies").split(separator: ",")
      return try page(of: texts.map { try currency(String($0)) })
    }
    router.get("stats") { _, _ in
      let lookups = client.lookups
      return Stats(hits: lookups.hits, joined: lookups.joined, misses: lookups.misses)
    }
    return Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      services: [QueryClientService(client, finishTimeout: .seconds(5), logger: logger)],
      logger: logger
    )
  }

  /// Returns the currency that a request names; throws if the text cannot be a currency, because otherwise
  /// requests could fill the cache with entries of any name.
  private func currency(_ text: String) throws -> String {
    let currency = text.uppercased()
    guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (65...90).contains($0) }) else {
      throw HTTPError(.badRequest, message: "a currency has three letters")
    }
    return currency
  }

  func rate(of text: String) async throws -> Rate {
    let currency = try currency(text)
    do {
      return try await client.fetch(.rate(of: currency, from: source), timeout: .seconds(2))
    } catch is UnknownCurrency {
      throw HTTPError(.notFound, message: "no such currency: \(currency)")
    } catch QueryError.timedOut {
      throw HTTPError(.gatewayTimeout, message: "the source of rates is slow, try again")
    }
  }
}
