public import StreamQuery

// Commands that do not wait, for buttons: `Button("Reload", action: user.refetch)`. Where the
// caller is asynchronous, the compiler takes those that wait.
extension ObservedSelection {
  /// Fetches like the asynchronous ``refetch(superseding:)``, without waiting.
  public func refetch() {
    // No executor preference: it runs on the main actor.
    Task { await refetch(superseding: true) }
  }
}

extension ObservedSelection where Stored: PageSequenceValue {
  /// Fetches the page after the last one, without waiting.
  public func fetchNextPage() { page { await $0.fetchNextPage() } }

  /// Fetches the page before the first one, without waiting.
  public func fetchPreviousPage() { page { await $0.fetchPreviousPage() } }

  private func page(_ fetch: @escaping @MainActor (ObservedSelection) async -> Void) {
    Task { await fetch(self) }
  }
}
