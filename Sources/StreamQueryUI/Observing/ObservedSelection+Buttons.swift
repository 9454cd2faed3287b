public import StreamQuery

// Commands that do not wait, for buttons: `Button("Reload", action: user.refetch)`. Where the
// caller is asynchronous, the compiler takes those that wait.
extension ObservedSelection {
  /// Fetches like the asynchronous ``refetch(superseding:)``, without waiting.
  public func refetch() { withoutWaiting { await $0.refetch() } }

  /// Invalidates without waiting.
  public func invalidate() { withoutWaiting { await $0.invalidate() } }

  /// Resets without waiting.
  public func reset() { withoutWaiting { await $0.reset() } }

  private func withoutWaiting(_ command: @escaping @MainActor (ObservedSelection) async -> Void) {
    // No executor preference: it runs on the main actor.
    Task { await command(self) }
  }
}

extension ObservedSelection where Stored: PageSequenceValue {
  /// Fetches the page after the last one, without waiting.
  public func fetchNextPage() { withoutWaiting { await $0.fetchNextPage() } }

  /// Fetches the page before the first one, without waiting.
  public func fetchPreviousPage() { withoutWaiting { await $0.fetchPreviousPage() } }
}
