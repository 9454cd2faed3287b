/// The data of an entry as it is until the offer is withdrawn: see ``ReadShards``.
final class EntryOffer: Sendable {
  let key: EntryKey
  let data: ValueBox
  /// The newest query of the entry.
  let query: StoredQuery?
  /// The defaults for queries that arrive.
  let defaults: any AnyObject & Sendable
  private let updatedAt: Instant
  private let isInvalidated: Bool
  /// Whether the data is a part of a streamed value: stale for all, because the cache decides what a
  /// caller gets.
  private let isPart: Bool
  /// What the entry remembers for its callers.
  private let serving: ServingRecord
  /// How often the entry was used; `nil` if nobody wants to know.
  let uses: EntryUses?
  /// How often it was found fresh, and by whom; `nil` if nobody wants to know.
  let hits: EntryHits?

  init(
    key: EntryKey,
    data: ValueBox,
    query: StoredQuery?,
    defaults: any AnyObject & Sendable,
    updatedAt: Instant,
    isInvalidated: Bool,
    isPart: Bool,
    serving: ServingRecord,
    uses: EntryUses?,
    hits: EntryHits?
  ) {
    self.key = key
    self.data = data
    self.query = query
    self.defaults = defaults
    self.updatedAt = updatedAt
    self.isInvalidated = isInvalidated
    self.isPart = isPart
    self.serving = serving
    self.uses = uses
    self.hits = hits
  }

  /// Whether it is that of an entry.
  @inline(__always)
  func isOf(_ key: EntryKey) -> Bool { self.key == key }

  /// Whether the data is stale.
  @inline(__always)
  func isStale(_ freshness: Freshness, at now: Instant) -> Bool {
    isPart || freshness.isStale(updatedAt: updatedAt, isInvalidated: isInvalidated, at: now)
  }

  /// Whether the data may have to be refetched ahead of time.
  @inline(__always)
  func isRefreshDue(_ refresh: RefreshAhead?, _ freshness: Freshness, at now: Instant) -> Bool {
    guard let refresh, !refresh.isOff else { return false }
    return serving.isRefreshDue(refresh, freshness, of: updatedAt, at: now)
  }
}
