/// The reason why a ``SharedStore`` gave no answer.
public enum SharedStoreError: Error, Hashable, Sendable {
  /// The store is out of reach, or did not answer in time. Whether the call took effect is unknown.
  case unavailable(String)
  /// The answer of the store cannot be read.
  case unreadable(String)
  /// The key or the value is larger than the store accepts.
  case tooLarge(bytes: Int, limit: Int)
  /// The caller was cancelled.
  case cancelled
}
