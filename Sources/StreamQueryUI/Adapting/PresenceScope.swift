/// The members inside a modifier, and when they observe; views that are only attached have none.
@MainActor
final class PresenceScope {
  private struct Member {
    weak var object: (any PresenceMember)?
  }

  /// When it lets observe.
  var period = ObservationPeriod.always
  /// The surroundings of the modifier, as it was drawn last.
  var around = Surroundings()
  /// Whether the modifier was drawn as one that is hidden.
  var wasDrawnHidden = false
  /// The members, in the order in which they came; not retained.
  private var members: [Member] = []
  /// The number of members at which those that are gone leave.
  private var limit = 8

  /// Adds what is to be told of changes.
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

  /// Tells the members that they may observe from now on, or may not.
  func tell() {
    // A member may add others meanwhile.
    for member in members { member.object?.presenceChanged() }
  }

  /// How many members it remembers, gone or not.
  var memberCount: Int { members.count }
}
