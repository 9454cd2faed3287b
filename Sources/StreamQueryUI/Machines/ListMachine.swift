@_spi(Adapters) internal import StreamQuery

/// Decides which results an observed list shows, and which of its parts have changed for its
/// readers.
///
/// A position, or a field of the list as a whole, counts as read until its next change, like a field of a
/// ``ResultMachine``. A reader that is told of a change may show newer results, which stay.
struct ListMachine {
  /// The results that are about to be shown.
  struct Arrival {
    fileprivate let results: QueryListResults?
    /// The fields of the list as a whole that were read, and that change.
    let fields: ResultFields
    /// The positions that were read, and that change.
    let positions: [Int]
    /// The number of earlier results.
    fileprivate let revision: UInt32

    /// Whether a reader has to be told.
    var concernsReaders: Bool { !fields.isEmpty || !positions.isEmpty }
  }

  /// The shown results; `nil` for none.
  private(set) var shown: QueryListResults?
  private var readPositions: Set<Int> = []
  private var readFields = ResultFields()
  /// The number of results that arrived, which tells whether one is still the newest.
  private var revision: UInt32 = 0

  /// A reader reads a position.
  ///
  /// - Parameter position: The position.
  /// - Returns: Whether it is the first read since the position changed.
  mutating func wasRead(_ position: Int) -> Bool { readPositions.insert(position).inserted }

  /// A reader reads a field of the list as a whole.
  ///
  /// - Parameter field: The field.
  /// - Returns: Whether it is the first read since the field changed.
  mutating func wasRead(_ field: ResultField) -> Bool { readFields.insert(field) }

  /// Takes new results.
  ///
  /// - Parameter results: The results; `nil` shows none any more.
  /// - Returns: The results to show; `nil` if they are shown already.
  mutating func arrived(_ results: QueryListResults?) -> Arrival? {
    let isShown =
      switch (shown, results) {
      case (nil, nil): true
      case (let old?, let new?): old.isSame(as: new)
      case (_, _): false
      }
    if isShown {
      // These results are the newest, so results that arrived before are not shown after them.
      revision &+= 1
      return nil
    }
    let (old, new) = (shown?.all ?? [], results?.all ?? [])
    var fields = ResultFields(.result)
    func note(_ field: ResultField, _ value: (QueryListResults?) -> Bool) {
      if value(shown) != value(results) { fields.insert(field) }
    }
    note(.isPending) { $0?.isPending ?? true }
    note(.isFetching) { $0?.isFetching ?? false }
    note(.isSuccess) { $0?.isSuccess ?? false }
    if hasOtherErrors(old, new) { fields.insert(.error) }
    fields.formIntersection(readFields)
    readFields.remove(fields)
    let hasSameKeys = old.map(\.key) == new.map(\.key)
    let positions = readPositions.sorted().filter { position in
      guard hasSameKeys, old.indices.contains(position) else { return true }
      return !old[position].isSame(as: new[position])
    }
    readPositions.subtract(positions)
    return Arrival(results: results, fields: fields, positions: positions, revision: revision)
  }

  /// Shows results, unless newer ones have arrived since.
  mutating func apply(_ arrival: Arrival) {
    guard arrival.revision == revision else { return }
    shown = arrival.results
    revision &+= 1
  }

  private func hasOtherErrors(_ old: [AnyQueryResult], _ new: [AnyQueryResult]) -> Bool {
    let (old, new) = (old.filter { $0.error != nil }, new.filter { $0.error != nil })
    return old.count != new.count || zip(old, new).contains { !$0.hasSameError(as: $1) }
  }
}
