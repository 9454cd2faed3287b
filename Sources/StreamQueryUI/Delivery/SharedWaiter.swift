/// An object that waits for the end of a turn of the main actor, or for a second.
@MainActor
protocol SharedWaiter: AnyObject {
  /// Called at the end of the turn in which the wait began.
  func turnEnded()

  /// Called when at least a second has passed since the wait began, or since the last call.
  ///
  /// - Returns: Whether the object waits for another second.
  func secondPassed() -> Bool
}
