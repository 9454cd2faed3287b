@_spi(Adapters) public import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

nonisolated extension QueryClient {
  /// Exports cached data and paused mutations as an archive.
  ///
  /// The data does not include optimistic changes: they are made again after an import, by the paused
  /// mutations, which are archived. The report names the entries and runs that cannot be encoded. An
  /// incomplete value of a stream is archived as such, and is invalidated, so that it is fetched again when
  /// it is used.
  ///
  /// ```swift
  /// let export = client.export(.prefix("products"))
  /// try export.archive.encoded().write(to: url)
  /// ```
  ///
  /// - Parameters:
  ///   - filter: Selects the entries; only those with data are archived.
  ///   - mutations: Selects the runs of mutations; only paused ones are archived.
  ///   - errors: The policy for errors; by default, entries that failed are omitted.
  ///   - coding: The coding of values and inputs.
  /// - Returns: The archive, and a report of the omitted entries and runs.
  /// - Complexity: O(*m*) in the matches of the filter, and in the number of all runs. The archive shows one
  ///   instant; the lock is held for a thousand entries at a time, and at last for all runs.
  public nonisolated func export(
    _ filter: QueryFilter = .all,
    mutations: MutationFilter = .all,
    errors: ArchiveErrorPolicy = .leftOut,
    coding: ArchiveCoding = .json
  ) -> ArchiveExport {
    let (entries, runs) = content(filter, mutations)
    var export = ArchiveExport(archive: CacheArchive(), skipped: [])
    export.addEntries(entries.map(\.info), errors, coding)
    export.addRuns(runs, coding)
    // The account may have ended while its values were encoded.
    return isErased ? ArchiveExport(archive: CacheArchive(), skipped: []) : export
  }

  /// Returns the matching entries and the paused runs, all read at one instant, so that no archive has half
  /// of a change.
  func content(
    _ filter: QueryFilter,
    _ mutations: MutationFilter
  ) -> (entries: [(info: QueryInfo, progress: ExportProgress)], runs: [MutationInfo]) {
    let (entries, runs) = exportContent(filter)
    return (entries, runs.filter { $0.isPaused && mutations.matches($0) })
  }
}

/// The reason why an entry or a run is omitted from an archive.
private struct ArchiveExportRefusal: Error {
  var reason: ArchiveExport.Reason
}

extension ArchiveExport {
  /// Adds the entries that have data.
  mutating func addEntries(
    _ entries: [QueryInfo],
    _ errors: ArchiveErrorPolicy,
    _ coding: ArchiveCoding
  ) {
    for entry in entries {
      guard let box = entry.base else { continue }
      if entry.error != nil, errors == .leftOut { continue }
      addUnlessRefused(entry.key, isMutation: false) { archive throws(ArchiveExportRefusal) in
        archive.entries.append(try entry.archived(box.erased, errors, coding))
      }
    }
  }

  mutating func addRuns(_ runs: [MutationInfo], _ coding: ArchiveCoding) {
    for run in runs {
      addUnlessRefused(run.key, isMutation: true) { archive throws(ArchiveExportRefusal) in
        archive.mutations.append(try run.archived(coding))
      }
    }
  }

  /// Names an entry that is being fetched for the first time, by the text of its key.
  ///
  /// - Returns: The text; `nil` if the key cannot be written as text.
  mutating func addPending(_ entry: QueryInfo) -> String? {
    var name: String?
    addUnlessRefused(entry.key, isMutation: false) { archive throws(ArchiveExportRefusal) in
      let text = try text(of: entry.entryKey)
      archive.pending.append(text)
      name = text
    }
    return name
  }

  private mutating func addUnlessRefused(
    _ key: AnyQueryKey,
    isMutation: Bool,
    _ body: (inout CacheArchive) throws(ArchiveExportRefusal) -> Void
  ) {
    do throws(ArchiveExportRefusal) {
      try body(&archive)
    } catch {
      skipped.append(Skipped(key: key, isMutation: isMutation, reason: error.reason))
    }
  }
}

extension QueryInfo {
  fileprivate func archived(
    _ value: any Sendable,
    _ errors: ArchiveErrorPolicy,
    _ coding: ArchiveCoding
  ) throws(ArchiveExportRefusal) -> CacheArchive.Entry {
    var entry = CacheArchive.Entry(
      key: try text(of: entryKey),
      value: try encoded(value, coding),
      updatedAt: Date(timeIntervalSinceReferenceDate: dataDate),
      isInvalidated: isInvalidated || isPart,
      error: error.map { error in
        ArchivedError(
          description: errors == .described ? String(describing: error) : "redacted",
          updatedAt: Date(timeIntervalSinceReferenceDate: errorDate)
        )
      }
    )
    if isPart { entry.isPart = true }
    return entry
  }
}

extension MutationInfo {
  fileprivate func archived(
    _ coding: ArchiveCoding
  ) throws(ArchiveExportRefusal) -> CacheArchive.PausedMutation {
    let origin = self.origin
    let key = try text(of: origin.key)
    var run = CacheArchive.PausedMutation(
      key: key,
      input: input is Void ? Data() : try encoded(input, coding),
      submittedAt: submittedAt,
      scope: scope,
      idempotencyKey: idempotencyKey
    )
    // A run with changed inputs is archived with its first identity, by which every process knows it.
    if origin.revision > 0 {
      let id = origin.identity.uuid
      run.changed = CacheArchive.ChangedRun(id: id, revision: origin.revision)
    }
    return run
  }
}

private func text(of key: EntryKey) throws(ArchiveExportRefusal) -> String {
  do throws(KeyEncodingError) {
    return try key.canonicalText()
  } catch {
    throw ArchiveExportRefusal(reason: .key(error))
  }
}

private func encoded(
  _ value: any Sendable,
  _ coding: ArchiveCoding
) throws(ArchiveExportRefusal) -> Data {
  guard let encodable = value as? any Encodable else {
    throw ArchiveExportRefusal(
      reason: .notEncodable(typeName: String(reflecting: type(of: value)))
    )
  }
  do {
    return try coding.encode(encodable)
  } catch {
    throw ArchiveExportRefusal(reason: .failed(error))
  }
}
