/// An object that observes only while a ``Presence`` around it allows that.
@MainActor
protocol PresenceMember: AnyObject {
  /// Notes that the content around this object was shown or hidden.
  func presenceChanged()
}

extension PresenceMember {
  /// Makes another presence decide whether this member may observe.
  func move(from former: Presence?, to next: Presence?) {
    guard former !== next else { return }
    former?.scope?.remove(self)
    next?.scope?.add(self)
  }
}
