// No task waits for a single member of a group. The transaction that changes a member adds it to the group's
// list of changed members, and wakes the readers of the group. So a reader sees whole transactions, and takes
// the lock once, however many members have changed.
//
// A reader takes the changed members only, or reads the group as a whole: it takes the states of all members
// when any of them has changed.
extension CacheState {
  /// Makes a group.
  ///
  /// - Returns: Its number.
  mutating func makeGroup() -> Int32 {
    groups.makeGroup()
  }

  /// Ends a group, and frees its number.
  mutating func disband(_ group: Int32) {
    for position in groups[group].members.indices {
      removeMember(group, Int32(truncatingIfNeeded: position))
    }
    groups.free(group)
  }

  /// Adds an observer to a group.
  ///
  /// - Returns: The present state for the observer; later changes count as news.
  mutating func addMember(_ group: Int32, _ id: ObserverID) -> ObservationChange {
    let position = groups[group].add(id)
    let seen = find(id).map { index in
      observers[index].waits(at: MemberPosition(position, in: group))
      return seenSnapshot(index)
    }
    return ObservationChange(position: Int(position), id: id, seen: seen)
  }

  /// Removes an observer from a group; a second call does nothing.
  mutating func removeMember(_ group: Int32, _ position: Int32) {
    guard let id = groups[group].remove(Int(position)), let index = find(id) else { return }
    let position = MemberPosition(position, in: group)
    observers[index].alsoSuspended.removeAll { $0.isMember(at: position) }
    if observers[index].suspended?.isMember(at: position) == true {
      observers[index].suspended = observers[index].alsoSuspended.popLast()
    }
  }

  /// Adds a member with news to the changed members of its group, and wakes the readers of the group.
  mutating func memberChanged(_ position: MemberPosition) {
    let group = position.group
    groups[group].changed.append(position.position)
    guard !groups[group].waiting.isEmpty else { return }
    for wait in groups[group].waiting.takeAll() { actionQueue.enqueue(.reached(wait)) }
  }

  /// Marks a group as ended: its members will have no more news.
  ///
  /// - Returns: The waits for news of the group, to be ended outside the lock.
  mutating func endGroup(_ group: Int32) -> [SharedOneShot<Void>] {
    groups[group].reading = .over
    return groups[group].waiting.takeAll()
  }

  /// Whether the members of a group will have no more news.
  func isOver(_ group: Int32) -> Bool {
    if case .over = groups[group].reading { true } else { false }
  }

  /// The newest snapshot of each member that has changed since the last call.
  ///
  /// If no member has changed, the result is empty, and the next change ends `wait`. `nil` if no change will
  /// come.
  mutating func takeChanges(
    of group: Int32,
    orSuspend wait: SharedOneShot<Void>
  ) -> [ObservationChange]? {
    let changes = takeChanges(of: group)
    guard changes.isEmpty else { return changes }
    if isOver(group) { return nil }
    groups[group].suspend(wait)
    return []
  }

  /// The newest snapshot of each member that has changed since the last call.
  mutating func takeChanges(of group: Int32) -> [ObservationChange] {
    guard !groups[group].changed.isEmpty else { return [] }
    let changed = groups[group].changed.takeAll()
    var changes: [ObservationChange] = []
    changes.reserveCapacity(changed.count)
    for position in changed {
      // A member that was removed after a change is skipped.
      guard let id = groups[group].member(at: Int(position)) else { continue }
      guard let index = find(id) else {
        changes.append(ObservationChange(position: Int(position), id: id, seen: nil))
        continue
      }
      // There may be no news, because another member had this position when the news was recorded.
      let place = MemberPosition(position, in: group)
      guard let seen = pollSnapshot(index, waitingAt: place) else { continue }
      changes.append(ObservationChange(position: Int(position), id: id, seen: seen))
    }
    return changes
  }

  // MARK: As a whole

  /// Replaces the members of a group; from now on the group is read as a whole.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - ids: The members, in their order.
  ///   - isDue: Whether the group counts as changed even if no member has news.
  /// - Returns: The waits for news of the group, to be ended outside the lock.
  mutating func replaceMembers(
    of group: Int32,
    by ids: [ObserverID],
    isDue: Bool
  ) -> [SharedOneShot<Void>] {
    if isOver(group) { return [] }
    for position in groups[group].members.indices {
      removeMember(group, Int32(truncatingIfNeeded: position))
    }
    let waiting = groups[group].waiting
    groups[group] = GroupRow()
    groups[group].reading = .whole(isDue: isDue)
    // All members count as changed, so that the next poll finds those whose news has not been seen.
    for id in ids { groups[group].changed.append(groups[group].add(id)) }
    return waiting
  }

