/// The unread messages of one reader.
///
/// An inbox decides the order of messages, and which of them are kept or replaced.
protocol Inbox: Sendable {
  associatedtype Message: Sendable
  associatedtype Item: Sendable
  /// The type of the topics of messages; `Never` if every message is for all readers.
  associatedtype Topic: Hashable & Sendable = Never

  init()

  /// Takes a message, and returns the message that it displaces, which the caller releases outside the
  /// lock.
  mutating func receive(_ message: Message) -> Message?

  /// The next item, if there is one.
  mutating func takeNext() -> Item?

  /// Whether there is no item.
  var isEmpty: Bool { get }
}

/// A flag that tells a reader that the state may have changed.
///
/// The reader then reads the state itself, so it always gets the newest one.
struct NewsFlag<Topic: Hashable & Sendable>: Inbox {
  /// Initially `true`, because a reader has not read the state at the start of its subscription.
  private var hasNews = true

  var isEmpty: Bool { !hasNews }

  mutating func receive(_ message: Void) -> Void? {
    hasNews = true
    return nil
  }

  mutating func takeNext() -> Void? {
    defer { hasNews = false }
    return hasNews ? () : nil
  }
}

/// The states of an on-or-off source that one listener has not read yet.
///
/// The listener gets the present state first and then each change. While the listener does not read, at most
/// three states are kept: the one that it read last, the opposite, and the present one. So a slow reader
/// costs one small number, and never misses that the source went off and on again.
struct StateInbox: Inbox {
  private var present = false
  /// The number of unread states.
  ///
  /// Unread states alternate and end with the present one, so their number is enough to know all of them.
  private var unread = 0
  private var hasRead = false

  var isEmpty: Bool { unread == 0 }

  /// Takes a state that differs from the one before.
  ///
  /// A change beyond the limit and the change before it cancel each other out.
  mutating func receive(_ state: Bool) -> Bool? {
    present = state
    // Before the first read, the count includes the first state.
    let limit = hasRead ? 2 : 3
    unread += 1
    if unread > limit { unread -= 2 }
    return nil
  }

  mutating func takeNext() -> Bool? {
    guard unread > 0 else { return nil }
    let state = unread.isMultiple(of: 2) ? !present : present
    unread -= 1
    hasRead = true
    return state
  }
}
