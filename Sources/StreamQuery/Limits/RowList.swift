/// A list of rows of a table, from the one that was put in first to the one put in last.
///
/// Rows know their neighbours, so that one can leave from the middle at once.
struct RowList: Sendable {
  /// A row's place in its list; -1 where there is no neighbour.
  struct Links: Hashable, Sendable {
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  private(set) var oldest: Int32 = -1
  private(set) var newest: Int32 = -1
  private(set) var count = 0

  /// Puts a row at the newest end.
  @inline(__always)
  mutating func append<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    rows[Int(row)][keyPath: links] = Links(older: newest)
    if newest >= 0 { rows[Int(newest)][keyPath: links].newer = row } else { oldest = row }
    newest = row
    count += 1
  }

  /// Puts a row at the oldest end.
  mutating func prepend<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    rows[Int(row)][keyPath: links] = Links(newer: oldest)
    if oldest >= 0 { rows[Int(oldest)][keyPath: links].older = row } else { newest = row }
    oldest = row
    count += 1
  }

  /// Takes a row out.
  @inline(__always)
  mutating func remove<Row>(
    _ row: Int32,
    in rows: inout [Row],
    _ links: WritableKeyPath<Row, Links>
  ) {
    let older = rows[Int(row)][keyPath: links].older
    let newer = rows[Int(row)][keyPath: links].newer
    if older >= 0 { rows[Int(older)][keyPath: links].newer = newer } else { oldest = newer }
    if newer >= 0 { rows[Int(newer)][keyPath: links].older = older } else { newest = older }
    rows[Int(row)][keyPath: links] = Links()
    count -= 1
  }
}
