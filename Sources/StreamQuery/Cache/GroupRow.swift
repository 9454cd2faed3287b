/// The observers that one ``ObservationGroup`` reads together.
struct GroupRow: FreeRows.Row {
  /// A position of the group.
  ///
  /// One word: there are as many positions as observers.
  struct Member: FreeRows.Row {
    private var index: Int32
    /// The generation of the observer, or the position that was freed before this one.
    private var number: UInt32

    /// Of no observer: those that never began have -1.
    private static let free = Int32.min

    init(_ id: ObserverID) { (index, number) = (id.index, id.generation) }

    /// `nil` if the position is free.
    var id: ObserverID? {
      index == Self.free ? nil : ObserverID(index: index, generation: number)
    }

    static var sparesRoom: Bool { true }

    var nextFree: Int32 {
      get { Int32(bitPattern: number) }
      set { (index, number) = (Self.free, UInt32(bitPattern: newValue)) }
    }
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
    freeMembers.store(Member(id), in: &members)
  }

  /// Frees a position.
  ///
  /// - Returns: Who had it; `nil` for positions that are not in use.
  mutating func remove(_ position: Int) -> ObserverID? {
    guard let id = member(at: position) else { return nil }
    freeMembers.put(position, in: &members)
    return id
  }

  /// The member at a position; `nil` for positions that are not in use.
  func member(at position: Int) -> ObserverID? {
    members.indices.contains(position) ? members[position].id : nil
  }
}
