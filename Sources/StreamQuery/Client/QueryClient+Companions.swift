extension QueryClient {
  /// A fetch among the client's companions, the first of them outermost.
  ///
  /// Never inlined: the task of each fetch would make room for it.
  @inline(never)
  nonisolated func accompanied(_ fetch: @escaping QueryDefinition.Fetch) -> QueryDefinition.Fetch {
    companions.reversed().reduce(fetch) { inner, companion in
      { context in try await companion.attempt(context) { try await inner(context) } }
    }
  }

  /// Tells the companions of a caller that begins to wait, unless it was answered meanwhile.
  @inline(never)
  nonisolated func tellCompanions(of waiter: Waiter, for key: EntryKey) {
    guard let wait = cache.read({ $0.wait(of: waiter, for: key) }) else { return }
    for companion in companions { companion.callerWaits(wait) }
  }
}
