/// How a fetch ended for the callers that wait for it.
package enum FetchEnding: Hashable, Sendable {
  /// Its value landed.
  case succeeded
  /// It found that the data is still good.
  case kept
  /// Its stream, which has no end, delivered a part: that is the answer. It goes on while somebody wants
  /// it.
  case delivered
  /// Its last attempt failed.
  case failed
  /// It was cancelled, and the previous state is restored.
  case cancelled
  /// It found nothing to do, and the previous state is restored.
  case nothing
  /// A fenced write took its place.
  case replaced
  /// Its entry was removed, reset or cleared.
  case removed
}
