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

/// There is no such currency.
struct UnknownCurrency: Error {}

extension Query<Rate> {
  /// A currency's rate, for half a minute.
  ///
  /// Observers do not retry either.
  static func rate(of currency: String, from source: any RateSource) -> Self {
    Query("rate", currency) { try await source.rate(of: currency) }
      .staleTime(.seconds(30))
      .retry(.never)
  }
}
