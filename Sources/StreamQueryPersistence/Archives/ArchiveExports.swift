@_spi(Adapters) internal import StreamQuery

/// The archives of a cache while fetches are still running; see
/// ``StreamQuery/QueryClient/exportStream(_:mutations:errors:coding:)``.
///
/// The first archive of an iterator has the data of the time of its first `next()`. An iterator is no
/// observer: a fetch that nobody wants any longer is cancelled, and no archive brings its data. An iterator
/// ends when its task is cancelled or the client is shut down. It buffers no archives: a slow reader gets the
/// entries of several fetches in one archive. Each archive names all remaining keys. So while hundreds of
/// fetches run, fetches that end within a few milliseconds share an archive for every reader.
public struct ArchiveExports: AsyncSequence, Sendable {
  /// An archive, and a report of the omitted entries and runs.
  public typealias Element = ArchiveExport
  /// An iteration cannot fail: each report names the entries and runs that cannot be encoded.
  public typealias Failure = Never

  let client: QueryClient
  let filter: QueryFilter
  let mutations: MutationFilter
  let errors: ArchiveErrorPolicy
  let coding: ArchiveCoding

  /// Begins an export; the first call of `next()` makes the first archive.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(exports: self) }

  /// Makes the archives of one export, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    /// An archive, and a report of the omitted entries and runs.
    public typealias Element = ArchiveExport
    /// An iteration cannot fail.
    public typealias Failure = Never

    private enum Stage {
      case beginning
      case awaiting(PendingEntries, news: AsyncStream<Void>.Iterator)
      case over
    }

    private let exports: ArchiveExports
    private var stage = Stage.beginning

    fileprivate init(exports: ArchiveExports) { self.exports = exports }

    /// Waits for the end of a fetch whose key an earlier archive named, and returns the next archive.
    ///
    /// - Parameter actor: The caller's isolation, which is kept.
    /// - Returns: The archive; `nil` if no such fetch is left.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ArchiveExport? {
      switch stage {
      case .over: return nil
      case .beginning:
        // The iterator of fetch ends is created before the entries are read, so that it misses no end.
        let news = exports.client.fetchEnds().makeAsyncIterator()
        let (export, pending) = exports.first()
        // The account may have ended while its values were encoded.
        if exports.client.isErased {
          stage = .over
          return nil
        }
        stage = pending.isEmpty ? .over : .awaiting(pending, news: news)
        return export
      case .awaiting(var pending, var news):
        stage = .over
        while true {
          guard await exports.client.sleep(until: pending.nextLook) else { return nil }
          if let export = exports.next(&pending) {
            if exports.client.isErased { return nil }
            if !pending.isEmpty { stage = .awaiting(pending, news: news) }
            return export
          }
          guard await news.next(isolation: actor) != nil else { return nil }
        }
      }
    }

    /// Waits for the end of a fetch whose key an earlier archive named, and returns the next archive.
    ///
    /// - Returns: The archive; `nil` if no such fetch is left.
    public mutating func next() async -> ArchiveExport? { await next(isolation: #isolation) }
  }
}

@available(*, unavailable)
extension ArchiveExports.Iterator: Sendable {}

extension ArchiveExports {
  /// Returns the archive of the present data, and the entries that are being fetched for the first time.
  fileprivate func first() -> (ArchiveExport, PendingEntries) {
    let (entries, runs) = client.content(filter, mutations)
    var export = ArchiveExport(archive: CacheArchive(), skipped: [])
    // A value of a stream that is still arriving is omitted, because its part must not count as the whole.
    export.addEntries(entries.filter { $0.progress != .partial }.map(\.info), errors, coding)
    export.addRuns(runs, coding)
    var pending = PendingEntries()
    for entry in entries where entry.progress == .first {
      if let text = export.addPending(entry.info) { pending.add(entry.info.entryKey, text) }
    }
    pending.named(at: client.instant)
    return (export, pending)
  }

  /// Returns the archive of the entries with fetches that have ended; `nil` if all fetches still run.
  fileprivate func next(_ pending: inout PendingEntries) -> ArchiveExport? {
    let now = client.instant
    let present = client.presence(of: pending.keys, at: now)
    guard let settled = pending.looked(at: present, at: now) else { return nil }
    var export = ArchiveExport(archive: CacheArchive(pending: pending.texts), skipped: [])
    export.addEntries(settled, errors, coding)
    return export
  }
}
