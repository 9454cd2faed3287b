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

/// A change of the network or the app.
enum EnvironmentTransition: Equatable {
  /// One of them went away: fetches and runs pause when they come to their next attempt.
  case away
  /// The network is back or the app is active again: the willing refetch.
  case back(FetchCause)

  /// What changed from one environment to the next; `nil` if nothing did.
  init?(from old: Environment, to new: Environment) {
    if new.isOnline, !old.isOnline {
      self = .back(.reconnect)
    } else if new.isActive, !old.isActive {
      self = .back(.active)
    } else if new.isOnline != old.isOnline || new.isActive != old.isActive {
      self = .away
    } else {
      return nil
    }
  }
}
