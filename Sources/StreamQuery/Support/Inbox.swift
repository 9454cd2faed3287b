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
