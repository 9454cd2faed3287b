public import StreamQuery

extension QueryClient.Configuration {
  /// The part that the client uses in each store; ``StorePartition/main`` by default.
  ///
  /// ``QueryAccounts`` sets a part for each account.
  public var partition: StorePartition {
    get { keeping[StorePartition.self] ?? .main }
    set { keeping[StorePartition.self] = newValue }
  }

  /// The default policy for saving the data of queries in a store; `nil`, the default, saves nothing.
  ///
  /// Values that are not `Codable`, and keys without a ``/StreamQuery/AnyQueryKey/canonicalText()``, are
  /// omitted.
  public var persistence: Persistence? {
    get { (keeping.policy as? QueryPersistence)?.settings }
    set { keeping.policy = newValue.map { QueryPersistence($0) } }
  }
}

nonisolated extension QueryClient {
  /// Whether queries wait for the store of the client's ``Configuration/persistence`` to be read.
  ///
  /// Meanwhile streams are pending and idle, and callers of
  /// ``/StreamQuery/QueryClient/fetch(_:timeout:throwOnError:)`` wait. They wait no longer once a read has
  /// failed, or ``Persistence/restoreTimeout`` has passed.
  public nonisolated var isRestoring: Bool {
    guard let policy = configuration.keeping.policy else { return false }
    return persister?.isRestoring(policy) ?? false
  }

  /// Waits until the client's store and its outbox have been read, which begins when the client is created.
  ///
  /// Values are decoded later, at their first use. Without ``Configuration/persistence`` only the outbox is
  /// awaited.
  ///
  /// If the store cannot be read, the call throws, and the client works without the store. An error may pass,
  /// such as ``QueryStoreError/denied`` while the device is locked. The store and the outbox are then read
  /// again in the background after pauses, and at once when the app becomes active. Another call of this
  /// method also reads the store of queries again.
  ///
  /// If a store is not read within its timeout, the call throws, and the read goes on. Until the read has
  /// ended, later calls throw the same error at once: to wait longer, set a longer timeout.
  ///
  /// - Throws: The ``QueryStoreError`` with which the store could not be read, otherwise the error of the
  ///   outbox. After ``Persistence/restoreTimeout``, the error is ``QueryStoreError/failed(_:)`` with
  ///   ``SavedValueError/slowStore``; for an outbox, it is ``OutboxError/slowStore`` after
  ///   ``OutboxConfiguration/restoreTimeout``. `CancellationError` if the caller is cancelled.
  public nonisolated func restore() async throws {
    var problem: (any Error)?
    if let durableRuns {
      problem = await durableRuns.waitUntilRestored()
      try Task.checkCancellation()
    }
    try await restoreEntries()
    if let problem { throw problem }
  }

  private func restoreEntries() async throws {
    guard let policy = configuration.keeping.policy as? QueryPersistence,
      let persister = self.persister(for: policy) as? StorePersister
    else { return }
    if persister.isFailing(policy) {
      await persister.retryLoad(policy)
    } else {
      await persister.waitUntilRestored(policy, within: .infinite, orUntil: SharedOneShot())
    }
    try Task.checkCancellation()
    if let error = persister.failure(of: policy) { throw error }
  }

  /// Writes all changes to the stores and the outbox now, without waiting for ``Persistence/throttle``.
  ///
  /// Call it before the process ends or is suspended. All stores are written at the same time: a
  /// slow or failing store delays no other, only the end of this call. The call waits without a limit while a
  /// store writes; cancel the caller to wait no longer.
  ///
  /// - Throws: ``QuerySaveError``, which names the stores that failed; changes that could not be written are
  ///   written again later. The ``QueryStoreError`` of the outbox, if only that failed. `CancellationError`
  ///   as soon as the caller is cancelled; the changes are written nevertheless.
  public nonisolated func save() async throws {
    await actionsPerformed()
    let persister = self.persister as? StorePersister
    // The saves of queries are begun before the outbox is awaited, so that neither waits for the other.
    let saves = persister?.beginSave() ?? []
    var problem: (any Error)?
    if let durableRuns {
      problem = await durableRuns.save()
      try Task.checkCancellation()
    }
    let failures = await persister?.finish(saves) ?? []
    try Task.checkCancellation()
    if !failures.isEmpty { throw QuerySaveError(failures: failures) }
    if let problem { throw problem }
  }
}
