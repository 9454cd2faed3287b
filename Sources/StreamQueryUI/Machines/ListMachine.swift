@_spi(Adapters) internal import StreamQuery

/// Decides which results an observed list shows, and which of its parts have changed for its readers.
///
/// A part is a position, or a field of the list as a whole. Like a field of a ``ResultMachine``, it counts as
/// read until its next change. A reader that is told of a change may make the object show newer results at
/// once. Then the results of the change are outdated, and are not shown.
struct ListMachine {
  /// The results that are about to be shown.
  struct Arrival {
    fileprivate let results: QueryListResults?
    /// The fields of the list as a whole that were read and have changed.
    let fields: ResultFields
    /// The positions that were read and have changed.
    let positions: [Int]
    /// The value of the machine's `revision` when these results arrived.
    fileprivate let revision: UInt32

    /// Whether a reader has to be told of the change.
    var concernsReaders: Bool { !fields.isEmpty || !positions.isEmpty }
  }

  /// The results that are shown; `nil` if there are none.
  private(set) var shown: QueryListResults?
  private var readPositions: Set<Int> = []
  private var readFields = ResultFields()
  /// A number that grows when results are shown, and when the shown results arrive again.
  ///
  /// An ``Arrival`` is outdated if the number has grown since its arrival.
  private var revision: UInt32 = 0

  /// Notes that a position is read.
  ///
  /// - Parameter position: The position.
  /// - Returns: Whether this is the first read since the position's last change.
  mutating func wasRead(_ position: Int) -> Bool { readPositions.insert(position).inserted }

  /// Notes that a field of the list as a whole is read.
  ///
  /// - Parameter field: The field.
  /// - Returns: Whether this is the first read since the field's last change.
  mutating func wasRead(_ field: ResultField) -> Bool { readFields.insert(field) }

  /// Takes new results, and finds out which of the read parts have changed.
  ///
  /// - Parameter results: The results; `nil` if there are none any more.
  /// - Returns: The results to show; `nil` if they are shown already.
  mutating func arrived(_ results: QueryListResults?) -> Arrival? {
    let isShown =
      switch (shown, results) {
      case (nil, nil): true
      case (let old?, let new?): old.isSame(as: new)
      case (_, _): false
      }
    if isShown {
      // The shown results have arrived again, so they are the newest: an arrival with older results becomes
      // outdated.
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

  /// Shows results, unless newer ones have been shown since their arrival.
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
