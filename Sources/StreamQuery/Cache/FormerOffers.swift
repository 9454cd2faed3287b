/// All offers of a cache that left at once, with the tables that held them.
///
/// They hold user objects: never release them under the lock.
final class FormerOffers: Sendable {
  private let tables: [[Int: EntryOffer]]
  private let rows: [EntryOffer?]
  private let hits: [EntryHits?]

  init(tables: [[Int: EntryOffer]], rows: [EntryOffer?], hits: [EntryHits?] = []) {
    self.tables = tables
    self.rows = rows
    self.hits = hits
  }
}
