@_spi(Adapters) internal import StreamQuery

/// Decides what an observed list shows, and which of its parts have changed for its readers.
///
/// A position, or a field of the list as a whole, counts as read until its next change, as a field
/// of a ``ResultMachine`` does. As there, a reader that is told may show something newer, which stays.
struct ListMachine {
  /// The list that is about to be shown.
  struct Arrival {
    fileprivate let results: QueryListResults?
    /// The facts of the list as a whole that somebody has read, and that change.
    let fields: ResultFields
    /// The positions that somebody has read and that change.
    let positions: [Int]
    /// How many results had come before.
    fileprivate let revision: UInt32

    /// Whether anybody has to be told.
    var concernsReaders: Bool { !fields.isEmpty || !positions.isEmpty }
  }

  /// The list that is shown; `nil` is none.
  private(set) var shown: QueryListResults?
  private var readPositions: Set<Int> = []
  private var readFields = ResultFields()
  /// How many results have come, to know whether an arrival is still the newest.
  private var revision: UInt32 = 0

  /// Somebody reads a position.
  ///
  /// - Parameter position: The position.
  /// - Returns: Whether it is the first to do so since that has changed.
  mutating func wasRead(_ position: Int) -> Bool { readPositions.insert(position).inserted }

  /// Somebody reads the list as a whole.
  ///
  /// - Parameter field: What of it.
  /// - Returns: Whether it is the first to do so since that has changed.
  mutating func wasRead(_ field: ResultField) -> Bool { readFields.insert(field) }

  /// Decides what becomes of new results.
  ///
  /// - Parameter results: The results; `nil` shows nothing any more.
  /// - Returns: What to show; `nil` if that is shown already.
  mutating func arrived(_ results: QueryListResults?) -> Arrival? {
    let isShown =
      switch (shown, results) {
      case (nil, nil): true
      case (let old?, let new?): old.isSame(as: new)
      case (_, _): false
      }
    if isShown {
      // It is the newest: what arrived before it is not shown after it.
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

  /// Shows results, unless others have come since they have arrived.
  mutating func show(_ arrival: Arrival) {
    guard arrival.revision == revision else { return }
    shown = arrival.results
    revision &+= 1
  }

  private func hasOtherErrors(_ old: [AnyQueryResult], _ new: [AnyQueryResult]) -> Bool {
    let (old, new) = (old.filter { $0.error != nil }, new.filter { $0.error != nil })
    return old.count != new.count || zip(old, new).contains { !$0.hasSameError(as: $1) }
  }
}
