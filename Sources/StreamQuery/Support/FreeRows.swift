/// The free rows of a table: the one that was freed last is used first.
///
/// The table itself stays an array of its owner: its rows are large, and are read in place.
struct FreeRows {
  private var first: Int32 = -1

  /// Takes a free row, as it was left, or appends a new one.
  ///
  /// - Returns: The position of the row.
  mutating func take<Row: ReusableRow>(from rows: inout [Row], new: @autoclosure () -> Row) -> Int {
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
  mutating func store<Row: ReusableRow>(_ row: Row, in rows: inout [Row]) -> Int32 {
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
  mutating func put<Row: ReusableRow>(_ position: Int, in rows: inout [Row]) {
    rows[position].nextFree = first
    first = Int32(truncatingIfNeeded: position)
  }
}
