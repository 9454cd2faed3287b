/// The states of an on-or-off source that one listener has not read.
///
/// It gets the present state first and then each change, conflated: while it does not read, at most
/// three states are kept for it: the one that it read last, one excursion from it, and the present
/// one. So a slow reader costs one small number, yet "it went away and came back" is never lost.
struct StateInbox: Inbox {
  private var present = false
  /// States alternate and the last one is the present one, so the count determines all of them.
  private var unread = 0
  private var hasRead = false

  var isEmpty: Bool { unread == 0 }

  /// Takes a state that differs from the one before.
  ///
  /// A change beyond the limit cancels out with the one before it.
  mutating func receive(_ state: Bool) -> Bool? {
    present = state
    // Before the first read the first state is part of the count.
    let limit = hasRead ? 2 : 3
    unread += 1
    if unread > limit { unread -= 2 }
    return nil
  }

  mutating func take() -> Bool? {
    guard unread > 0 else { return nil }
    let state = unread.isMultiple(of: 2) ? !present : present
    unread -= 1
    hasRead = true
    return state
  }
}
