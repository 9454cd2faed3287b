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
