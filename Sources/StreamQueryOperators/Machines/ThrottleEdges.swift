/// Which elements of a window `throttle` lets through.
public enum ThrottleEdges: Hashable, Sendable {
  /// The first one, at once; the others are dropped.
  case leading
  /// The newest one, at the end of the window.
  case trailing
  /// The first one at once, and the newest of those that followed it at the end.
  case both
}
