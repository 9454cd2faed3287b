internal import StreamQuery

// Giving the directory up for a while, and taking it again.

extension FileStore {
  /// Gives up the lock and all files, until ``resume()``.
  ///
  /// If the store is in the container of an app group, call this when the app goes to the background, after
  /// changes are saved, in the time that the system gives the app:
  ///
  /// ```swift
  /// func enterBackground(_ client: QueryClient, _ store: FileStore) async {
  ///   try? await client.save()
  ///   await store.suspend()
  /// }
  /// ```
  ///
  /// When the call returns, another process can use the directory. Later calls of the store wait: changes
  /// stay in memory, and are written after ``resume()``. A waiting call that is cancelled throws
  /// ``QueryStoreError/failed(_:)`` with a `CancellationError`, and ``close()`` makes it throw
  /// ``QueryStoreError/closed``. A second `suspend()` does nothing.
  public func suspend() {
    guard case .ready = phase else { return }
    phase = .suspended
    // A removed file can be read only while it is open, so its records are put into a new file before it is
    // closed.
    if partitions.values.contains(where: { isGone($0) }) { try? takeAnew() }
    if !isDisplaced {
      for (partition, var state) in partitions {
        eraseIfNeeded(&state)
        // A partition without a file stays open, because its generation is in no file, and a client that has
        // read the partition will save in that generation.
        if state.file == nil { partitions[partition] = state } else { letGo(of: partition, state) }
      }
    }
    opened = nil
  }

  /// Locks the directory again after ``suspend()``, and lets waiting calls go on.
  ///
  /// The store then has the changes that another process made meanwhile. If that process has wiped a
  /// partition, a batch of an earlier generation throws ``QueryStoreError/superseded(current:)``. A client
  /// does not read a partition a second time: give each process its own partition.
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
    do throws(QueryStoreError) {
      if isDisplaced { try takeAnew() } else { try takeDirectory() }
    } catch {
      // A store that stays suspended locks nothing, and finds out again what another process has changed.
      (opened, floor) = (nil, former)
      throw error
    }
    for (partition, state) in partitions where state.file == nil {
      // Whether another process may have saved or wiped the partition.
      let isChanged = floor != former || opened?.files.newest[state.log.stem] != nil
      if isChanged { letGo(of: partition, state) }
    }
    phase = .ready
    waits.first?.give(())
  }

  /// Waits while the store is suspended, and until all calls that waited before have gone on.
  ///
  /// The caller must await nothing else before its work is done, so that the work comes before that of the
  /// next waiting call.
  func waitUntilResumed() async throws(QueryStoreError) {
    guard isSuspended || !waits.isEmpty else { return }
    var wait = SharedOneShot<Void>()
    waits.append(wait)
    _ = await wait.take(orGive: ())
    while isSuspended, !Task.isCancelled {
      // If the store is suspended again before this call goes on, the call waits again, and keeps its place
      // in the queue.
      let next = SharedOneShot<Void>()
      if let place = waits.firstIndex(where: { $0 === wait }) { waits[place] = next }
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

  /// Closes the file of a partition; its known damage, and a generation that no file has yet, stay in memory.
  func letGo(of partition: StorePartition, _ state: OpenPartition) {
    let onDisk = state.log.fileName?.generation ?? floor
    if onDisk < state.log.generation { begun[partition] = state.log.generation }
    knownDamage[partition] = state.log.knownDamage
    partitions[partition] = nil
  }
}
