/// The observed objects in the content of a modifier, and the rule for when they observe.
///
/// A modifier that only names what a property wrapper observes has no scope.
@MainActor
final class PresenceScope {
  private struct Member {
    weak var object: (any PresenceMember)?
  }

  /// The rule for when the members may observe.
  var period = ObservationPeriod.always
  /// The environment in which the modifier was last drawn.
  var around = QueryEnvironment()
  /// Whether the modifier has been drawn since it was hidden.
  var wasDrawnHidden = false
  /// The members, in the order in which they were added; they are not retained.
  private var members: [Member] = []
  /// The number of members at which `add` removes released ones.
  private var limit = 8

  /// Adds a member, which is told when the content is shown or hidden.
  func add(_ member: any PresenceMember) {
    if members.count >= limit {
      members.removeAll { $0.object == nil }
      limit = max(8, 2 * members.count)
    }
    members.append(Member(object: member))
  }

  func remove(_ member: any PresenceMember) {
    members.removeAll { $0.object === member || $0.object == nil }
  }

  /// Tells the members to check whether they may observe.
  func tell() {
    // A member may add others during this loop, which goes over the former array.
    for member in members { member.object?.presenceChanged() }
  }

  /// The number of members, released ones included.
  var memberCount: Int { members.count }
}
