/// The environment of an input: the time, the network and the app.
package struct Environment: Equatable, Sendable {
  /// The time of the transaction.
  package var now: Timestamp
  /// Whether the network is reachable, as far as is known.
  package var isOnline: Bool
  /// Whether the app or process is active, or counts as active because callers await the fetch or run.
  package var isActive: Bool

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
  /// The network was lost or the app became inactive: fetches and runs pause before the next attempt.
  case away
  /// The network is back or the app is active again: observers that ask for it refetch.
  case back(FetchCause)

  /// Makes the transition between two environments; `nil` if nothing changed.
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
