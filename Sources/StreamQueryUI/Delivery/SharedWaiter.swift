/// An object that waits for the end of a turn, or for a second.
@MainActor
protocol SharedWaiter: AnyObject {
  /// The turn of the main actor in which it began to wait is over.
  func turnEnded()

  /// At least a second has passed since it began to wait, or since the last call.
  ///
  /// - Returns: Whether to wait for another second.
  func secondPassed() -> Bool
}
