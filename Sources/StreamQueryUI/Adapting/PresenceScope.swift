/// The observed objects inside a modifier, and when they may observe.
///
/// A modifier that only attaches a property wrapper has none.
@MainActor
final class PresenceScope {
  private struct Member {
    weak var object: (any PresenceMember)?
  }

  /// When its members may observe.
  var period = ObservationPeriod.always
  /// The surroundings of the modifier, as last drawn.
  var around = QueryEnvironment()
  /// Whether the modifier was drawn while it was hidden.
  var wasDrawnHidden = false
  /// The members in the order in which they came; they are not retained.
  private var members: [Member] = []
  /// The number of members at which released ones are removed.
  private var limit = 8

  /// Adds a member that hears of changes.
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
    // A member may add others during this loop.
    for member in members { member.object?.presenceChanged() }
  }

  /// The number of members, released ones included.
  var memberCount: Int { members.count }
}
