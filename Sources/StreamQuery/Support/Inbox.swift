/// What one reader has not read yet: it decides on order, buffering and conflation.
protocol Inbox: Sendable {
  associatedtype Message: Sendable
  associatedtype Item: Sendable
  /// The type of the topics of messages; `Never` if all messages are for every reader.
  associatedtype Topic: Hashable & Sendable = Never

  init()

  /// Takes a message; returns what it displaces, to be released outside the lock.
  mutating func receive(_ message: Message) -> Message?

  /// The next item, if there is one.
  mutating func take() -> Item?

  /// Whether there is no item.
  var isEmpty: Bool { get }
}

/// Whether something may have changed: the reader looks for itself, so the newest always wins.
struct NewsFlag<Topic: Hashable & Sendable>: Inbox {
  /// Each subscription begins with news: the state at its start.
  private var hasNews = true

  var isEmpty: Bool { !hasNews }

  mutating func receive(_ message: Void) -> Void? {
    hasNews = true
    return nil
  }

  mutating func take() -> Void? {
    defer { hasNews = false }
    return hasNews ? () : nil
  }
}

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
