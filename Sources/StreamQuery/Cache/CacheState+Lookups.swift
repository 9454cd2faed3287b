extension CacheState {
  /// Notes what was there for somebody who came.
  @inline(__always)
  mutating func note(_ lookup: CacheLookup, _ index: Int, _ turn: Turn) {
    lookups.count(lookup)
    if emitsEvents { emit(.lookup(lookup), index, turn) }
  }
}
