#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension QueryClient {
  /// Fills entries from an archive and continues its paused mutations, in one transaction.
  ///
  /// Newer data wins: an entry is filled if it has no data or older data, in the cache or in a store.
  /// While the store is being read, the entry waits, and counts as filled. Data keeps its age, dates
  /// in the future count as now, and invalidated data stays invalidated. Running fetches continue,
  /// and none is started.
  ///
  /// Mutations continue in the order in which they were started, as soon as the network allows it:
  /// their `onMutate` is called and their optimistic changes are made again. A run that this client
  /// has or had is left out, however long ago it ended, so an archive may be imported twice.
  /// Another process cannot know that: delete the file that you imported, and let the server
  /// recognise repeated runs by their ``MutationContext/idempotencyKey``, which they keep.
  ///
  /// ```swift
  /// let report = client.import(archive, for: [.values(of: User.self), .mutation(.rename())])
  /// ```
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - archivables: What to expect, in addition to the queries that the cache knows already.
  ///   - coding: How values and inputs are decoded.
  ///   - resuming: Whether mutations continue by themselves; if not, they stay paused until
  ///     ``resumeMutations()``, or until the network or the app comes back.
  /// - Returns: What was filled, and what was left out and why.
  @discardableResult
  public nonisolated func `import`(
    _ archive: CacheArchive,
    for archivables: [Archivable] = [],
    coding: ArchiveCoding = .json,
    resuming: Bool = true
  ) -> ArchiveImport {
    let catalog = ArchiveCatalog(archivables)
    var names = KnownNames()
    var report = fill(archive, catalog, &names, coding: coding, resuming: resuming)
    report.skipped.insert(contentsOf: catalog.skipped, at: 0)
    return report
  }

  /// Fills entries from an archive and continues its paused mutations, in one transaction.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - catalog: What to expect, in addition to the queries that the cache knows already.
  ///   - names: The names of what the cache knows, as far as earlier archives needed them.
  ///   - coding: How values and inputs are decoded.
  ///   - resuming: Whether mutations continue by themselves.
  ///   - part: The import in progress of which it is a part; `nil` if there is only this archive.
  /// - Returns: What was filled, and what was left out, apart from what the catalog could not take.
  nonisolated func fill(
    _ archive: CacheArchive,
    _ catalog: ArchiveCatalog,
    _ names: inout KnownNames,
    coding: ArchiveCoding,
    resuming: Bool,
    as part: ImportPart? = nil
  ) -> ArchiveImport {
    var catalog = catalog
    if !catalog.expects(archive.entries) {
      catalog.addKnown(known(archive.entries.map(\.key), &names))
    }
    // The user's types are decoded here, before the transaction.
    var draft = ImportDraft()
    for entry in archive.entries {
      draft.add(entry.key, isMutation: false) { draft throws(ArchiveRefusal) in
        draft.entries.append(try restored(entry, catalog, coding))
      }
    }
    for (run, identity) in zip(archive.mutations, archive.identities) {
      draft.add(run.key, isMutation: true, identity) { draft throws(ArchiveRefusal) in
        draft.runs.append(try restored(run, identity, catalog, coding))
      }
    }
    if !draft.runs.isEmpty { openSignals() }
    let (entries, kept, waitingCount) = compared(draft.entries)
    let (runs, skipped) = (draft.runs, draft.skipped + kept)
    return transaction { state, transaction in
      let refused = state.restore(
        entries,
        runs,
        resuming: resuming,
        by: part?.number,
        &transaction
      )
      let report = ArchiveImport(
        entryCount: entries.count + waitingCount - refused.count { !$0.isMutation },
        mutationCount: runs.count - refused.count(where: \.isMutation),
        skipped: skipped + refused
      )
      if let part {
        // Here, so that whoever ends the import knows all that it has filled.
        part.report(report)
        state.left(part.left, by: part.number, &transaction)
      }
      return report
    }
  }

  /// Leaves out what a store keeps as new or newer, and lets wait what is to be compared with what it
  /// may keep.
  private nonisolated func compared(
    _ entries: [RestoredEntry]
  ) -> (entries: [RestoredEntry], refused: [ArchiveImport.Skipped], waitingCount: Int) {
    guard let persister = persisters.persister else { return (entries, [], 0) }
    let latest = cache.read { $0.latest.date }
    var result: (entries: [RestoredEntry], refused: [ArchiveImport.Skipped], waitingCount: Int)
    result = ([], [], 0)
    for entry in entries {
      let (hasData, known) = cache.read { state in
        (state.box(entry.key) != nil, state.find(entry.key).flatMap { state.slots[$0].query })
      }
      let own = entry.query.definition.persistence ?? known?.resolved.persistence
      if hasData {
        result.entries.append(entry)
      } else if openStore(of: entry.key, own) {
        deferWrite(waiting(entry, own))
        result.waitingCount += 1
      } else if let policy = own ?? defaults.persistence, !policy.isOff,
        let kept = persister.stamp(of: entry.key, policy)
      {
        let definition = entry.query.definition
        if kept.updatedAt >= min(entry.updatedAt, latest),
          restoring(entry.key, definition) != nil || keepsForAnother(entry.key, definition)
        {
          result.refused.append(
            ArchiveImport.Skipped(key: entry.text, isMutation: false, reason: .notNewer)
          )
          continue
        }
        // When it was invalidated is not known, and may be after the archive was made.
        var entry = entry
        if kept.isInvalidated { entry.isInvalidated = true }
        result.entries.append(entry)
      } else {
        result.entries.append(entry)
      }
    }
    return result
  }

  private nonisolated func waiting(
    _ entry: RestoredEntry,
    _ policy: (any PersistencePolicy)?
  ) -> DeferredWrites.Write {
    let definition = entry.query.definition
    return DeferredWrites.Write(
      of: entry.key,
      policy.map { policy in definition.with { $0.persistence = policy } } ?? definition,
      survivesData: true,
      importedAt: entry.updatedAt,
      job: MutationJob.current,
      change: { kept in
        guard kept?.updatedAt.map({ $0 >= entry.updatedAt }) != true else { return nil }
        return DeferredWrites.KeptData(
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
  private nonisolated func fillLate(_ entry: RestoredEntry) {
    let entries = compared([entry]).entries
    transaction { state, transaction in
      // It may have been removed meanwhile.
      guard isMakingDeferredWrite(of: entry.key) else { return }
      _ = state.restore(entries, [], resuming: false, &transaction)
      deferredWriteLanded()
    }
  }

  /// Decodes an archive and imports it.
  ///
  /// - Parameters:
  ///   - data: Bytes that ``CacheArchive/encoded()`` made.
  ///   - archivables: What to expect, in addition to the queries that the cache knows already.
  ///   - coding: How values and inputs are decoded.
  ///   - resuming: As ``import(_:for:coding:resuming:)``.
  ///   - limit: The maximum number of bytes to read.
  /// - Returns: What was filled, and what was left out and why.
  /// - Throws: Why the bytes cannot be used; the cache is unchanged then.
  @discardableResult
  public nonisolated func `import`(
    decoding data: Data,
    for archivables: [Archivable] = [],
    coding: ArchiveCoding = .json,
    resuming: Bool = true,
    limit: Int = 64 << 20
  ) throws(CacheArchiveError) -> ArchiveImport {
    `import`(
      try CacheArchive(decoding: data, limit: limit),
      for: archivables,
      coding: coding,
      resuming: resuming
    )
  }

  /// The queries of these names that the cache knows, and so how to make their values.
  private nonisolated func known(
    _ texts: [String],
    _ names: inout KnownNames
  ) -> [(key: EntryKey, definition: QueryDefinition)] {
    let serial = cache.read { $0.entrySerial }
    if names.misses(texts, at: serial) {
      let keys = search(.all) { state, index, _ in state.slots[index].key }.compactMap(\.item)
      names.found(keys, at: serial)
    }
    let keys = texts.compactMap { names[$0] }
    // Not remembered: the queries may have changed.
    return cache.read { state in
      keys.compactMap { key in
        guard let index = state.find(key),
          let query = state.slots[index].query?.resolved.definition
        else { return nil }
        return (key, query)
      }
    }
  }

  private nonisolated func restored(
    _ entry: CacheArchive.Entry,
    _ catalog: ArchiveCatalog,
    _ coding: ArchiveCoding
  ) throws(ArchiveRefusal) -> RestoredEntry {
    let (archivable, key) = try catalog.entry(entry.key)
    let box = try decoding { try archivable.decode(entry.value, coding) }
    return RestoredEntry(
      text: entry.key,
      key: key,
      query: resolve(key, archivable.definition, defaults).opened(),
      box: box,
      updatedAt: number(of: entry.updatedAt),
      isInvalidated: entry.isInvalidated,
      isPart: entry.isPart == true,
      error: entry.error.map(ErrorBox.init),
      errorUpdatedAt: entry.error?.updatedAt.timeIntervalSinceReferenceDate ?? 0
    )
  }

  private nonisolated func restored(
    _ run: CacheArchive.PausedMutation,
    _ identity: RunIdentity,
    _ catalog: ArchiveCatalog,
    _ coding: ArchiveCoding
  ) throws(ArchiveRefusal) -> RestoredRun {
    let (archivable, key) = try catalog.run(run.key)
    let options = archivable.definition.options.over(MutationOptions(scope: run.scope))
    let definition = archivable.definition.with(options: options)
    guard resolve(key, definition, input: nil).perform != nil else {
      throw ArchiveRefusal(.missingPerform)
    }
    let input = try decoding { try archivable.decode(run.input, coding) }
    let mutation = resolve(key, definition, input: input)
    return RestoredRun(
      text: run.key,
      identity: identity,
      revision: run.changed?.revision.leavingRoom ?? 0,
      mutation: mutation,
      input: input,
      layers: plannedLayers(of: mutation, input: input),
      submittedAt: number(of: run.submittedAt)
    )
  }

  /// A date in seconds; an invalid one is before all others, so that it can be compared.
  private nonisolated func number(of date: Date) -> Double {
    let seconds = date.timeIntervalSinceReferenceDate
    return seconds.isNaN ? -.infinity : seconds
  }

  private nonisolated func decoding(
    _ body: () throws -> ValueBox
  ) throws(ArchiveRefusal) -> ValueBox {
    do { return try body() } catch { throw ArchiveRefusal(.undecodable(error)) }
  }
}

/// The prepared content of an import.
private struct ImportDraft {
  var entries: [RestoredEntry] = []
  var runs: [RestoredRun] = []
  var skipped: [ArchiveImport.Skipped] = []

  mutating func add(
    _ key: String,
    isMutation: Bool,
    _ identity: RunIdentity? = nil,
    _ body: (inout Self) throws(ArchiveRefusal) -> Void
  ) {
    do throws(ArchiveRefusal) {
      try body(&self)
    } catch {
      skipped.append(
        ArchiveImport.Skipped(
          key: key,
          isMutation: isMutation,
          reason: error.reason,
          idempotencyKey: identity?.uuid
        )
      )
    }
  }
}
