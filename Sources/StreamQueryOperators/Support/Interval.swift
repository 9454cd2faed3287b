/// The length of an operator's wait, which cannot overflow.
struct Interval: Equatable, Sendable {
  /// The longest finite wait, 100 years; a longer wait never ends.
  static let longest = Duration.seconds(100 * 365 * 24 * 60 * 60 as Int64)

  private let duration: Duration

  /// Creates an interval; a negative one counts as zero, and one above 100 years never ends.
  init(clamping duration: Duration) {
    self.duration = max(.zero, duration)
  }

  var isZero: Bool { duration == .zero }

  /// The duration, limited to ``longest``.
  var finite: Duration { min(duration, Self.longest) }

  /// Returns the end of a wait that starts now; `nil` if the wait never ends.
  func end(from now: Duration) -> Duration? {
    duration <= Self.longest ? now + duration : nil
  }
}
