/// A mistake in the use of an observed object.
public enum ObservationError: Error, Hashable, Sendable {
  /// The object has no client: it was not started, or was stopped.
  case noClient
}
