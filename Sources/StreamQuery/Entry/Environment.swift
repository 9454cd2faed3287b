/// What each input tells the machine about the environment.
package struct Environment: Equatable, Sendable {
  /// The time of the transaction.
  package var now: Timestamp
  /// Whether the network is reachable, as far as is known.
  package var isOnline: Bool
  /// Whether the app or process is active.
  package var isActive: Bool
  /// Whether callers await the fetch or the run: what they await does not wait for the app.
  package var isAwaited = false

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - now: The time of the transaction.
  ///   - isOnline: Whether the network is reachable.
  ///   - isActive: Whether the app or process is active.
  package init(now: Timestamp, isOnline: Bool = true, isActive: Bool = true) {
    self.now = now
    self.isOnline = isOnline
    self.isActive = isActive
  }
}
