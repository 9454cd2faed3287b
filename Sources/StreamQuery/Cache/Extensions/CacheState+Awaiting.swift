// While an import runs that names its keys in advance, the first attempts of fetches of these keys are
// deferred. ``AwaitedKeys`` decides this. Making the text of a key runs user code, so the text is made
// outside the lock.
extension CacheState {
  typealias Imports = AwaitedKeys<SharedOneShot<Void>>

  /// Begins an import.
  ///
  /// - Parameters:
  ///   - end: The signal to send if ``endImports(_:)`` ends the import.
  ///   - limit: The longest time that a fetch waits for the import.
  /// - Returns: Its number; `nil` if the cache has ended.
  mutating func beginImport(_ end: SharedOneShot<Void>, limit: TimeSpan) -> Int? {
    guard !isShutDown else { return nil }
    extensions.active.insert(.imports)
    return extensions.imports.began(end, limit: limit)
  }

  /// Adds the keys that an archive is still to bring.
  mutating func named(_ texts: [String], by import: Int, _ transaction: Transaction) {
    extensions.imports.named(texts, by: `import`, at: transaction.environment.now.instant)
  }

  /// Lets fetches wait no longer for keys that an import has named: an archive has brought them, or no
  /// archive will.
  mutating func left(_ texts: [String], by import: Int, _ transaction: inout Transaction) {
    resumeUnawaited(extensions.imports.left(texts, by: `import`), &transaction)
  }

  /// Ends an import, so that no fetch waits for it any more.
  mutating func endImport(_ number: Int, _ transaction: inout Transaction) {
    resumeUnawaited(extensions.imports.importEnded(number), &transaction)
    forgetNotes(&transaction)
  }

  /// Ends all imports, because all data was removed and the imports would bring older data.
  mutating func endImports(_ transaction: inout Transaction) {
    guard !extensions.imports.isEmpty else { return }
    for end in extensions.imports.endedAll() { actionQueue.enqueue(.reached(end)) }
    resumeUnawaited(extensions.imports.allDeferred, &transaction)
    forgetNotes(&transaction)
  }

  /// Forgets the notes if no import runs.
  private mutating func forgetNotes(_ transaction: inout Transaction) {
    guard extensions.imports.isEmpty else { return }
    extensions.active.remove(.imports)
    transaction.garbage.collect(value: extensions.imports.forgetNotes())
  }

  /// Keeps the number of notes small, no matter how long imports run.
  private mutating func boundNotes(_ transaction: inout Transaction) {
    guard let former = extensions.imports.boundNotes() else { return }
    transaction.garbage.collect(value: former)
    resumeUnawaited(extensions.imports.allDeferred, &transaction)
  }

  // MARK: Fetches

  /// Defers an attempt that is about to begin, if an import is to bring the data.
  ///
  /// - Parameters:
  ///   - job: The fetch.
  ///   - text: Its key as text in archives.
  ///   - transaction: The transaction.
  /// - Returns: Whether the attempt must not begin. It is started later, if no import brings the
  ///   data and the fetch is not over.
  mutating func deferFetch(
    _ job: FetchJob,
    _ text: String,
    _ transaction: inout Transaction
  ) -> Bool {
    // If the entry no longer has this job, the fetch is over, for example because of an import. The fetch's
    // task is not cancelled yet, but must not begin the attempt.
    guard let index = find(job.entry), slots[index].job === job else { return true }
    let now = transaction.environment.now.instant
    guard slots[index].machine.canDefer(job.id),
      let candidate = candidate(index, text),
      let wait = extensions.imports.importWait(for: candidate, startedAt: job.sequence, at: now)
    else { return false }
    slots[index].machine.deferred(job.id, until: wait.until)
    // Fetches that are no longer deferred leave the list.
    for former in extensions.imports.deferred[text] ?? [] where !isDeferred(former) {
      extensions.imports.removeDeferred(Imports.Deferred(id: former, text: text))
    }
    extensions.imports.addDeferred(job.entry, text)
    // A deferred fetch gives its place in the fetch limiter to other fetches.
    releaseFetch(index)
    attemptRests(index)
    // The transaction that ends the wait starts the attempt, but in the context of this task.
    transaction.prepareTask(job.tasks)
    apply(EntryActions(), index, &transaction)
    return true
  }

  private func isDeferred(_ id: EntryID) -> Bool {
    find(id).map { slots[$0].machine.isDeferred } ?? false
  }

  /// Begins the fetches among the given ones that no longer wait for an import.
  private mutating func resumeUnawaited(
    _ deferred: [Imports.Deferred],
    _ transaction: inout Transaction
  ) {
    let now = transaction.environment.now.instant
    for deferred in deferred {
      guard let index = find(deferred.id), slots[index].machine.isDeferred,
        let job = slots[index].job,
        let candidate = candidate(index, deferred.text)
      else {
        extensions.imports.removeDeferred(deferred)
        continue
      }
      if let wait = extensions.imports.importWait(for: candidate, startedAt: job.sequence, at: now)
      {
        // The remaining imports may have shorter limits.
        input(index, &transaction) { machine, _ in machine.stillDeferred(until: wait.until) }
      } else {
        extensions.imports.removeDeferred(deferred)
        input(index, &transaction) { $0.released(in: $1) }
      }
    }
  }

  /// Starts the deferred fetch of an entry that has changed after the import began.
  mutating func resumeDeferred(_ index: Int, _ transaction: inout Transaction) {
    // The fetch leaves the list of deferred fetches at the next check.
    if slots[index].machine.isDeferred { input(index, &transaction) { $0.released(in: $1) } }
  }

  private func candidate(_ index: Int, _ text: String) -> Imports.Candidate? {
    slots[index].key.map { key in
      Imports.Candidate(text: text, info: .absent(key), entry: slots[index].generation)
    }
  }

  // MARK: Changes of keys

  /// Records that imports must not bring data from before this call to the entry.
  mutating func noteFence(_ index: Int, _ transaction: inout Transaction) {
    guard !extensions.imports.isEmpty, let key = slots[index].key else { return }
    extensions.imports.fenced(key)
    boundNotes(&transaction)
  }

  /// Records that a caller wants newer data than imports bring, and starts the entry's deferred fetch.
  mutating func noteRequest(_ index: Int, _ transaction: inout Transaction) {
    guard !extensions.imports.isEmpty, let key = slots[index].key else { return }
    extensions.imports.requested(key)
    boundNotes(&transaction)
    resumeDeferred(index, &transaction)
  }

  /// Records for imports that an entry was invalidated, and starts the entry's deferred fetch.
  mutating func noteMark(_ index: Int, _ transaction: inout Transaction) {
    guard !extensions.imports.isEmpty, let key = slots[index].key else { return }
    extensions.imports.invalidated(key, at: transaction.environment.now.date)
    boundNotes(&transaction)
    resumeDeferred(index, &transaction)
  }

  /// Records for imports that the entries of a filter are removed or invalidated, including entries
  /// that are still to come.
  mutating func recordBulkChange(
    _ filter: EntryFilter,
    invalidates: Bool,
    _ transaction: inout Transaction
  ) {
    guard !extensions.imports.isEmpty else { return }
    extensions.imports.bulkChanged(
      filter,
      invalidatedAt: invalidates ? transaction.environment.now.date : nil,
      newestEntry: slots.serial
    )
    boundNotes(&transaction)
  }
}
