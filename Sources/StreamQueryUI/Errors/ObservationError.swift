/// A mistake in the use of an observed object, as the error of a call.
public enum ObservationError: Error, Hashable, Sendable {
  /// The object has no client, because it was not started, or was stopped.
  case noClient
}
