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
