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

  /// `Duration.seconds` traps on numbers that do not fit; a duration read from a file must not.
  private static func seconds(clamping seconds: Double) -> Duration {
    let limit = 1e12
    guard !seconds.isNaN else { return .zero }
    return .seconds(min(max(seconds, -limit), limit))
  }
}

extension Int64 {
  /// Clamped so that the product with an hour fits; far beyond the 100 years that mean "for ever".
  fileprivate var clampedToCenturies: Int64 { Swift.min(Swift.max(self, -1 << 40), 1 << 40) }
}