  /// The present states for all members of a group, if any of them has news or the members were replaced.
  mutating func poll(
    group: Int32
  ) -> Poll<[(snapshot: EntrySnapshot, flags: QueryFlags)]> {
    guard case .whole(var hasNews) = groups[group].reading else { return .over }
    for position in groups[group].changed.takeAll() {
      guard let id = groups[group].member(at: Int(position)), let index = find(id) else {
        return end(group)
      }
      let place = MemberPosition(position, in: group)
      if pollSnapshot(index, waitingAt: place) != nil { hasNews = true }
    }
    guard hasNews else { return .nothing }
    groups[group].reading = .whole(isDue: false)
    var results: [(snapshot: EntrySnapshot, flags: QueryFlags)] = []
    results.reserveCapacity(groups[group].members.count)
    for member in groups[group].members {
      guard let id = member.id, let index = find(id) else { return end(group) }
      results.append(seenSnapshot(index))
    }
    return .news(results)
  }

  /// Ends a group because the observer of a member has ended.
  ///
  /// Later polls return `.over` too.
  private mutating func end<Result>(_ group: Int32) -> Poll<Result> {
    groups[group].reading = .over
    return .over
  }

  /// Suspends a reader of a group that is read as a whole until there is news.
  ///
  /// The reader is not suspended if there is news already, if the group has ended, or if the wait would never
  /// end.
  mutating func park(group: Int32, _ wait: SharedOneShot<Void>) -> SuspendDecision {
    guard case .whole(isDue: false) = groups[group].reading,
      groups[group].changed.isEmpty
    else { return .news }
    for member in groups[group].members {
      guard let id = member.id, let index = find(id) else { continue }
      if let own = ownFetch(of: Int(observers[index].entry)) { return .ownFetch(own) }
    }
    groups[group].suspend(wait)
    return .suspended
  }

  /// The present state for an observer; from now on the state counts as seen.
  private mutating func seenSnapshot(
    _ observer: Int
  ) -> (snapshot: EntrySnapshot, flags: QueryFlags) {
    let (snapshot, flags) = shownSnapshot(observer)
    _ = observers[observer].saw(snapshot.version, flags)
    return (snapshot, flags)
  }
}

/// The groups of observers that are read together, by the numbers of their `ObservationGroup`.
struct GroupTable {
  private var rows: [GroupRow] = []
  private var free = FreeRows()

  /// A group, in place.
  subscript(group: Int32) -> GroupRow {
    @inline(__always) get { rows[Int(group)] }
    @inline(__always) _modify { yield &rows[Int(group)] }
  }

  mutating func makeGroup() -> Int32 { free.store(GroupRow(), in: &rows) }

  mutating func free(_ group: Int32) {
    rows[Int(group)] = GroupRow()
    free.put(Int(group), in: &rows)
  }
}

/// The observers that one `ObservationGroup` reads together.
struct GroupRow: FreeRows.Row {
  /// A position of the group.
  ///
  /// A position takes only eight bytes, because there are as many positions as observers.
  struct Member: FreeRows.Row {
    private var index: Int32
    /// The generation of the observer; for a free position, the position that was freed before it.
    private var number: UInt32

    /// The ``index`` of a position without an observer.
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

  enum Reading {
    case byChanges
    /// The reader takes the states of all members when one has news; at once if `isDue`.
    case whole(isDue: Bool)
    /// Nothing more comes: the client has ended, or will soon, or the observation was cancelled.
    case over
  }

  var reading = Reading.byChanges
  var members: [Member] = []
  private var freeMembers = FreeRows()
  /// The positions of members that have news since the group was last read.
  var changed: [Int32] = []
  /// The waits for news of any member.
  var waiting: [SharedOneShot<Void>] = []
  var nextFree: Int32 = -1

  var isReadAsWhole: Bool { if case .whole = reading { true } else { false } }

  mutating func suspend(_ wait: SharedOneShot<Void>) {
    waiting.removeAll(where: \.isSettled)
    waiting.append(wait)
  }

  mutating func add(_ id: ObserverID) -> Int32 {
    freeMembers.store(Member(id), in: &members)
  }

  /// Frees a position.
  ///
  /// - Returns: The former member; `nil` for positions that are not in use.
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

/// The newest snapshot of one member of an `ObservationGroup`.
@_spi(Adapters) public struct ObservationChange: Sendable {
  /// The position of the member in its group.
  public let position: Int

  let id: ObserverID
  /// The newest snapshot and flags; `nil` if the observation has ended.
  let seen: (snapshot: EntrySnapshot, flags: QueryFlags)?

  /// Whether the observation has ended, for example by a shutdown of the client.
  ///
  /// The position stays in use until it is removed.
  public var isOver: Bool { seen == nil }
}
