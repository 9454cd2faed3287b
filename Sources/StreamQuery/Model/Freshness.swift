/// A stale time as machines see it.
package enum Freshness: Hashable, Sendable {
  /// Stale when this old.
  case after(TimeSpan)
  /// Never stale once there is data.
  case `static`
}
