/// The free rows of a table: the one that was freed last is used first.
///
/// The table itself stays an array of the owner: the rows are large, and are read in place.
struct FreeRows {
  protocol Row {
    /// The row that was freed before this one, while this row is free; -1 if there is none.
    ///
    /// A row may store this in the place of a property that only rows in use need.
    var nextFree: Int32 { get set }

    /// Whether a large table of such rows grows by an eighth. Otherwise it doubles its size, and half of it
    /// may be empty.
    ///
    /// One growth takes as long as a doubling to the same size, but there are more growths. Growing by an
    /// eighth pays for small rows, and for rows that are kept long.
    static var sparesRoom: Bool { get }
  }

  /// A table whose rows have ``Row/sparesRoom`` grows by an eighth from this number of rows on.
  private static let largeCount = 4_096

  private var first: Int32 = -1

  /// Takes a free row with its old contents, or appends a new row.
  ///
  /// - Returns: The position of the row.
  mutating func takeRow<Element: Row>(
    from rows: inout [Element],
    new: @autoclosure () -> Element
  ) -> Int {
    guard first >= 0 else {
      Self.makeRoom(in: &rows)
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
      Self.makeRoom(in: &rows)
      rows.append(row)
      return Int32(truncatingIfNeeded: rows.count - 1)
    }
    let position = first
    first = rows[Int(position)].nextFree
    rows[Int(position)] = row
    return position
  }

  /// Makes room for one more row, if the table is large and full: the array itself would double its size.
  @inline(__always)
  private static func makeRoom<Element: Row>(in rows: inout [Element]) {
    let count = rows.count
    guard Element.sparesRoom, count >= largeCount, count == rows.capacity else { return }
    rows.reserveCapacity(count + count / 8)
  }

  /// Frees a row, after the owner of the table has emptied it.
  mutating func put<Element: Row>(_ position: Int, in rows: inout [Element]) {
    rows[position].nextFree = first
    first = Int32(truncatingIfNeeded: position)
  }
}

extension FreeRows.Row {
  static var sparesRoom: Bool { false }
}
