/// An object that waits for the end of a turn, or for a second to pass.
@MainActor
protocol SharedWaiter: AnyObject {
  /// The turn of the main actor in which it asked for this is over.
  func turnEnded()

  /// At least a second has passed since it asked for this, or since it was told last.
  ///
  /// - Returns: Whether another second has to pass.
  func secondPassed() -> Bool
}
