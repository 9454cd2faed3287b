/// When a view observes.
public enum ObservationPeriod: Hashable, Sendable {
  /// From the first time that it is drawn, for as long as its state lives, hidden or not.
  case always
  /// From the first time that it is drawn until it disappears, and again from each appearance.
  case onRender
  /// From each appearance until it disappears.
  case onAppear
}
