/// The elements of a window that `throttle` lets through.
public enum ThrottleEdges: Hashable, Sendable {
  /// The first element, at once; the others are dropped.
  case leading
  /// The newest element, at the end of the window.
  case trailing
  /// The first element at once, and the newest of the others at the end.
  case both
}
