/// Why a ``SharedStore`` gave no answer.
public enum SharedStoreError: Error, Hashable, Sendable {
  /// The store is out of reach, or did not answer in time. Whether the call took effect is unknown.
  case unavailable(String)
  /// The store answered something that is no answer.
  case unreadable(String)
  /// The key or the value is larger than the store takes.
  case tooLarge(bytes: Int, limit: Int)
  /// The caller was cancelled.
  case cancelled
}
