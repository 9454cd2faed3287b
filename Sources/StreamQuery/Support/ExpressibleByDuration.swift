/// An option that is a length of time, or something else: its lengths are written as a `Duration` is.
///
/// So one spelling serves everywhere:
///
/// ```swift
/// let options = QueryOptions(staleTime: .minutes(5), refetchInterval: .seconds(30))
/// let user = Query("user", id) { try await api.user(id) }.staleTime(.minutes(5))
/// ```
public protocol ExpressibleByDuration {
  /// Creates the option that is this length of time.
  ///
  /// - Parameter duration: How long.
  init(_ duration: Duration)
}

extension ExpressibleByDuration {
  /// No length at all: stale at once, or no interval.
  public static var zero: Self { Self(.zero) }

  /// A length of whole milliseconds.
  ///
  /// - Parameter milliseconds: How many.
  /// - Returns: The option.
  public static func milliseconds<Count: BinaryInteger>(_ milliseconds: Count) -> Self {
    Self(.milliseconds(milliseconds))
  }

  /// A length of whole seconds.
  ///
  /// - Parameter seconds: How many.
  /// - Returns: The option.
  public static func seconds<Count: BinaryInteger>(_ seconds: Count) -> Self {
    Self(.seconds(seconds))
  }

  /// A length of seconds and parts of one.
  ///
  /// - Parameter seconds: How many.
  /// - Returns: The option.
  public static func seconds(_ seconds: Double) -> Self {
    Self(.seconds(seconds))
  }

  /// A length of whole minutes.
  ///
  /// - Parameter minutes: How many.
  /// - Returns: The option.
  public static func minutes<Count: BinaryInteger>(_ minutes: Count) -> Self {
    Self(.minutes(minutes))
  }

  /// A length of minutes and parts of one.
  ///
  /// - Parameter minutes: How many.
  /// - Returns: The option.
  public static func minutes(_ minutes: Double) -> Self {
    Self(.minutes(minutes))
  }

  /// A length of whole hours.
  ///
  /// - Parameter hours: How many.
  /// - Returns: The option.
  public static func hours<Count: BinaryInteger>(_ hours: Count) -> Self {
    Self(.hours(hours))
  }

  /// A length of hours and parts of one.
  ///
  /// - Parameter hours: How many.
  /// - Returns: The option.
  public static func hours(_ hours: Double) -> Self {
    Self(.hours(hours))
  }
}
