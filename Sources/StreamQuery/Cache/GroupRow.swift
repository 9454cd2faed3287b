/// The observers that one ``ObservationGroup`` reads together.
struct GroupRow: FreeRows.Row {
  /// A position of the group.
  struct Member: FreeRows.Row {
    /// `nil` if the position is free.
    var id: ObserverID?
    var nextFree: Int32 = -1
  }

  /// Set when the client has ended, or will soon.
  var isOver = false
  var members: [Member] = []
  private var freeMembers = FreeRows()
  /// The positions of members that have news since the last look.
  var changed: [Int32] = []
  /// Whoever waits for news of any member.
  var waiting: [SharedOneShot<Void>] = []
  var nextFree: Int32 = -1

  mutating func add(_ id: ObserverID) -> Int32 {
    freeMembers.store(Member(id: id), in: &members)
  }

  /// Frees a position.
  ///
  /// - Returns: Who had it; `nil` for positions that are not in use.
  mutating func remove(_ position: Int) -> ObserverID? {
    guard let id = member(at: position) else { return nil }
    members[position].id = nil
    freeMembers.put(position, in: &members)
    return id
  }

  /// The member at a position; `nil` for positions that are not in use.
  func member(at position: Int) -> ObserverID? {
    members.indices.contains(position) ? members[position].id : nil
  }
}
