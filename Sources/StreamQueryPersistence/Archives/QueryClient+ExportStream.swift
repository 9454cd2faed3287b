public import StreamQuery

nonisolated extension QueryClient {
  /// Exports a cache while fetches are still running: first its present data, and the rest as it arrives.
  ///
  /// The first archive has the content of ``export(_:mutations:errors:coding:)``, without parts of streamed
  /// values that are still arriving, and names the keys without data that are being fetched:
  /// ``CacheArchive/pending``. Another archive follows whenever some of these fetches have ended, with only
  /// their data and the remaining names. The archives belong together, and none replaces another. With
  /// hundreds of names, fetches that end shortly after each other share an archive. The sequence ends when no
  /// name is left.
  ///
  /// A fetch that failed, was cancelled, or waits for the network or an import is not named any more; the
  /// receiver then fetches for itself. Streamed queries, which may go on for ever, are never named.
  ///
  /// A server sends each archive as soon as it is made, so that the receiver shows a page before the page's
  /// slowest part is there:
  ///
  /// ```swift
  /// let (lines, page) = AsyncStream.makeStream(of: Data.self)
  /// for await export in client.exportStream(.prefix("products")) {
  ///   page.yield(try export.archive.encoded())
  /// }
  /// page.finish()
  /// ```
  ///
  /// Names are the texts of keys. An archive is encoded on the actor of the code that asks the iterator for
  /// it.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries, those without data included.
  ///   - mutations: Selects the runs of mutations; only paused ones are in the first archive.
  ///   - errors: The policy for errors; by default, entries that failed are omitted.
  ///   - coding: The coding of values and inputs.
  /// - Returns: The archives. They leave out fetches that start after the first archive.
  public nonisolated func exportStream(
    _ filter: QueryFilter = .all,
    mutations: MutationFilter = .all,
    errors: ArchiveErrorPolicy = .leftOut,
    coding: ArchiveCoding = .json
  ) -> ArchiveExports {
    ArchiveExports(
      client: self,
      filter: filter,
      mutations: mutations,
      errors: errors,
      coding: coding
    )
  }

  /// Fills entries from archives as they arrive, and defers fetches of keys that a later archive brings.
  ///
  /// Each archive is imported as ``import(_:for:coding:resuming:)`` does. A fetch of a key without data makes
  /// no request while an archive names the key as ``CacheArchive/pending``. The fetch waits until an archive
  /// brings the data, and the entry takes the age of that data. The fetch begins nevertheless
  ///
  /// - if a later archive neither brings the key nor names it,
  /// - if its data is refused, because it cannot be decoded or is not newer,
  /// - if its data is already stale,
  /// - if somebody refetches or invalidates the key, or a mutation changes it,
  /// - when the archives end or fail, or when this call is cancelled,
  /// - if somebody writes the value, or initial data comes,
  /// - when `limit` has passed since its key was named.
  ///
  /// A fetch waits only if it begins after its key was named, only before its first attempt, and only once.
  /// While it waits, it does not count for ``/StreamQuery/QueryClient/Configuration/maxConcurrentFetches``,
  /// and it can be cancelled like any other. A receiver that gets only the first archive imports that archive
  /// with ``import(_:for:coding:resuming:)``, so that no fetch waits.
  ///
  /// Archives are older than changes that happen here meanwhile. An entry is not filled if it was removed,
  /// reset, written with `fencing` or changed by a mutation after its key was named. An invalidation that is
  /// later than the data stays. ``/StreamQuery/QueryClient/clear()`` and
  /// ``/StreamQuery/QueryClient/shutDown()`` end the import, which then returns its result so far.
  ///
  /// ```swift
  /// let archives = AsyncStream { $0.yield(archive); $0.finish() }
  /// await client.import(contentsOf: archives, for: [.values(of: User.self)])
  /// ```
  ///
  /// A task of the client reads the archives and decodes the values, not the caller's actor. The task is
  /// cancelled when the call is over. The call does not wait for a sequence that ignores this.
  ///
  /// - Parameters:
  ///   - archives: The archives, such as those of ``exportStream(_:mutations:errors:coding:)``.
  ///   - archivables: The expectations, in addition to the queries that the cache knows already.
  ///   - coding: The coding of values and inputs.
  ///   - resuming: Whether mutations continue by themselves.
  ///   - limit: The maximum time for which a fetch waits after its key was named, by the client's clock.
  ///     Imported data of an always stale query ends the wait only if the data is no older than this limit.
  /// - Returns: The result of all archives, with a report of the omitted entries and runs.
  /// - Throws: The error of the sequence; earlier imports stay.
  @discardableResult
  public nonisolated func `import`<Archives: AsyncSequence & Sendable>(
    contentsOf archives: Archives,
    for archivables: [Archivable] = [],
    coding: ArchiveCoding = .json,
    resuming: Bool = true,
    timeout limit: Duration = .seconds(30)
  ) async throws(Archives.Failure) -> ArchiveImport where Archives.Element == CacheArchive {
    let catalog = ArchiveCatalog(archivables)
    let arrivals = ArchiveArrivals<Archives.Failure>(skipped: catalog.skipped)
    guard let number = beginImport(arrivals.end, limit: TimeSpan(limit)) else {
      return arrivals.report
    }
    // The task does the caller's work, so it inherits the caller's priority and task-locals.
    let task = Task(executorPreference: configuration.executor) { [weak self] in
      do throws(Archives.Failure) {
        var iterator = archives.makeAsyncIterator()
        var (names, known) = (PendingNames(), KnownNames())
        while let archive = try await iterator.next(isolation: nil) {
          let (added, left) = names.named(archive.pending, bringing: archive.entries.map(\.key))
          let part = ImportPart(number: number, left: left) { arrivals.add($0) }
          // The keys are named before the data is shown, because a view that shows the data may at once fetch
          // another query, and that fetch has to wait.
          guard let self, self.named(added, by: number) else { break }
          _ = self.fill(archive, catalog, &known, coding: coding, resuming: resuming, as: part)
        }
      } catch {
        arrivals.failed(error)
      }
      arrivals.end.give(())
    }
    _ = await arrivals.end.take(for: "archives to import", of: self, orGive: ())
    endImport(number)
    task.cancel()
    if let error = arrivals.error { throw error }
    return arrivals.report
  }
}
