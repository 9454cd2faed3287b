internal import Synchronization

// The client's side of imports.

nonisolated extension QueryClient {
  /// Begins an import of several archives.
  ///
  /// - Parameters:
  ///   - end: Fires when the import must stop.
  ///   - limit: How long fetches wait for a key.
  /// - Returns: The number of the import; `nil` after the end of the client.
  package func beginImport(_ end: SharedOneShot<Void>, limit: TimeSpan) -> Int? {
    transaction { state, _ in
      defer { awaitsImports.store(!state.extensions.imports.isEmpty, ordering: .releasing) }
      return state.beginImport(end, limit: limit)
    }
  }

  /// Ends an import of several archives.
  package func endImport(_ number: Int) {
    transaction { state, transaction in
      state.endImport(number, &transaction)
      awaitsImports.store(!state.extensions.imports.isEmpty, ordering: .releasing)
    }
  }

  /// Tells the cache which entries an import will bring, so that their fetches wait for the import.
  ///
  /// - Returns: Whether the import goes on.
  package func named(_ texts: [String], by number: Int) -> Bool {
    transaction { state, transaction in
      state.named(texts, by: number, transaction)
      return state.extensions.imports.isRunning(number)
    }
  }

  /// The number of entries that the cache has made so far.
  package var entrySerial: UInt64 { cache.read { $0.slots.serial } }

  /// The queries of the keys that are cached.
  package func definitions(
    of keys: [EntryKey]
  ) -> [(key: EntryKey, definition: QueryDefinition)] {
    cache.read { state in
      keys.compactMap { key in
        guard let index = state.find(key),
          let query = state.slots[index].query?.resolved.definition
        else { return nil }
        return (key, query)
      }
    }
  }

  /// Makes an entry from an archive.
  ///
  /// - Parameters:
  ///   - text: The type and the key as text.
  ///   - key: The key.
  ///   - definition: The query.
  ///   - box: The value.
  ///   - updatedAt: The date when the value was current, in seconds since the reference date.
  ///   - isInvalidated: Whether the value was invalidated.
  ///   - isPart: Whether the value is a part of a streamed value.
  ///   - error: The error of the entry, with its date.
  /// - Returns: The entry.
  package func restored(
    _ text: String,
    _ key: EntryKey,
    _ definition: QueryDefinition,
    _ box: ValueBox,
    updatedAt: Double,
    isInvalidated: Bool,
    isPart: Bool,
    error: (box: ErrorBox, date: Double)?
  ) -> RestoredEntry {
    let query = resolve(key, definition, defaults).opened()
    return RestoredEntry(
      text: text,
      key: key,
      query: query,
      freshness: query.fixedFreshness,
      box: box,
      updatedAt: updatedAt,
      isInvalidated: isInvalidated,
      isPart: isPart,
      error: error?.box,
      errorUpdatedAt: error?.date ?? 0
    )
  }

  /// Adds the content of an archive to the cache, in one transaction.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - runs: The paused runs of mutations.
  ///   - resuming: Whether these runs continue at once.
  ///   - number: The number of the import, if it has several archives.
  ///   - left: The keys that former archives of the import named and this one does not.
  ///   - report: Gets the omitted content; called under the lock, so that the end of the import knows all
  ///     filled entries.
  /// - Returns: The result of `report`.
  package func addRestored<Report: Sendable>(
    _ entries: [RestoredEntry],
    _ runs: [RestoredRun],
    resuming: Bool,
    by number: Int?,
    left: [String],
    report: ([ImportRefusal]) -> Report
  ) -> Report {
    if !runs.isEmpty { openSignals() }
    let (entries, kept) = compared(entries, by: number)
    return transaction { state, transaction in
      let refused = state.restore(entries, runs, resuming: resuming, by: number, &transaction)
      let report = report(kept + refused)
      if let number { state.left(left, by: number, &transaction) }
      return report
    }
  }

  /// Leaves out entries of which a store has data that is at least as new.
  ///
  /// An entry whose store has not been read yet is compared later: until then it waits as a deferred write.
  /// Changes of its key since the import began are applied now, because the import may be over by then. Later
  /// changes drop or mark the waiting write.
  private func compared(
    _ entries: [RestoredEntry],
    by number: Int? = nil
  ) -> (entries: [RestoredEntry], refused: [ImportRefusal]) {
    guard let persister = persisters.persister else { return (entries, []) }
    let latest = cache.read { $0.environment.now.date }
    var result: (entries: [RestoredEntry], refused: [ImportRefusal]) = ([], [])
    for entry in entries {
      let definition = entry.query.resolved.definition
      let (hasData, known) = cache.read { state in
        (state.box(entry.key) != nil, state.find(entry.key).flatMap { state.slots[$0].query })
      }
      let own = definition.persistence ?? known?.resolved.persistence
      if hasData {
        result.entries.append(entry)
      } else if openStore(of: entry.key, own) {
        let decision = cache.read { $0.decision(on: entry, $0.find(entry.key), by: number) }
        guard !decision.isRefused else {
          result.refused.append(ImportRefusal(text: entry.text, reason: .superseded))
          continue
        }
        var entry = entry
        if let markedAt = decision.markedAt, min(entry.updatedAt, latest) <= markedAt {
          entry.isInvalidated = true
        }
        deferWrite(waiting(entry, own))
      } else if let policy = own ?? defaults.persistence, !policy.isOff,
        let kept = persister.stamp(of: entry.key, policy)
      {
        if kept.updatedAt >= min(entry.updatedAt, latest),
          restoring(entry.key, definition) != nil || keepsForAnother(entry.key, definition)
        {
          result.refused.append(ImportRefusal(text: entry.text, reason: .notNewer))
          continue
        }
        // The data of the store was invalidated at an unknown time, which may be later than the
        // archive, so the entry counts as invalidated too.
        var entry = entry
        if kept.isInvalidated { entry.isInvalidated = true }
        result.entries.append(entry)
      } else {
        result.entries.append(entry)
      }
    }
    return result
  }

  private func waiting(
    _ entry: RestoredEntry,
    _ policy: (any PersistencePolicy)?
  ) -> DeferredWrites.Write {
    let definition = entry.query.resolved.definition
    return DeferredWrites.Write(
      of: entry.key,
      policy.map { policy in definition.with { $0.persistence = policy } } ?? definition,
      survivesData: true,
      importedAt: entry.updatedAt,
      job: MutationJob.current,
      change: { kept in
        guard kept?.updatedAt.map({ $0 >= entry.updatedAt }) != true else { return nil }
        return KeptData(
          box: entry.box,
          updatedAt: entry.updatedAt,
          isInvalidated: entry.isInvalidated || kept?.isInvalidated == true,
          isPart: entry.isPart
        )
      },
      perform: { $0.fillLate(entry) }
    )
  }

  /// Fills an entry that waited until its store was read.
  private func fillLate(_ entry: RestoredEntry) {
    let entries = compared([entry]).entries
    transaction { state, transaction in
      // The entry may have been removed meanwhile.
      guard isMakingDeferredWrite(of: entry.key) else { return }
      _ = state.restore(entries, [], resuming: false, &transaction)
      deferredWrites.withLock { $0.writeLanded() }
    }
  }
}
