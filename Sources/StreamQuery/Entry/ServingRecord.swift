/// What an entry remembers for its callers, if its query promises them something.
///
/// Most entries need none of it, at most times: then there is no record.
struct ServingRecord: Equatable, Sendable {
  /// When the data was marked as invalidated; `nil` if it is not.
  var markedAt: Instant?
  /// When the first of the waiting callers gets stale data; `nil` if none does.
  var patienceEnd: Instant?

  /// A caller waits until a time for an answer; `nil` is for ever.
  mutating func waiterJoined(until end: Instant) {
    patienceEnd = patienceEnd.map { min($0, end) } ?? end
  }

  /// Whether there is nothing to remember.
  var isEmpty: Bool { self == ServingRecord() }

  /// Something happened to the entry.
  ///
  /// - Parameters:
  ///   - machine: The entry afterwards.
  ///   - now: The time of the transaction.
  mutating func follow(_ machine: borrowing EntryMachine, at now: Instant) {
    markedAt = machine.isInvalidated ? markedAt ?? now : nil
    if machine.isIdle { patienceEnd = nil }
  }
}
