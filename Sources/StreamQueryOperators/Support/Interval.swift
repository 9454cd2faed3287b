/// The length of an operator's wait: a duration that cannot overflow.
struct Interval: Equatable, Sendable {
  /// The longest finite wait, 100 years; a longer one never ends.
  static let longest = Duration.seconds(100 * 365 * 24 * 60 * 60 as Int64)

  private let duration: Duration

  /// Below zero is zero, above 100 years is for ever.
  init(clamping duration: Duration) {
    self.duration = max(.zero, duration)
  }

  var isZero: Bool { duration == .zero }

  /// The duration, at most ``longest``.
  var finite: Duration { min(duration, Self.longest) }

  /// The end of a wait that starts now; `nil` if it has none.
  func end(from now: Duration) -> Duration? {
    duration <= Self.longest ? now + duration : nil
  }
}
