/// What an entry remembers for its callers, if its query promises them something.
///
/// Most entries need none of it, at most times: then there is no record.
struct ServingRecord: Equatable, Sendable {
  /// When the data was marked as invalidated; `nil` if it is not.
  var markedAt: Instant?

  /// Whether there is nothing to remember.
  var isEmpty: Bool { self == ServingRecord() }

  /// Something happened to the entry.
  ///
  /// - Parameters:
  ///   - machine: The entry afterwards.
  ///   - now: The time of the transaction.
  mutating func follow(_ machine: borrowing EntryMachine, at now: Instant) {
    markedAt = machine.isInvalidated ? markedAt ?? now : nil
  }
}
