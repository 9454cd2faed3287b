/// How refetches are paced when the network or the app is back.
///
/// By default each return refetches at once what is stale. An app that is switched to ten times in a
/// second refetches ten times, and after a loss of the network all queries of all clients ask their
/// server in the same millisecond.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.activationPacing = .coalescing(.seconds(1))
/// configuration.reconnectPacing = .coalescing(.seconds(1), spreading: .seconds(5))
/// ```
///
/// Fetches that callers await are never spread, nor are those of queries whose policy is a condition. A
/// query takes its own pacing for a stream of triggers: ``Query/refetch(on:pacing:)``.
public struct RefetchPacing: Hashable, Sendable {
  /// The time after a return that refetched in which further returns count as the same one.
  ///
  /// Further returns resume paused fetches, except those that are spread. No return is lost: at the end
  /// of the time, entries that got no data since the first return are refetched once more, as their
  /// policies say. If the network is away again by then, the next reconnect refetches; the same goes for
  /// the app and its activations. Zero or less is off.
  public var coalescing: Duration
  /// The time over which the refetches of one return are spread.
  ///
  /// Their order and their distances are random. Zero or less is off.
  public var spreading: Duration

  /// Each return refetches what is stale, all at once; the default.
  public static var off: Self { Self(coalescing: .zero, spreading: .zero) }

  /// Returns in quick succession count as one, and refetches may be spread.
  ///
  /// - Parameters:
  ///   - coalescing: The time after a return in which further returns count as the same one.
  ///   - spreading: The time over which the refetches of one return are spread.
  /// - Returns: The pacing.
  public static func coalescing(_ coalescing: Duration, spreading: Duration = .zero) -> Self {
    Self(coalescing: coalescing, spreading: spreading)
  }

  /// Each return refetches, and the refetches are spread.
  ///
  /// - Parameter spreading: The time over which the refetches of one return are spread.
  /// - Returns: The pacing.
  public static func spreading(over spreading: Duration) -> Self {
    Self(coalescing: .zero, spreading: spreading)
  }

  /// Whether each reason refetches at once.
  var isOff: Bool { coalescing <= .zero && spreading <= .zero }

  private init(coalescing: Duration, spreading: Duration) {
    self.coalescing = coalescing
    self.spreading = spreading
  }
}
