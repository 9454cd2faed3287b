/// Structural sharing: parts of a new value that equal the old ones are taken from the old value.
///
/// Reused parts keep their storage and, if they are objects, their identity. So comparing them
/// again costs nothing, and unchanged rows are recognised as unchanged.
package enum Sharing {
  /// Whether values of a type hold references.
  ///
  /// Only parts with references are worth sharing: a new number is as good as an equal old one.
  static func holdsReferences<Value>(_ type: Value.Type) -> Bool {
    // Only `_isPOD` can tell this at run time.
    !_isPOD(type)
  }

  /// The new list with equal elements taken from the old one; the old list if all are equal.
  static func list<List: RangeReplaceableCollection>(_ old: List, _ new: List) -> List
  where List.Element: Equatable {
    rows(Array(old), Array(new)).map { List($0) } ?? old
  }

  /// The new rows with equal ones taken from the old, or `nil` if nothing changed.
  private static func rows<Row: Equatable>(_ old: [Row], _ new: [Row]) -> [Row]? {
    // This is a loop, because in code that is not specialised lazy sequences of pairs cost more
    // than the comparisons.
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    guard start < new.count || old.count != new.count else { return nil }
    guard holdsReferences(Row.self) else { return new }
    let sharing = PartSharing<Row>()
    let origins = origins(old, new, from: start)
    var rows = Array(old[..<start])
    rows.reserveCapacity(new.count)
    for index in start..<new.count {
      // If no old row has the identity, as for an object whose `id` is its address, the new row is
      // compared with the old row at the same position.
      let origin = origins[index - start] ?? (index < old.count ? index : nil)
      rows.append(origin.map { sharing(old[$0], new[index]).part } ?? new[index])
    }
    return rows
  }

  /// The position of the old row with the same identity, for each new row from `start` on; `nil` if there is
  /// none.
  private static func origins<Row>(_ old: [Row], _ new: [Row], from start: Int) -> [Int?] {
    func byIdentity<Known: Identifiable>(_ type: Known.Type) -> [Int?]? {
      guard let old = cast(old, to: [Known].self), let new = cast(new, to: [Known].self)
      else { return nil }
      var table: [Known.ID: Int]?
      return (start..<new.count).map { index in
        let id = new[index].id
        if index < old.count, old[index].id == id { return index }
        // The table is made at the first row that has moved: most lists keep their order and need
        // none.
        let known = table ?? Dictionary(zip(old.map(\.id), old.indices)) { first, _ in first }
        table = known
        return known[id]
      }
    }
    return (Row.self as? any Identifiable.Type).flatMap { byIdentity($0) }
      ?? Array(repeating: nil, count: new.count - start)
  }

  /// Casts a value to `Known`, which is the same type as `Value`.
  ///
  /// This is a function, because a cast that is written in place converts an array row by row.
  private static func cast<Value, Known>(_ value: Value, to type: Known.Type) -> Known? {
    value as? Known
  }
}

/// The way in which parts of a value are shared; determined once per type.
struct PartSharing<Part: Equatable> {
  private let structure: (any StructurallyShared.Type)?

  init() {
    structure = Part.self as? any StructurallyShared.Type
  }

  /// Shares a part.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameters:
  ///   - old: The former part.
  ///   - new: The new part.
  /// - Returns: A part that equals the new one, and whether it is the old one.
  func callAsFunction(_ old: Part, _ new: Part) -> (part: Part, isOld: Bool) {
    // If `reuse` returned the old part, this comparison is quick, because both have the same storage.
    let part = structure.map { reuse(old, new, as: $0) } ?? new
    return part == old ? (old, true) : (part, false)
  }

  private func reuse<Known: StructurallyShared>(
    _ old: Part,
    _ new: Part,
    as type: Known.Type
  ) -> Part {
    // `Known` and the value's type are the same, so no cast ever fails.
    guard let old = old as? Known, let known = new as? Known,
      let part = known.reusingUnchanged(from: old) as? Part
    else { return new }
    return part
  }
}
