#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Whether fresh data is refetched before it becomes stale, so that nobody waits for it.
///
/// ```swift
/// let rates = Query("rates") { try await api.rates() }
///   .staleTime(.seconds(30))
///   .refreshAhead(.fraction(0.8, jitter: 0.1))
/// ```
public struct RefreshAhead: Hashable, Sendable, _FreeOfActors {
  private enum Kind: Hashable, Sendable {
    case off
    case fraction(Double, jitter: Double)
    case probabilistic(beta: Double)
  }

  private let kind: Kind

  /// Data is refetched when it is stale; the default.
  public static var off: Self { RefreshAhead(kind: .off) }

  /// Refetches when a part of the stale time is over.
  ///
  /// - Parameters:
  ///   - fraction: The part, 0…1: with 0.8 and a stale time of 30 s, from 24 s on. With 1 and no jitter,
  ///     data is not refetched early.
  ///   - jitter: The part by which it may be earlier or later, at random for each answer: with 0.1,
  ///     from between 21 and 27 s on, so that many keys or machines do not ask together.
  /// - Returns: The refresh.
  public static func fraction(_ fraction: Double, jitter: Double = 0) -> Self {
    guard fraction.isFinite else { return .off }
    return RefreshAhead(
      kind: .fraction(min(max(fraction, 0), 1), jitter: jitter.isFinite ? min(abs(jitter), 1) : 0)
    )
  }

  /// Refetches early at random; the longer the last fetch took, the earlier.
  ///
  /// The refetch is early by the duration of the last fetch, times `beta`, times a random number for each
  /// answer that is 1 on average and sometimes much larger: the *XFetch* rule. So of many keys or
  /// machines only few ask at once, and a quick fetch is hardly ever early.
  ///
  /// - Parameter beta: How early; more than 1 is earlier, zero or less never.
  /// - Returns: The refresh.
  public static func probabilistic(beta: Double = 1) -> Self {
    guard beta > 0 else { return .off }
    return RefreshAhead(kind: .probabilistic(beta: beta))
  }

  /// Whether data is never refetched early.
  var isOff: Bool { kind == .off }

  /// Whether the time of the refetch depends on a random number, or on how long the last fetch
  /// took.
  var isRandom: Bool {
    switch kind {
    case .off: false
    case .fraction(_, let jitter): jitter > 0
    case .probabilistic: true
    }
  }

  /// The age at which fresh data is refetched; `nil` if the data is stale by then.
  ///
  /// - Parameters:
  ///   - span: The age at which the data is stale.
  ///   - chance: A random number in 0..<1.
  ///   - duration: How long the last fetch took.
  /// - Returns: The age.
  func age(before span: TimeSpan, chance: Double, after duration: TimeSpan) -> TimeSpan? {
    guard !span.isInfinite else { return nil }
    let whole = Double(span.nanoseconds)
    let age =
      switch kind {
      case .off: whole
      case .fraction(let fraction, let jitter): whole * (fraction + jitter * (2 * chance - 1))
      case .probabilistic(let beta):
        whole + Double(duration.nanoseconds) * beta * log(1 - min(max(chance, 0), 1))
      }
    // This also returns if the age is not a number.
    guard age < whole else { return nil }
    // The age is at most the span, which an `Int64` can hold.
    return TimeSpan(.nanoseconds(Int64(max(age, 0))))
  }
}
