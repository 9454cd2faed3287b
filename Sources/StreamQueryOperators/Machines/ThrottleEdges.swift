/// The choice of elements that `throttle` lets through in a window of time.
public enum ThrottleEdges: Hashable, Sendable {
  /// The first element passes at once; the others are dropped.
  case leading
  /// The newest element passes at the end of the window.
  case trailing
  /// The first element passes at once, and the newest of the others at the end of the window.
  case both
}
