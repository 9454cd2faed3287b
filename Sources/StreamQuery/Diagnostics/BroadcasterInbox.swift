/// What one subscriber of a hub has not seen yet.
protocol BroadcasterInbox: Sendable {
  associatedtype Message: Sendable
  associatedtype Item: Sendable
  /// The type of the topics of messages; `Never` if all messages are for every subscriber.
  associatedtype Topic: Hashable & Sendable

  init()

  /// Takes a message; returns what it displaces, to be released outside the lock.
  mutating func receive(_ message: Message) -> Message?

  /// The next item, if there is one.
  mutating func take() -> Item?

  /// Whether there is no item.
  var isEmpty: Bool { get }
}
