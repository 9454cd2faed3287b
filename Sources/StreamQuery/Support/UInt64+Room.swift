extension UInt64 {
  /// The number, or half of the greatest number if that is less.
  ///
  /// So counting on from a number that was read from bytes never overflows.
  package var leavingRoom: UInt64 { Swift.min(self, Self.max >> 1) }
}
