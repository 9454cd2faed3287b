/// The time in which a view observes.
public enum ObservationPeriod: Hashable, Sendable {
  /// From its first drawing, for as long as its state lives, even while it is hidden.
  case always
  /// From its first drawing until it disappears, and again from each appearance.
  case onRender
  /// From each appearance until it disappears.
  case onAppear
}
