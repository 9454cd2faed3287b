import Hummingbird
import StreamQuery

/// The rate of a currency.
struct Rate: ResponseCodable, Sendable, Hashable {
  var currency: String
  var perEuro: Double
}

/// The source of rates, which is slow and paid per request.
protocol RateSource: Sendable {
  /// - Throws: ``UnknownCurrency``.
  func rate(of currency: String) async throws -> Rate
}

/// The source has no rate of this currency.
struct UnknownCurrency: Error {}

extension Query<Rate> {
  /// The query of a currency's rate, which is fresh for half a minute.
  ///
  /// The query never retries, not even for observers. The timeout also ends the pages that wait for a rate,
  /// and with them the wait of a server that shuts down.
  static func rate(of currency: String, from source: any RateSource) -> Self {
    Query("rate", currency) { try await source.rate(of: currency) }
      .staleTime(.seconds(30))
      .timeout(.seconds(10))
      .retry(.never)
  }
}
