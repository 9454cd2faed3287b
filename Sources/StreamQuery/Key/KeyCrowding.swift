/// Whether a key, or one of its prefixes, is one of many with the same hash.
struct KeyCrowding: Equatable, Sendable {
  /// Whether it is the first of its hash to form a crowd: ``PositionTable/crowd`` were there before.
  var begins = false
  /// Whether a search for it compares it with more than ``PositionCrowd/most`` others, one by one: then
  /// a cache with a limit does not keep it.
  var isTooLarge = false
}
