import Synchronization

/// Simulates a slow service in the network: each call takes half a second, and is counted.
final class SlowSource: RateSource {
  private static let rates = ["CHF": 0.94, "GBP": 0.86, "JPY": 163.2, "USD": 1.08]
  private let count = Atomic(0)

  /// The number of calls.
  var calls: Int { count.load(ordering: .relaxed) }

  func rate(of currency: String) async throws -> Rate {
    count.add(1, ordering: .relaxed)
    try await Task.sleep(for: .milliseconds(500))
    guard let rate = Self.rates[currency] else { throw UnknownCurrency() }
    return Rate(currency: currency, perEuro: rate)
  }
}
