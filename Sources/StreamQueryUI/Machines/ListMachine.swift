internal import StreamQuery

/// Decides what an observed list shows, and which of its parts have changed for its readers.
///
/// A position counts as read until its next change, as a field of a ``ResultMachine`` does.
struct ListMachine {
  /// What is about to be shown.
  struct Arrival {
    fileprivate let results: QueryListResults?
    /// What changes of the list as a whole.
    let fields: ResultFields
    /// The positions that somebody has read and that change.
    let positions: [Int]
  }

  /// What is shown; `nil` is nothing.
  private(set) var shown: QueryListResults?
  private var readPositions: Set<Int> = []
  /// Differs when something else is shown.
  private(set) var revision: UInt8 = 0

  mutating func wasRead(_ position: Int) { readPositions.insert(position) }

  /// Decides what becomes of new results.
  ///
  /// - Parameter results: The results; `nil` shows nothing any more.
  /// - Returns: What to show; `nil` if that is shown already.
  mutating func arrived(_ results: QueryListResults?) -> Arrival? {
    switch (shown, results) {
    case (nil, nil): return nil
    case (let old?, let new?) where old.isSame(as: new): return nil
    case (_, _): break
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
    let hasSameKeys = old.map(\.key) == new.map(\.key)
    let positions = readPositions.sorted().filter { position in
      guard hasSameKeys, old.indices.contains(position) else { return true }
      return !old[position].isSame(as: new[position])
    }
    readPositions.subtract(positions)
    return Arrival(results: results, fields: fields, positions: positions)
  }

  mutating func show(_ arrival: Arrival) {
    shown = arrival.results
    revision &+= 1
  }

  private func hasOtherErrors(_ old: [AnyQueryResult], _ new: [AnyQueryResult]) -> Bool {
    let (old, new) = (old.filter { $0.error != nil }, new.filter { $0.error != nil })
    return old.count != new.count || zip(old, new).contains { !$0.hasSameError(as: $1) }
  }
}
