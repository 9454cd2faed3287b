/// What one subscriber of a hub has not seen yet.
protocol HubInbox: Sendable {
  associatedtype Message: Sendable
  associatedtype Item: Sendable
  /// What messages can be about; `Never` if all are for everybody.
  associatedtype Topic: Hashable & Sendable

  init()

  /// Takes a message; what has to make room for it is handed out, to be released outside the lock.
  mutating func receive(_ message: Message) -> Message?

  /// The next item, if there is one.
  mutating func take() -> Item?

  /// Whether there is none.
  var isEmpty: Bool { get }
}
