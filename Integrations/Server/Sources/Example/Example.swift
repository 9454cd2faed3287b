import Hummingbird
import Logging
import StreamQuery

/// A server to try single flight with; see `../../README.md`.
@main enum Example {
  static func main() async throws {
    var logger = Logger(label: "rates")
    logger.logLevel = .debug
    let service = RateService(
      client: QueryClient(configuration: .rates(logger)),
      source: SlowSource()
    )
    let port = Environment().get("PORT", as: Int.self) ?? 8080
    try await service.application(port: port, logger).runService()
  }
}
