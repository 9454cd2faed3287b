/// An error of a call that an observed object cannot perform, because the object is used wrongly.
public enum ObservationError: Error, Hashable, Sendable {
  /// The object has no client, because it was not started, or was stopped.
  case noClient
}
