/// The number of a fetch that is under way.
struct FlightID: Hashable, Sendable {
  var rawValue: UInt64
}

/// A fetch of a shared key that is under way.
struct SharedFlight: Sendable {
  /// The sequence number of the last message that was seen when it began, or began again.
  var messageNumber: UInt64
  /// The number of times that the peer had forgotten everything when the fetch began.
  var epoch: UInt64
  /// The version of the data when it began.
  var before: SharedVersion?
  /// The position of the log after which it waits for news; `nil` if it does not wait.
  var follows: SharedPosition?
}
