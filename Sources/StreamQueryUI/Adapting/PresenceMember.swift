/// An object that observes only while a ``Presence`` around it allows that.
@MainActor
protocol PresenceMember: AnyObject {
  /// The view around it was shown or hidden.
  func presenceChanged()
}

extension PresenceMember {
  /// Moves the member to another presence.
  func move(from former: Presence?, to next: Presence?) {
    guard former !== next else { return }
    former?.scope?.remove(self)
    next?.scope?.add(self)
  }
}
