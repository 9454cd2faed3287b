/// Whether a number may have changed: the subscriber does the counting, so the newest always wins.
struct NewsFlag<Topic: Hashable & Sendable>: BroadcasterInbox {
  /// Each subscription begins with news: the number at its start.
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
