#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Entries that one transaction removed together, with the data for their events.
final class RemovedEntries: Sendable {
  private let slots: [EntrySlot]
  private let reason: QueryEvent.RemovalReason
  private let date: Double
  /// The number of the newest event before the removal.
  private let eventSerial: UInt64

  /// Records removed entries.
  ///
  /// - Parameters:
  ///   - slots: The slots of the entries.
  ///   - reason: The reason of the removal.
  ///   - date: The date, in seconds since the reference date.
  ///   - eventSerial: The number of the newest event before the removal.
  init(
    in slots: [EntrySlot],
    reason: QueryEvent.RemovalReason,
    date: Double,
    eventSerial: UInt64
  ) {
    self.slots = slots
    self.reason = reason
    self.date = date
    self.eventSerial = eventSerial
  }

  /// The event for one of the entries; made outside the lock.
  ///
  /// - Parameters:
  ///   - slot: The entry's slot.
  ///   - count: The position of the event among the events of all entries.
  /// - Returns: The event; `nil` if the slot held no entry.
  func event(of slot: Int32, _ count: UInt32) -> QueryEvent? {
    guard let key = slots[Int(slot)].key else { return nil }
    var event = QueryEvent(
      number: eventSerial + UInt64(count),
      kind: .removed(reason),
      key: key.key,
      date: Date(timeIntervalSinceReferenceDate: date),
      cause: nil,
      duration: nil
    )
    event.valueType = key.valueType
    if let meta = slots[Int(slot)].query?.meta { event.meta = meta }
    return event
  }
}
