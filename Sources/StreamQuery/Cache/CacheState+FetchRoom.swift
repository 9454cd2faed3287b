// Where only so many fetches may run at a time, an attempt begins when there is room for it.
//
// Room is taken from the beginning of an attempt to its answer, or to its first part: what shows
// parts as they come is a connection from then on, and no request. A fetch that is cancelled makes
// room at once. So does one that waits for other work, or observes, or else two fetches might wait
// for each other's room. In between attempts, or offline, a fetch needs none.
extension CacheState {
  /// Runs an attempt of an entry's fetch, as soon as there is room.
  mutating func begin(_ job: FetchJob, _ index: Int, _ transaction: inout Transaction) {
    let begins = fetchRoom == nil || enterRoom(job, urgency(of: index))
    if begins { outbox.append(.start(job, attempt: slots[index].machine.failureCount)) }
    // Whoever makes room begins it later, but in the context of this caller.
    if !begins || othersPerform { transaction.standBy(job.tasks) }
  }

  private mutating func enterRoom(_ job: FetchJob, _ urgency: FetchUrgency) -> Bool {
    fetchRoom?.enter(job.name, urgency) == true
  }

  /// An attempt runs no longer, or shall not run.
  @inline(__always)
  mutating func leaveRoom(_ job: FetchJob?) {
    if fetchRoom != nil, let job { fetchRoom?.leave(job.name) }
  }

  /// The fetch that a call was made from waits for something.
  @inline(__always)
  mutating func leaveRoom(of caller: TaskChain?) {
    if fetchRoom != nil, let caller { leaveRoom(of: caller) }
  }

  private mutating func leaveRoom(of caller: TaskChain) {
    guard case .fetch(id, let entry) = caller.work, let index = find(entry),
      let job = slots[index].job, job.tasks === caller
    else { return }
    fetchRoom?.leave(job.name)
    fillRoom()
  }

  /// Looks after the room when something has happened to an entry.
  mutating func tendRoom(_ index: Int) {
    if let job = slots[index].job {
      let urgency = urgency(of: index)
      fetchRoom?.raise(job.name, to: urgency)
    }
    fillRoom()
  }

  private mutating func fillRoom() {
    guard !isShutDown, var room = fetchRoom.take() else { return }
    while let name = room.next(urgency: { urgency($0) }), let index = find(name.entry),
      let job = slots[index].job
    {
      outbox.append(.start(job, attempt: slots[index].machine.failureCount))
    }
    fetchRoom = room
  }

  private func urgency(_ name: FetchJob.Name) -> FetchUrgency? {
    guard let index = find(name.entry), slots[index].job?.id == name.id else { return nil }
    return urgency(of: index)
  }

  /// What is on a screen comes first; otherwise those that wait say how urgent it is.
  private func urgency(of index: Int) -> FetchUrgency {
    if slots[index].machine.isActive { return .high }
    return Waiter.priority(of: slots[index].waiters).map(FetchUrgency.init) ?? .background
  }
}
