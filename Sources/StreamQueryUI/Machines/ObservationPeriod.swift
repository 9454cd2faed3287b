/// The period in which a view observes its queries.
public enum ObservationPeriod: Hashable, Sendable {
  /// From the view's first drawing, for as long as its state lives, even while it is hidden.
  case always
  /// From the view's first drawing until it disappears, and again from each appearance.
  case onRender
  /// From each appearance of the view until it disappears.
  case onAppear
}
