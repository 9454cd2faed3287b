/// An object that observes only while a ``Presence`` around it lets it.
@MainActor
protocol PresenceMember: AnyObject {
  /// The view around it is shown from now on, or hidden.
  func presenceChanged()
}

extension PresenceMember {
  /// Something else is around it from now on.
  func move(from former: Presence?, to next: Presence?) {
    guard former !== next else { return }
    former?.scope?.remove(self)
    next?.scope?.add(self)
  }
}
