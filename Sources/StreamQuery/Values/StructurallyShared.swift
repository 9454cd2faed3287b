/// A value that takes its unchanged parts from an older one.
///
/// When a fetch returns a value that differs from the cached one, the equal parts are taken from
/// the cached value: objects stay the same objects, and lists, strings and the like keep their
/// storage, so that comparing them again costs next to nothing. Arrays, dictionaries, optionals and
/// ``Pages`` conform if their contents are `Equatable`. A type of yours is treated as a whole,
/// unless it conforms and says which parts it has:
///
/// ```swift
/// struct Feed: Equatable, Sendable {
///   var title: String
///   var posts: [Repo]
/// }
///
/// extension Feed: StructurallyShared {
///   func reusingUnchanged(from old: Feed) -> Feed {
///     var new = self
///     new.posts = posts.reusingUnchanged(from: old.posts)
///     return new
///   }
/// }
/// ```
///
/// Conformance is checked at run time, so generic code shares just as well. ``SharingPolicy`` says
/// which parts are shared when.
public protocol StructurallyShared: Equatable {
  /// Returns this value, with every unchanged part taken from an older one.
  ///
  /// It runs outside the cache's lock; it must be pure, and may run several times for one fetch.
  ///
  /// - Parameter old: The previous value.
  /// - Returns: A value that equals this one; the old one if that is equal.
  func reusingUnchanged(from old: Self) -> Self
}

extension StructurallyShared where Self: RangeReplaceableCollection, Element: Equatable {
  /// This list, with equal elements taken from an older one.
  ///
  /// `Identifiable` elements are compared with the old element of the same identity, other elements
  /// with the one at the same position.
  ///
  /// - Parameter old: The previous list.
  /// - Returns: A list that equals this one; the old one if that is equal.
  /// - Complexity: O(*n*) comparisons; if elements hold no references, only as many as there are
  ///   equal elements at the start.
  public func reusingUnchanged(from old: Self) -> Self {
    Sharing.list(old, self)
  }
}

extension Array: StructurallyShared where Element: Equatable {}

extension ContiguousArray: StructurallyShared where Element: Equatable {}

extension Dictionary: StructurallyShared where Value: Equatable {
  /// This dictionary, with equal values taken from an older one.
  ///
  /// - Parameter old: The previous dictionary.
  /// - Returns: A dictionary that equals this one; the old one if that is equal.
  /// - Complexity: O(*n*) look-ups and comparisons.
  public func reusingUnchanged(from old: Self) -> Self {
    guard self != old else { return old }
    guard Sharing.holdsReferences(Value.self) else { return self }
    let sharing = PartSharing<Value>()
    var new = self
    for (key, value) in self {
      if let before = old[key] { new[key] = sharing(before, value).part }
    }
    return new
  }
}

extension Optional: StructurallyShared where Wrapped: StructurallyShared {
  /// This value, with its unchanged parts taken from an older one.
  ///
  /// - Parameter old: The previous value.
  /// - Returns: A value that equals this one; the old one if that is equal.
  public func reusingUnchanged(from old: Self) -> Self {
    guard let value = self, let old else { return self }
    return value.reusingUnchanged(from: old)
  }
}

/// Structural sharing: parts of a new value that equal the old ones are taken from the old value.
///
/// Reused parts keep their storage and, if they are objects, their identity. So comparing them
/// again costs nothing, and unchanged rows are recognised as unchanged.
package enum Sharing {
  /// Whether values of a type hold references.
  ///
  /// Only then is an old part worth keeping: a new number is as good as an old one.
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
      // If no old row has the identity, as for an object whose `id` is its address, the row is
      // compared with the old one at its position.
      let origin = origins[index - start] ?? (index < old.count ? index : nil)
      rows.append(origin.map { sharing(old[$0], new[index]).part } ?? new[index])
    }
    return rows
  }

  /// The positions of the old rows that have the same identities.
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

  /// Casts to the same type under another name.
  ///
  /// It is a function, because a cast that is written in place converts an array row by row.
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
    // The part that `reuse` made counts as the old one if both have the same storage.
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
