/// The identity of an entry of the cache; when the entry is dropped, its identifier finds nothing.
///
/// Entries move when the tables are rebuilt, so two identifiers of one entry may differ in
/// ``index``. They are still equal.
struct EntryID: Sendable {
  /// The index of the entry when the identifier was made.
  var index: Int32
  /// The number of the entry, which no other entry ever has.
  var generation: UInt64
}

extension EntryID: Hashable {
  static func == (lhs: EntryID, rhs: EntryID) -> Bool { lhs.generation == rhs.generation }

  func hash(into hasher: inout Hasher) { hasher.combine(generation) }
}

/// The identity of an observer; when the observer has left, its identifier finds nothing.
struct ObserverID: Hashable, Sendable {
  var index: Int32
  /// Unique to the observer.
  var generation: UInt32
}

/// The position of an observer in an `ObservationGroup`.
///
/// The position has seven bytes, so that one word holds it together with the kind of an observer's wait.
struct MemberPosition: Equatable, Sendable {
  let position: Int32
  private let lowGroup: UInt16
  private let highGroup: UInt8

  /// Creates the position of an observer in a group.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - group: The number of the group, of 24 bits: sixteen million of them may exist at a time.
  init(_ position: Int32, in group: Int32) {
    self.position = position
    lowGroup = UInt16(truncatingIfNeeded: group)
    highGroup = UInt8(truncatingIfNeeded: group >> 16)
  }

  var group: Int32 { Int32(highGroup) << 16 | Int32(lowGroup) }
}

/// The identity of a fetch among the fetches of one entry: by this identity, late answers are
/// recognised and ignored.
///
/// A write that discards fetches, a removal, a reset and a newer fetch outdate the running fetch's number.
/// An answer with an outdated number changes nothing (contract law 7).
package struct FetchID: Hashable, Sendable {
  /// The number of the fetch among those of the entry.
  package var rawValue: UInt32

  /// Creates an identifier.
  ///
  /// - Parameter rawValue: The number of the fetch.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

/// The identity of a run of a mutation; runs are numbered in the order in which they were started.
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
