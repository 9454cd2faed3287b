/// Where an observer is among those of an ``ObservationGroup``.
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
