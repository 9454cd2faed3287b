/// How long a stream has delivered that is expected to end: if callers still wait for its end, it may
/// have none.
struct StreamWait {
  /// The time after which that is suspected.
  ///
  /// Answers that are written while one looks on end before, and so do most downloads.
  static var limit: TimeSpan { TimeSpan(.seconds(300)) }

  private var start: Instant?

  /// An element arrived.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether the stream has delivered for too long for those who wait for its end.
  mutating func isSuspicious(at now: Instant) -> Bool {
    let start = start ?? now
    self.start = start
    return (start + Self.limit).map { now >= $0 } ?? false
  }
}
