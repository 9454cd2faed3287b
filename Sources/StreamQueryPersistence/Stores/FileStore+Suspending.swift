internal import StreamQuery

// The methods in this file give the directory up for a while.

extension FileStore {
  /// Gives up the lock and all files, until ``resume()``.
  ///
  /// If the store is in the container of an app group, call it when the app goes to the background: after changes are
  /// saved, in the time that the system gives the app:
  ///
  /// ```swift
  /// func enterBackground(_ client: QueryClient, _ store: FileStore) async {
  ///   try? await client.save()
  ///   await store.suspend()
  /// }
  /// ```
  ///
  /// When it returns, another process can use the directory. Later calls of the store wait: changes are kept in memory,
  /// and written after ``resume()``. A waiting call that is cancelled throws ``QueryStoreError/failed(_:)`` with a
  /// `CancellationError`, and ``close()`` makes it throw ``QueryStoreError/closed``. A second `suspend()` does nothing.
  public func suspend() {
    guard case .ready = phase else { return }
    phase = .suspended
    // A removed file can be read only as long as it is open, so it is created anew before it is
    // closed.
    if partitions.values.contains(where: { isGone($0) }) { try? takeAnew() }
    if !isDisplaced {
      for (partition, var state) in partitions {
        eraseIfNeeded(&state)
        // A partition without a file stays open, because a client that has read it will save in its
        // generation, which no file has.
        if state.file == nil { partitions[partition] = state } else { letGo(of: partition, state) }
      }
    }
    opened = nil
  }

  /// Locks the directory again after ``suspend()``, and lets waiting calls continue.
  ///
  /// The store then has the changes that another process made meanwhile. A batch for a partition that this
  /// process has wiped throws ``QueryStoreError/superseded(current:)``. A client does not read a partition a
  /// second time: give each process its own partition.
  ///
  /// - Throws: ``QueryStoreError/inUse`` while another process has the directory, or another reason why the
  ///   store cannot lock it. The store stays suspended: call `resume()` again later.
  ///   ``QueryStoreError/closed`` after ``close()``.
  public func resume() throws(QueryStoreError) {
    switch phase {
    case .ready: return
    case .closed: throw .closed
    case .suspended: break
    }
    let former = floor
    if isDisplaced { try takeAnew() } else { try takeDirectory() }
    for (partition, state) in partitions where state.file == nil {
      // If this is true, another process has saved or wiped the partition, or may have.
      let isChanged = floor != former || opened?.files.newest[state.log.stem] != nil
      if isChanged { letGo(of: partition, state) }
    }
    phase = .ready
    waits.first?.give(())
  }

  /// Waits while the store is suspended, and for the calls that have waited before this call.
  ///
  /// The caller continues without another suspension, so its work comes before the next call's.
  func waitUntilResumed() async throws(QueryStoreError) {
    guard isSuspended || !waits.isEmpty else { return }
    var wait = SharedOneShot<Void>()
    waits.append(wait)
    _ = await wait.take(orGive: ())
    while isSuspended, !Task.isCancelled {
      // If the store is suspended again before this call continues, the call waits again, and keeps
      // its place in the order.
      let next = SharedOneShot<Void>()
      if let state = waits.firstIndex(where: { $0 === wait }) { waits[state] = next }
      wait = next
      _ = await wait.take(orGive: ())
    }
    let isCancelled = Task.isCancelled
    waits.removeAll { $0 === wait }
    if !isSuspended { waits.first?.give(()) }
    if isCancelled { throw .failed(CancellationError()) }
  }

  private var isSuspended: Bool {
    if case .suspended = phase { true } else { false }
  }

  /// Closes the file of a partition, and remembers the facts that are not on the disk.
  func letGo(of partition: StorePartition, _ state: OpenPartition) {
    let onDisk = state.log.fileName?.generation ?? floor
    if onDisk < state.log.generation { begun[partition] = state.log.generation }
    knownDamage[partition] = state.log.knownDamage
    partitions[partition] = nil
  }
}
