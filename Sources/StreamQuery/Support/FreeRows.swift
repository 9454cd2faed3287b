/// The free rows of a table: the one that was freed last is used first.
///
/// The table itself stays an array of its owner: its rows are large, and are read in place.
struct FreeRows {
  protocol Row {
    /// While the row is free, the row that was freed before it; -1 if there is none.
    ///
    /// It may be stored in place of something that only a row in use needs.
    var nextFree: Int32 { get set }
  }

  private var first: Int32 = -1

  /// Takes a free row, as it was left, or appends a new one.
  ///
  /// - Returns: The position of the row.
  mutating func take<Element: Row>(
    from rows: inout [Element],
    new: @autoclosure () -> Element
  ) -> Int {
    guard first >= 0 else {
      rows.append(new())
      return rows.count - 1
    }
    let position = Int(first)
    first = rows[position].nextFree
    rows[position].nextFree = -1
    return position
  }

  /// Stores a row in place of a free one, or appends it.
  ///
  /// - Returns: The position of the row.
  mutating func store<Element: Row>(_ row: Element, in rows: inout [Element]) -> Int32 {
    guard first >= 0 else {
      rows.append(row)
      return Int32(truncatingIfNeeded: rows.count - 1)
    }
    let position = first
    first = rows[Int(position)].nextFree
    rows[Int(position)] = row
    return position
  }

  /// Frees a row, which its owner has emptied.
  mutating func put<Element: Row>(_ position: Int, in rows: inout [Element]) {
    rows[position].nextFree = first
    first = Int32(truncatingIfNeeded: position)
  }
}
