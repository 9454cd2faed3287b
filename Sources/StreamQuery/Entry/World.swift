/// What the machine is told of the world with each input.
package struct World: Equatable, Sendable {
  /// The time of the turn.
  package var now: Timestamp
  /// Whether the network can be reached, as far as known.
  package var isOnline: Bool
  /// Whether the app or process is active.
  package var isActive: Bool

  /// Creates a world.
  ///
  /// - Parameters:
  ///   - now: The time of the turn.
  ///   - isOnline: Whether the network can be reached.
  ///   - isActive: Whether the app or process is active.
  package init(now: Timestamp, isOnline: Bool = true, isActive: Bool = true) {
    self.now = now
    self.isOnline = isOnline
    self.isActive = isActive
  }
}
