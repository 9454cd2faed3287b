extension UInt64 {
  /// The number, or one with room above it: counting on from a number that was read from bytes
  /// never overflows.
  package var leavingRoom: UInt64 { Swift.min(self, Self.max >> 1) }
}
