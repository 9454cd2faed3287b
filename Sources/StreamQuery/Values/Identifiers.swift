/// Names an entry of the cache; the identifier of a dropped entry names nothing.
///
/// Entries move when the tables are rebuilt, so two identifiers of one entry may differ in
/// ``index``. They are still equal.
struct EntryID: Sendable {
  /// Where the entry was when the identifier was made.
  var index: Int32
  /// Unique to the entry: no other one ever has it.
  var generation: UInt64
}

extension EntryID: Hashable {
  static func == (lhs: EntryID, rhs: EntryID) -> Bool { lhs.generation == rhs.generation }

  func hash(into hasher: inout Hasher) { hasher.combine(generation) }
}

/// Names an observer; the identifier of one that left names nothing.
struct ObserverID: Hashable, Sendable {
  var index: Int32
  /// Unique to the observer.
  var generation: UInt32
}

/// Where an observer is among those of an `ObservationGroup`.
///
/// Seven bytes: with the eighth, a wait of an observer says which kind it is, and stays one word.
struct GroupPlace: Equatable, Sendable {
  let position: Int32
  private let lowGroup: UInt16
  private let highGroup: UInt8

  /// Names a place.
  ///
  /// - Parameters:
  ///   - position: Where it is in the group.
  ///   - group: The number of the group, of 24 bits: sixteen million of them may exist at a time.
  init(_ position: Int32, in group: Int32) {
    self.position = position
    lowGroup = UInt16(truncatingIfNeeded: group)
    highGroup = UInt8(truncatingIfNeeded: group >> 16)
  }

  var group: Int32 { Int32(highGroup) << 16 | Int32(lowGroup) }
}

/// Identifies a fetch among those of one entry; it is also the fence that keeps late answers out.
///
/// A fencing write, a removal, a reset and a newer fetch all make the running fetch's number old.
/// An answer with an old number is a no-op (contract law 7).
package struct FetchID: Hashable, Sendable {
  /// Counts the fetches of an entry.
  package var rawValue: UInt32

  /// Creates an identifier.
  ///
  /// - Parameter rawValue: The number of the fetch.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

/// Identifies a run of a mutation; runs are numbered in the order in which they were started.
package struct MutationID: Hashable, Comparable, Sendable {
  /// The index of the run's slot.
  package var index: Int32
  /// The run's number among all runs of the client; never reused.
  package var serial: UInt64

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - index: The index of the run's slot.
  ///   - serial: The run's number.
  package init(index: Int32, serial: UInt64) {
    self.index = index
    self.serial = serial
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.serial < rhs.serial
  }
}
