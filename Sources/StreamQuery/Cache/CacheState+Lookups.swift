extension CacheState {
  /// Notes what was there for somebody who came.
  @inline(__always)
  mutating func note(_ lookup: CacheLookup, _ index: Int, _ turn: Turn) {
    lookups.count(lookup)
    if emitsEvents { emit(lookup, index, turn) }
  }

  // Apart, so that turns nobody listens to do not pay for it.
  @inline(never)
  private mutating func emit(_ lookup: CacheLookup, _ index: Int, _ turn: Turn) {
    emit(.lookup(lookup), index, turn)
  }
}
