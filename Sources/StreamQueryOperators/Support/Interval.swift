/// How long an operator waits: a duration that cannot overflow.
struct Interval: Equatable, Sendable {
  /// The longest finite wait, 100 years; what is longer never ends.
  static let longest = Duration.seconds(100 * 365 * 24 * 60 * 60 as Int64)

  private let duration: Duration

  /// Below zero is zero, above 100 years is for ever.
  init(clamping duration: Duration) {
    self.duration = max(.zero, duration)
  }

  var isZero: Bool { duration == .zero }

  /// The duration, cut off where it would be for ever.
  var finite: Duration { min(duration, Self.longest) }

  /// When a wait that starts now ends; `nil` if never.
  func end(from now: Duration) -> Duration? {
    duration <= Self.longest ? now + duration : nil
  }
}
