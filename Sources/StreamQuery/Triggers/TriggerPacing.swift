/// Decides when the elements of a query's own triggers refetch: see ``RefetchPacing``.
///
/// All observers of a key share one such value, even if their queries are paced differently.
///
/// | input | nothing is due | a refetch is due |
/// |---|---|---|
/// | `heard` | set the time: now, after the coalescing time, or later at random | keep the earlier time |
/// | `takeDue` | – | once it is time, nothing is due, and the coalescing time begins |
struct TriggerPacing: Equatable {
  /// The time when the last refetch began.
  private var last: Instant?
  /// The time when the next refetch is due.
  private(set) var due: Instant?

  /// Plans the refetch for an element, unless one is already due within the time that `pacing` allows.
  ///
  /// - Parameters:
  ///   - pacing: The pacing of the element's stream.
  ///   - now: The time of the element.
  ///   - random: 64 random bits; used only if `pacing` spreads refetches.
  mutating func heard(_ pacing: RefetchPacing, at now: Instant, random: UInt64) {
    var start = now
    if let last {
      guard let end = last + TimeSpan(pacing.coalescing) else { return }
      start = max(now, end)
    }
    let spreading = min(TimeSpan(pacing.spreading), .longest)
    if let due, due <= start + spreading ?? start { return }
    var generator = SplitMix64(seed: random)
    let delay = spreading > .zero ? generator.fraction() * Double(spreading.nanoseconds) : 0
    due = start + TimeSpan(.nanoseconds(Int64(delay))) ?? start
  }

  /// Takes the refetch if it is due.
  ///
  /// - Parameter now: The present time.
  /// - Returns: Whether a refetch was due.
  mutating func takeDue(at now: Instant) -> Bool {
    guard let due, due <= now else { return false }
    (last, self.due) = (now, nil)
    return true
  }
}
