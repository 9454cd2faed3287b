/// An option whose values include durations, written in the same way as a `Duration`.
///
/// One spelling works everywhere:
///
/// ```swift
/// let options = QueryOptions(staleTime: .minutes(5), refetchInterval: .seconds(30))
/// let user = Query("users", id) { try await api.user(id) }.staleTime(.minutes(5))
/// ```
public protocol ExpressibleByDuration {
  /// Creates the option for a duration.
  ///
  /// - Parameter duration: The duration.
  init(_ duration: Duration)
}

extension ExpressibleByDuration {
  /// A zero duration: stale at once, or no interval.
  public static var zero: Self { Self(.zero) }

  /// A duration of whole milliseconds.
  ///
  /// - Parameter milliseconds: The number of milliseconds.
  /// - Returns: The option.
  public static func milliseconds<Count: BinaryInteger>(_ milliseconds: Count) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// A duration of whole seconds.
  ///
  /// - Parameter seconds: The number of seconds.
  /// - Returns: The option.
  public static func seconds<Count: BinaryInteger>(_ seconds: Count) -> Self {
    Self(.seconds(seconds))
  }

  /// A duration of seconds, including fractions.
  ///
  /// - Parameter seconds: The number of seconds.
  /// - Returns: The option.
  public static func seconds(_ seconds: Double) -> Self {
    Self(.seconds(clamping: seconds))
  }

  /// A duration of whole minutes.
  ///
  /// - Parameter minutes: The number of minutes.
  /// - Returns: The option.
  public static func minutes<Count: BinaryInteger>(_ minutes: Count) -> Self {
    Self(.minutes(minutes))
  }

  /// A duration of minutes, including fractions.
  ///
  /// - Parameter minutes: The number of minutes.
  /// - Returns: The option.
  public static func minutes(_ minutes: Double) -> Self {
    Self(.minutes(minutes))
  }

  /// A duration of whole hours.
  ///
  /// - Parameter hours: The number of hours.
  /// - Returns: The option.
  public static func hours<Count: BinaryInteger>(_ hours: Count) -> Self {
    Self(.hours(hours))
  }

  /// A duration of hours, including fractions.
  ///
  /// - Parameter hours: The number of hours.
  /// - Returns: The option.
  public static func hours(_ hours: Double) -> Self {
    Self(.hours(hours))
  }
}

extension Duration {
  /// A duration of whole minutes.
  ///
  /// - Parameter minutes: The number of minutes.
  /// - Returns: The duration.
  public static func minutes<Count: BinaryInteger>(_ minutes: Count) -> Duration {
    .seconds(60) * Int64(clamping: minutes).clampedToCenturies
  }

  /// A duration of minutes, including fractions.
  ///
  /// - Parameter minutes: The number of minutes.
  /// - Returns: The duration.
  public static func minutes(_ minutes: Double) -> Duration {
    seconds(clamping: minutes * 60)
  }

  /// A duration of whole hours.
  ///
  /// - Parameter hours: The number of hours.
  /// - Returns: The duration.
  public static func hours<Count: BinaryInteger>(_ hours: Count) -> Duration {
    .seconds(3600) * Int64(clamping: hours).clampedToCenturies
  }

  /// A duration of hours, including fractions.
  ///
  /// - Parameter hours: The number of hours.
  /// - Returns: The duration.
  public static func hours(_ hours: Double) -> Duration {
    seconds(clamping: hours * 3600)
  }

  /// Makes a duration from any number, such as one from a file; `Duration.seconds` traps on numbers
  /// that do not fit.
  fileprivate static func seconds(clamping seconds: Double) -> Duration {
    let limit = 1e12
    guard !seconds.isNaN else { return .zero }
    return .seconds(min(max(seconds, -limit), limit))
  }
}

extension Int64 {
  /// The number, clamped so that an hour multiplied by it fits.
  ///
  /// The limit is far beyond the 100 years that mean "for ever".
  fileprivate var clampedToCenturies: Int64 { Swift.min(Swift.max(self, -1 << 40), 1 << 40) }
}
