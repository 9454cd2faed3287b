// How frames are renewed.
//
// A frame is made when somebody first looks at the entry, and renewed in the same turn that changes
// the entry. That is what keeps law 3: nobody sees an older state after a newer one, because there
// is never a moment when an older one is still around. An entry that nobody looks at has no frame
// and pays nothing.
//
// Most turns change something that no consumer can see: a deadline, a counter of waiters, the cause
// of a fetch that was requested twice. Waking a thousand consumers to show them what they have
// already seen must never happen. So a renewal answers three questions, cheapest first:
//
// 1. Is the data different? Boxes never change, so the same object is the same data. If the data is
// different, the new frame is the state, and nothing of the old one is kept.
// 2. Does the new frame show the same? Then it keeps the old version, and nobody is woken. The mark
// of an invalidation is not part of any result, but filters read it from the frame, so the frame
// itself is still renewed.
// 3. Does it show the same as the frame before the last one? A fetch that starts and is cancelled
// at once restores the earlier state. A consumer that did not look in between has no news; one that
// did look has. So the slot keeps one more frame, and goes back to it with its version.
//
// The old frame is moved out of the slot before it is compared. Reading it in place would retain
// and release it, and all threads with consumers of this entry write to that reference count. What
// is released leaves with the turn: the data is a user's object, and its deinit must not run under
// the lock.
extension EntrySlot {
  /// The current state.
  @inline(__always)
  func makeFrame(version: UInt64) -> Frame {
    Frame(
      version: version,
      key: key,
      facts: machine.frameFacts,
      data: machine.hasData ? data : nil,
      error: machine.isError ? error : nil,
      failureReason: machine.failureCount > 0 ? failureReason : nil,
      paging: plan?.plan.paging,
      layered: shown
    )
  }

  /// Brings the frame in line with the entry, if anybody has looked at it yet.
  ///
  /// - Parameters:
  ///   - version: The version for a state that nobody has seen.
  ///   - turn: The turn.
  /// - Returns: Whether there is such a state, so that the version is used up.
  mutating func renewFrame(version: UInt64, _ turn: inout Turn) -> Bool {
    guard let old = frame.take() else { return false }
    let new = makeFrame(version: version)
    // Only for the same object: no earlier state is kept over other data.
    guard old.base === new.base else {
      turn.drop(previousFrame)
      previousFrame = nil
      turn.drop(old)
      frame = new
      return true
    }
    guard !new.showsTheSame(as: old) else {
      // The version stays, so that nobody is woken for a mark that no result shows: observers for
      // which the data becomes stale learn it from the flag.
      frame = new.isInvalidated == old.isInvalidated ? old : makeFrame(version: old.version)
      turn.drop(old)
      turn.drop(new)
      return false
    }
    let previous = previousFrame
    // Removed layers never come back, so a state with them is not kept.
    let isKept = old.layered == nil || old.layered === new.layered
    previousFrame = isKept ? old : nil
    if !isKept { turn.drop(old) }
    if let previous, previous.showsTheSame(as: new), previous.isInvalidated == new.isInvalidated {
      frame = previous
      turn.drop(new)
      return false
    }
    frame = new
    turn.drop(previous)
    return true
  }

  /// What filters, dynamic options and diagnostics see of the entry.
  @inline(__always)
  func info(_ frame: Frame, at now: Moment) -> QueryInfo? {
    guard let key else { return nil }
    return QueryInfo(
      key: key.key,
      observerCount: machine.observerCount,
      waiterCount: machine.waiterCount,
      isActive: machine.isActive,
      isDisabled: machine.isDisabled,
      isStatic: machine.isStatic,
      isStale: machine.isStale(at: now),
      meta: plan?.meta ?? QueryMeta(),
      age: machine.hasData
        ? .nanoseconds(max(0, now.nanoseconds - machine.dataUpdatedAt.moment.nanoseconds)) : nil,
      entryKey: key,
      frame: frame
    )
  }

  /// Forgets the states that nobody looks at any more.
  mutating func forgetFrames(_ turn: inout Turn) {
    guard frame != nil else { return }
    turn.drop(frame.take())
    turn.drop(previousFrame)
    previousFrame = nil
  }
}
