/// ``AbandonmentPolicy`` with its duration clamped.
package enum Abandonment: Hashable, Sendable {
  /// The fetch is cancelled.
  case cancel
  /// A running attempt may land.
  case finish
  /// The fetch is cancelled after a delay.
  case linger(TimeSpan)
}
