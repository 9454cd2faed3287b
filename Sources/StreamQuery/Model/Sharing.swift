/// Structural sharing: parts of a new value that equal the old ones are taken from the old value.
///
/// Reused parts keep their storage and, if they are objects, their identity. So comparing them
/// again costs nothing, and unchanged rows are recognised as unchanged.
package enum Sharing {
  /// Whether values of a type have anything worth keeping: a new number is as good as the old one.
  static func holdsReferences<Value>(_ type: Value.Type) -> Bool {
    // The only way to ask this at run time.
    !_isPOD(type)
  }

  /// The new list with equal elements taken from the old one; the old list if all are equal.
  static func list<List: RangeReplaceableCollection>(_ old: List, _ new: List) -> List
  where List.Element: Equatable {
    rows(Array(old), Array(new)).map { List($0) } ?? old
  }

  /// The new rows with equal ones taken from the old, or `nil` if nothing changed.
  private static func rows<Row: Equatable>(_ old: [Row], _ new: [Row]) -> [Row]? {
    // A loop: where types are not known, lazy sequences of pairs cost more than the comparisons.
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    guard start < new.count || old.count != new.count else { return nil }
    guard holdsReferences(Row.self) else { return new }
    let sharing = PartSharing<Row>()
    let origins = origins(old, new, from: start)
    var rows = Array(old[..<start])
    rows.reserveCapacity(new.count)
    for index in start..<new.count {
      // An object without its own identity is a new one each time: then the position counts.
      let origin = origins[index - start] ?? (index < old.count ? index : nil)
      rows.append(origin.map { sharing(old[$0], new[index]).part } ?? new[index])
    }
    return rows
  }

  /// The positions of the rows with the same identity among the old ones.
  private static func origins<Row>(_ old: [Row], _ new: [Row], from start: Int) -> [Int?] {
    func byIdentity<Known: Identifiable>(_ type: Known.Type) -> [Int?]? {
      guard let old = cast(old, to: [Known].self), let new = cast(new, to: [Known].self)
      else { return nil }
      var table: [Known.ID: Int]?
      return (start..<new.count).map { index in
        let id = new[index].id
        if index < old.count, old[index].id == id { return index }
        // Most lists keep their order and need no table.
        let known = table ?? Dictionary(zip(old.map(\.id), old.indices)) { first, _ in first }
        table = known
        return known[id]
      }
    }
    return (Row.self as? any Identifiable.Type).flatMap { byIdentity($0) }
      ?? Array(repeating: nil, count: new.count - start)
  }

  /// Casts to the same type under another name.
  ///
  /// This is a function because an array cast in place goes row by row.
  private static func cast<Value, Known>(_ value: Value, to type: Known.Type) -> Known? {
    value as? Known
  }
}
