/// The fetch that a task belongs to, as far as the task inherited it.
///
/// What such a task waits for, its fetch waits for: circles of fetches that wait for each other are
/// found by it, and refused rather than waited for (``QueryError/recursiveFetch(key:)``).
struct RunningFetch: Sendable {
  /// Whose fetch it is: entries of two clients may have the same identifier.
  let cache: ObjectIdentifier
  let entry: EntryID
  let id: FetchID

  @TaskLocal static var current: RunningFetch?
}

extension CacheState {
  /// Whether the fetch of an entry waits, directly or through others, for the caller's own.
  ///
  /// - Complexity: O(*n*) in the fetches that wait for others.
  func waitsForCaller(_ index: Int, _ turn: Turn) -> Bool {
    guard let caller = fetch(of: turn) else { return false }
    var open = [index]
    var seen = Set(open)
    while let entry = open.popLast() {
      if entry == caller { return true }
      for id in slots[entry].awaits {
        if let next = find(id), seen.insert(next).inserted { open.append(next) }
      }
    }
    return false
  }

  /// The entry whose current fetch the turn's caller belongs to; a task that outlived its fetch
  /// belongs to none.
  func fetch(of turn: Turn) -> Int? {
    guard let caller = turn.caller, let index = find(caller.entry),
      slots[index].machine.current?.id == caller.id
    else { return nil }
    return index
  }

  mutating func forgetWait(of waiter: Waiter) {
    guard let caller = waiter.caller.flatMap(find),
      let position = slots[caller].awaits.firstIndex(of: waiter.entry)
    else { return }
    slots[caller].awaits.remove(at: position)
  }
}
