extension UInt64 {
  /// A number that was read from bytes, with room above it: whatever they say, counting on from it
  /// never overflows.
  package var leavingRoom: UInt64 { Swift.min(self, Self.max >> 1) }
}
