public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

nonisolated extension QueryClient {
  /// Fills entries from an archive and continues its paused mutations, in one transaction.
  ///
  /// Newer data wins: an entry is filled if it has no data or older data, in the cache or in a
  /// store. If a store has not answered yet, the entry waits, and counts as filled. Data keeps its
  /// age, dates in the future count as now, and invalidated data stays invalidated. Running fetches
  /// continue, and none is started.
  ///
  /// An entry that is filled counts as updated: its ``/StreamQuery/QueryInfo/dataUpdateCount`` grows. If
  /// nobody uses the entry, its ``/StreamQuery/QueryOptions/gcTime`` begins again.
  ///
  /// Mutations continue in the order in which they were started, as soon as the network allows it: `onMutate`
  /// of each mutation is called again, which makes its optimistic changes. A run that this client has, or
  /// had, is omitted, even if it ended long ago, so an archive may be imported twice. Another process does
  /// not know these runs: delete a file after its import, and let the server recognize repeated runs by their
  /// ``/StreamQuery/MutationContext/idempotencyKey``, which stays the same.
  ///
  /// ```swift
  /// let report = client.import(archive, for: [.values(of: User.self), .mutation(.rename())])
  /// ```
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - archivables: The expectations, in addition to the queries that the cache knows already.
  ///   - coding: The coding of values and inputs.
  ///   - resuming: Whether mutations continue by themselves; `false` leaves them paused until
  ///     ``/StreamQuery/QueryClient/resumeMutations()``, or until the network or the app comes
  ///     back. Until then, no outbox stores the durable ones: keep the archive.
  /// - Returns: The result, with a report of the omitted entries and runs.
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
  ///   - catalog: The expectations, in addition to the queries that the cache knows already.
  ///   - names: The keys of the cache's entries by their texts; found when an archive needs them.
  ///   - coding: The coding of values and inputs.
  ///   - resuming: Whether mutations continue by themselves.
  ///   - part: The place of this archive in an import of several archives; `nil` if it is the only one.
  /// - Returns: The result, with a report of the omitted entries and runs, but without the expectations that
  ///   have no text.
  func fill(
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
    // The user's types are decoded before the transaction, which holds the lock.
    var draft = ImportDraft()
    for entry in archive.entries {
      draft.addUnlessRefused(entry.key, isMutation: false) { draft throws(ArchiveRefusal) in
        draft.entries.append(try restored(entry, catalog, coding))
      }
    }
    for (run, identity) in zip(archive.mutations, archive.identities) {
      draft.addUnlessRefused(run.key, isMutation: true, identity) { draft throws(ArchiveRefusal) in
        draft.runs.append(try restored(run, identity, catalog, coding))
      }
    }
    let (entryCount, runCount, skipped) = (draft.entries.count, draft.runs.count, draft.skipped)
    return addRestored(
      draft.entries,
      draft.runs,
      resuming: resuming,
      by: part?.number,
      left: part?.left ?? []
    ) { refused in
      let report = ArchiveImport(
        entryCount: entryCount - refused.count { !$0.isMutation },
        mutationCount: runCount - refused.count(where: \.isMutation),
        skipped: skipped + refused.map(ArchiveImport.Skipped.init)
      )
      // The report is made under the lock: if the import ends after this transaction, its result has the
      // whole report.
      part?.report(report)
      return report
    }
  }

  /// Decodes an archive and imports it.
  ///
  /// - Parameters:
  ///   - data: Bytes that ``CacheArchive/encoded()`` made.
  ///   - archivables: The expectations, in addition to the queries that the cache knows already.
  ///   - coding: The coding of values and inputs.
  ///   - resuming: Whether mutations continue by themselves; see
  ///     ``import(_:for:coding:resuming:)``.
  ///   - maxBytes: The maximum number of bytes to read.
  /// - Returns: The result, with a report of the omitted entries and runs.
  /// - Throws: The reason why the bytes cannot be used; the cache is unchanged then.
  @discardableResult
  public nonisolated func `import`(
    decoding data: Data,
    for archivables: [Archivable] = [],
    coding: ArchiveCoding = .json,
    resuming: Bool = true,
    maxBytes: Int = 64 << 20
  ) throws(CacheArchiveError) -> ArchiveImport {
    `import`(
      try CacheArchive(decoding: data, maxBytes: maxBytes),
      for: archivables,
      coding: coding,
      resuming: resuming
    )
  }

  /// Returns the cached queries for these texts, with definitions that can make their values.
  private func known(
    _ texts: [String],
    _ names: inout KnownNames
  ) -> [(key: EntryKey, definition: QueryDefinition)] {
    let serial = entrySerial
    if names.misses(texts, at: serial) { names.found(cachedUses().map(\.key), at: serial) }
    // The definitions are looked up for each archive, because the queries may have changed since the last
    // archive.
    return definitions(of: texts.compactMap { names[$0] })
  }

  private func restored(
    _ entry: CacheArchive.Entry,
    _ catalog: ArchiveCatalog,
    _ coding: ArchiveCoding
  ) throws(ArchiveRefusal) -> RestoredEntry {
    let (archivable, key) = try catalog.found(entry.key, in: catalog.queries)
    let box = try decoding { try archivable.decode(entry.value, coding) }
    return restored(
      entry.key,
      key,
      archivable.definition,
      box,
      updatedAt: number(of: entry.updatedAt),
      isInvalidated: entry.isInvalidated,
      isPart: entry.isPart == true,
      error: entry.error.map { (ErrorBox($0), $0.updatedAt.timeIntervalSinceReferenceDate) }
    )
  }

  private func restored(
    _ run: CacheArchive.PausedMutation,
    _ identity: RunIdentity,
    _ catalog: ArchiveCatalog,
    _ coding: ArchiveCoding
  ) throws(ArchiveRefusal) -> RestoredRun {
    let (archivable, key) = try catalog.found(run.key, in: catalog.mutations)
    guard hasWork(key, archivable.definition) else { throw ArchiveRefusal(reason: .missingPerform) }
    let input = try decoding { try archivable.decode(run.input, coding) }
    return restoredRun(
      key,
      archivable.definition,
      scope: run.scope,
      input: input,
      identity,
      revision: run.changed?.revision.leavingRoom ?? 0,
      submittedAt: number(of: run.submittedAt),
      text: run.key
    )
  }

  /// Returns a date in seconds; an invalid date counts as before all others, so that it can be compared.
  private func number(of date: Date) -> Double {
    let seconds = date.timeIntervalSinceReferenceDate
    return seconds.isNaN ? -.infinity : seconds
  }

  private func decoding(
    _ body: () throws -> ValueBox
  ) throws(ArchiveRefusal) -> ValueBox {
    do { return try body() } catch { throw ArchiveRefusal(reason: .undecodable(error)) }
  }
}

/// The decoded entries and runs of an archive, and the ones that are omitted.
private struct ImportDraft {
  var entries: [RestoredEntry] = []
  var runs: [RestoredRun] = []
  var skipped: [ArchiveImport.Skipped] = []

  mutating func addUnlessRefused(
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

extension ArchiveImport.Skipped {
  fileprivate init(_ refusal: ImportRefusal) {
    key = refusal.text
    isMutation = refusal.isMutation
    reason =
      switch refusal.reason {
      case .shutDown: .shutDown
      case .superseded: .superseded
      case .notNewer: .notNewer
      case .known: .known
      }
    idempotencyKey = refusal.request?.uuid
  }
}
