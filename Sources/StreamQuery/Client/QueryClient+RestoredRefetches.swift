// Refetches that are asked for while a store is read: the observers that wait for the store fetch
// nothing before, but what was asked of them is not forgotten.

extension QueryClient {
  /// Refetches entries as soon as it is known what their stores keep.
  ///
  /// A fetch that begins then by itself is joined: it is newer than the call.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - cause: Why.
  ///   - group: Where a caller waits for the refetches; `nil` if none does.
  nonisolated func refetch(
    onceRestored entries: [RestoringEntry],
    _ cause: FetchCause,
    _ group: WaitGroup?
  ) {
    for entry in entries {
      group?.addOther()
      // No caller waits in it, and one that is cancelled leaves the refetch alone.
      _ = Task.detached(executorPreference: configuration.executor) {
        [weak self, storeOf = store(of: entry)] in
        await storeOf?()
        self?.transaction { state, transaction in
          state.refetch(onceRestored: entry.id, cause, group, &transaction)
        }
        group?.resolve(.settled)
      }
    }
  }

  /// Waits for the stores of entries that match a filter and wait for them, and places what they keep: the
  /// observers may not have it yet.
  nonisolated func storesRead(of filter: QueryFilter) async {
    guard persisters.persister != nil else { return }
    let found = search(filter) { state, index, _ in
      state.restoring(index).map { (entry: $0, key: state.slots[index].key) }
    }
    for finding in found where !Task.isCancelled {
      guard let (entry, key) = finding.item, let wait = store(of: entry) else { continue }
      await wait()
      if let key { _ = restoring(key, entry.query.resolved.definition) }
    }
  }

  /// How to wait for the store of an entry, without keeping the client.
  nonisolated func store(of entry: RestoringEntry) -> (@Sendable () async -> Void)? {
    guard let policy = entry.query.resolved.persistence,
      let persister = persisters.persister(for: policy)
    else { return nil }
    return { await persister.waitUntilRestored(policy, within: .infinite) }
  }
}
