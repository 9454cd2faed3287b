public import StreamQuery

extension QueryClient.Configuration {
  /// The part of each store that is the client's; ``StorePartition/main`` by default.
  ///
  /// ``QueryAccounts`` gives each account a part of its own.
  public var partition: StorePartition {
    get { keeping[StorePartition.self] ?? .main }
    set { keeping[StorePartition.self] = newValue }
  }

  /// Where the data of all queries is kept beyond the process, unless they say otherwise; `nil`,
  /// the default, keeps nothing.
  ///
  /// Values that are not `Codable`, and keys without a
  /// ``/StreamQuery/AnyQueryKey/canonicalText()``, are left out.
  public var persistence: Persistence? {
    get { (keeping.policy as? QueryPersistence)?.settings }
    set { keeping.policy = newValue.map { QueryPersistence($0) } }
  }
}

extension QueryClient {
  /// Whether it is not known yet what the client's store keeps.
  ///
  /// Until then streams are pending and idle, and callers of
  /// ``/StreamQuery/QueryClient/fetch(_:timeout:throwOnError:)`` wait.
  public nonisolated var isRestoring: Bool {
    guard let policy = configuration.keeping.policy else { return false }
    return persister?.isRestoring(policy) ?? false
  }

  /// Waits until the client's store, and its outbox, have been read; this begins when the client is made.
  ///
  /// Values are decoded at their first use. Without ``Configuration/persistence`` there is nothing
  /// to wait for.
  ///
  /// - Throws: The ``QueryStoreError`` with which the store could not be read: the client then works
  ///   without it. That of an outbox is thrown last; it is tried again after pauses of its own. What may pass, such as ``QueryStoreError/denied`` while
  ///   the device is locked, is read again in the background, and at once when the app becomes active and, for the store
  ///   of queries, by another call of this method. `CancellationError` if the caller is cancelled.
  public nonisolated func restore() async throws {
    var problem: (any Error)?
    if let keeper {
      problem = await keeper.waitUntilRestored()
      try Task.checkCancellation()
    }
    try await restoreEntries()
    if let problem { throw problem }
  }

  private nonisolated func restoreEntries() async throws {
    guard let policy = configuration.keeping.policy as? QueryPersistence,
      let persister = self.persister(for: policy) as? StorePersister
    else { return }
    if persister.isFailing(policy) {
      await persister.readAgain(policy)
    } else {
      await persister.waitUntilRestored(policy, within: .infinite)
    }
    try Task.checkCancellation()
    if let error = persister.failure(of: policy) { throw error }
  }

  /// Writes what has changed to the stores and the outbox now, instead of at the next opportunity.
  ///
  /// Call it before the process ends or is suspended. All stores are written at the same time: one
  /// that is slow or fails delays no other, only the end of this call.
  ///
  /// - Throws: ``QuerySaveError``, which names the stores that failed; what could not be written is
  ///   tried again later. The ``QueryStoreError`` of the outbox, if only that failed.
  ///   `CancellationError` as soon as the caller is cancelled; the changes are written nevertheless.
  public nonisolated func save() async throws {
    await actionsPerformed()
    let persister = self.persister as? StorePersister
    // Before the outbox: none waits for the other.
    let saves = persister?.beginSave() ?? []
    var problem: (any Error)?
    if let keeper {
      problem = await keeper.save()
      try Task.checkCancellation()
    }
    let failures = await persister?.finish(saves) ?? []
    try Task.checkCancellation()
    if !failures.isEmpty { throw QuerySaveError(failures: failures) }
    if let problem { throw problem }
  }
}
