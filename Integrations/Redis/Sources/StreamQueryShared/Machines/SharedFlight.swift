/// The number of a fetch that is under way.
struct FlightID: Hashable, Sendable {
  var rawValue: UInt64
}

/// A fetch of a shared key that is under way.
struct SharedFlight: Sendable {
  /// The value of ``SharedTable/messageNumber`` when the fetch began, or began again.
  var messageNumber: UInt64
  /// The value of ``SharedTable/epoch`` when the fetch began, or began again.
  var epoch: UInt64
  /// The version of the key's data when the fetch began.
  var before: SharedVersion?
  /// The position of the log after which the fetch waits for a message; `nil` if the fetch does not wait.
  var follows: SharedPosition?
}
